import { withoutSecret } from "./secrets.ts";

type Setting = readonly [string, string];

/** Sections whose settings decide where git connects, whom it trusts there, and which repository it uses. */
const DIRECTING =
  /^(?:url|remotes?|https?|ssh|credential|protocol|push|branch|submodule|lfs|bundle|imap|svn|svn-remote|include|includeif|promisor|core\.worktree$|extensions\.partialclone$|(?:fetch|transfer)\.bundleuri$)(?:\.|$)/s;

/** Settings of those sections that neither direct nor start anything. */
const QUIET =
  /^(?:branch\.(?:autosetupmerge|autosetuprebase|sort|.*\.(?:merge|rebase|description|mergeoptions))|remote\..*\.(?:tagopt|prune|prunetags|skipdefaultupdate|skipfetchall)|http\.(?:postbuffer|lowspeedlimit|lowspeedtime|version|maxrequests|minsessions|noepsv|useragent)|push\.(?:autosetupremote|usebitmaps|negotiate|useforceifincludes)|submodule\.(?:fetchjobs|recurse|active|propagatebranches|.*\.(?:active|branch|ignore|fetchrecursesubmodules))|lfs\.(?:repositoryformatversion|.*\.(?:locksverify|access))|protocol\.version)$/s;

const MOST_SHOWN = 24;
const MOST_CHARS = 300;

interface Shown {
  readonly settings: readonly Setting[];
  /** Settings that take the place of others: those have no effect. */
  readonly overrides: readonly Setting[];
  /** Names of git commands that the command uses and that may be aliases. */
  readonly aliases: readonly string[];
}

/** The settings of the repository that a card has to show: they are files of the workspace. */
function directing({ settings, overrides, aliases }: Shown): Setting[] {
  const replaced = new Set(overrides.map(([key]) => key));
  const remotes = new Set(
    settings.flatMap(([key]) => /^remote\.(.*)\.(?:push)?url$/s.exec(key)?.[1] ?? []),
  );
  const used = aliasKeys(aliases, settings);
  const isShown = ([key, value]: Setting) => {
    if (used.has(key)) return true;
    if (!DIRECTING.test(key) || QUIET.test(key) || replaced.has(key)) return false;
    const [, remote] = /^remote\.(.*)\.fetch$/s.exec(key) ?? [];
    if (remote !== undefined) return value !== `+refs/heads/*:refs/remotes/${remote}/*`;
    return !(/^branch\..*\.remote$/s.test(key) && remotes.has(value));
  };
  return settings.filter(isShown);
}

/** Names count in any case, and one alias may stand for another. */
function aliasKeys(names: readonly string[], settings: readonly Setting[]): Set<string> {
  const used = new Set(names.map((name) => `alias.${name.toLowerCase()}`));
  for (const key of used)
    for (const [, value] of settings.filter(([one]) => one === key))
      for (const word of value.split(/[^\w-]+/)) used.add(`alias.${word.toLowerCase()}`);
  return used;
}

/** What a card says about the settings that git would obey. */
export function settingNotes(shown: Shown): string[] {
  const texts = [...new Set(directing(shown).map(textOf))];
  return texts.length === 0
    ? []
    : [`Git obeys these settings of the repository: ${texts.join(", ")}.`];
}

/** Why a card cannot show them: settings that no one sees are settings that no one approves. */
export function refusedSettings(shown: Shown): string | undefined {
  const all = directing(shown);
  const long = all.find((setting) => textOf(setting).length > MOST_CHARS);
  if (long)
    return (
      `The repository's setting ${long[0].slice(0, 200)} is too long for a card. ` +
      "Shorten or remove it, then ask again."
    );
  return all.length > MOST_SHOWN
    ? `The repository has ${all.length} settings that control where git connects, but a card shows only ${MOST_SHOWN}. ` +
        "Remove some, then ask again."
    : undefined;
}

function textOf([key, value]: Setting): string {
  return `${withoutSecret(key)}=${withoutSecret(value)}`;
}

/** Settings that name programs beyond those that the workspace's server replaces. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/^gpg\.ssh\.defaultkeycommand$/, "false"],
  [/^interactive\.difffilter$/, "cat"],
  [/^imap\.tunnel$/, "false"],
  [/^instaweb\.(?:httpd|browser)$/, "false"],
  [/^guitool\..*\.cmd$/s, "false"],
  [/^lfs\.customtransfer\..*\.path$/s, "false"],
  [/^lfs\.extension\..*\.(?:clean|smudge)$/s, "false"],
  // A push sends the commits that the card names, and no submodule's.
  [/^push\.recursesubmodules$/, "check"],
];

/** What takes the place of these programs in an approved run. */
export function programOverrides(settings: readonly Setting[]): [string, string][] {
  return settings.flatMap(([key]) =>
    PROGRAMS.filter(([pattern]) => pattern.test(key)).map(([, value]): [string, string] => [
      key,
      value,
    ]),
  );
}
