import {
  type ApprovedRun,
  CHANGED_PATHS_LIMIT,
  CODE_FILES_LIMIT,
  type CodeFile,
  DATA_LIMIT_BYTES,
  type Inspection,
} from "../../contract/workspace/approved-run.ts";
import type { Shell } from "../../contract/workspace/shell.ts";
import type { Workspace } from "../../contract/workspace/workspace.ts";
import { boundPushes, pushText } from "../git/bound-pushes.ts";
import { programOverrides, refusedSettings, settingNotes } from "../git/setting-notes.ts";
import { type HeldFiles, obeyedFiles } from "../grants/grant-files.ts";
import { type CodeReport, UNREAD_CODE } from "../shell/code-report.ts";
import { mayDiffer } from "../shell/other-shells.ts";
import type { CodeUse } from "../shell/script.ts";
import { isUnknown, literalWord } from "../shell/word.ts";
import { codeCopied, distinct, type Found, lookUp, NO_DATA, takeData } from "./code-files.ts";
import type { Command } from "./command-text.ts";
import { takeInterpreters } from "./interpreters.ts";
import { directoriesAmong, linkRefusal, refusedLink, refusedPattern } from "./named-paths.ts";
import { changedPaths, followedLinks, refusedChange } from "./root-changes.ts";
import { NO_VIEW, rootView } from "./root-view.ts";
import { isWorkloadPath } from "./workload-paths.ts";

/** How an approved command will run, and what its card has to say about that. */
export interface CommandBinding {
  readonly run: ApprovedRun;
  readonly notes: readonly string[];
  /** What a grant that lasts holds besides. */
  readonly held: HeldFiles;
  /** Why it needs a phrase, whatever its text says. */
  readonly raised?: string;
}

/** A command that no approval can fix: why, and what to do instead. */
export interface UnboundCommand {
  readonly denied: string;
}

const GIT_DIRECTORIES_LIMIT = 4;

const UNCONFINED = "This machine's kernel cannot keep root from workspace files (no Landlock).";

/** Looks at everything that decides what a command does besides its text. */
export async function bindCommand(
  command: Command,
  { identity, workspace }: { readonly identity: "agent" | "root"; readonly workspace: Workspace },
): Promise<CommandBinding | UnboundCommand> {
  const { pushes = [], onlyIn } = command;
  if (onlyIn !== undefined && identity === "root") return { denied: rootRefusal(onlyIn) };
  const code = codeOf(command);
  const uses = [...code.uses].sort((one, other) => rankOf(one) - rankOf(other));
  const paths = [...new Set(uses.flatMap((use) => use.paths))];
  const places = [...code.places, ...code.git, ...code.patterns.map(({ place }) => place)];
  const asked = [...new Set([...paths, ...places])].filter(isKnownPath).slice(0, CODE_FILES_LIMIT);
  const git = [...code.git].filter(isKnownPath).slice(0, GIT_DIRECTORIES_LIMIT);
  const changed = identity === "root" ? changedPaths(code) : [];
  const inspection = await workspace.inspectCode({
    directory: command.directory,
    paths: asked,
    git,
    changed: changed.slice(0, CHANGED_PATHS_LIMIT),
  });
  if (inspection.directory === null) {
    return {
      denied: `The directory ${command.directory} does not exist. Use another working_directory.`,
    };
  }
  if (inspection.directory !== command.directory) {
    return { denied: linkRefusal(command.directory, inspection.directory) };
  }
  if (code.git.size > git.length) return { denied: REPOSITORY_UNKNOWN };
  const [obeyed] = inspection.git?.obeyed ?? [];
  if (obeyed !== undefined) return { denied: gitRefusal(obeyed) };
  const settings = settingsOf(code, inspection);
  const unseen =
    pushes.find(({ denied }) => denied !== undefined)?.denied ?? refusedSettings(settings);
  if (unseen !== undefined) return { denied: unseen };
  const found = lookUp(uses, { code, inspection, identity });
  await takeInterpreters(found, { workspace, directory: inspection.directory, identity });
  const problems = [
    ...found.problems,
    ...(leavesOut(asked, { uses, code, identity }) ? [`more than ${CODE_FILES_LIMIT} files`] : []),
  ];
  const [problem] = problems;
  if (identity === "root") {
    if (problem !== undefined) return { denied: refusal(problem) };
    const [unread] = found.unread;
    if (unread !== undefined) return { denied: readRefusal(unread) };
    const refused =
      refusedPattern(code.patterns, inspection) ??
      refusedChange(code, { changed, inspection }) ??
      refusedHandover(code, command.text);
    if (refused !== undefined) return { denied: refused };
  }
  const [leaving] = code.leaves;
  if (leaving !== undefined) return { denied: leavingRefusal(leaving) };
  const unsafe = refusedPath(found);
  if (unsafe !== undefined) return { denied: unsafe };
  const files = distinct(found.files);
  const missing = [...new Set(found.missing)];
  if (Math.max(files.length, missing.length) > CODE_FILES_LIMIT) return { denied: TOO_MANY_FILES };
  const data = identity === "root" ? takeData(command, found, inspection) : NO_DATA;
  const kept = keptPaths(code, { uses, found, identity });
  const led = refusedLink(kept, inspection);
  if (led !== undefined) return { denied: led };
  const render = (use: CodeUse) => found.copies.get(use);
  const rendered = found.copies.size > 0 ? code.script?.render(render) : undefined;
  const bound = boundPushes(pushes, {
    isOneCall: command.class.isOneCall === true && identity === "agent" && onlyIn === undefined,
  });
  const isUnread = command.class.unparsed !== undefined;
  const view =
    identity === "root" ? rootView(code, { uses, found, inspection, isUnread }) : NO_VIEW;
  const isOpen = identity === "root" && !inspection.confines;
  return {
    run: {
      directory: inspection.directory,
      ...(onlyIn === undefined ? {} : { shell: onlyIn }),
      command: pushText(bound) ?? rendered ?? command.text,
      files,
      missing,
      system: [...new Set(found.system)],
      data: data.copied,
      git: [...settings.overrides],
      repositories: inspection.git?.repositories ?? [],
      pushes: bound,
      changed: changed.slice(0, CHANGED_PATHS_LIMIT),
      directories: directoriesAmong(kept, inspection),
      readable: view.readable,
      confined: !isOpen,
    },
    ...(found.maybeRanIn.size > 0 ? { raised: OPEN_DIRECTORY } : {}),
    ...(isOpen ? { raised: UNCONFINED } : {}),
    held: {
      seen: inspection.files,
      obeyed: obeyedFiles(uses, inspection),
      isOpen:
        paths.some((path) => !asked.includes(path)) ||
        [found.loose, code.open].some(({ size }) => size > 0) ||
        inspection.files.some(({ kind }) => kind === "unfit") ||
        code.patterns.length > 0,
    },
    notes: [
      ...(onlyIn === undefined ? [] : [`Runs in ${onlyIn}.`]),
      ...new Set(pushes.flatMap(({ lines }) => lines)),
      ...codeNotes(command, code, {
        found,
        places: [inspection.directory, ...directoriesAmong(kept, inspection)],
      }),
      ...view.notes,
      ...[...problems, ...found.unread].map((one) => `Not fixed by this approval: ${one}.`),
      ...(identity === "root"
        ? followedLinks(code, {
            uses,
            directory: inspection.directory,
            data: [...data.copied, ...codeCopied(found)],
          })
        : []
      ).map((place) => `Not fixed by this approval: links in ${place} that it follows.`),
      ...data.loose.map((one) => `Not fixed by this approval: ${one} may change while it runs.`),
      ...openNotes(code),
      ...[...found.loose].map(
        (one) => `Not fixed by this approval: ${one} may change before it runs.`,
      ),
      ...settingNotes(settings),
    ],
  };
}

/** Where another shell reads the text, no word of it is known to stand for a file that a copy could replace. */
function codeOf({ class: { code = UNREAD_CODE }, onlyIn }: Command): CodeReport {
  return onlyIn === undefined ? code : { ...code, script: undefined };
}

function rootRefusal(shell: Shell): string {
  return `Root commands run in bash, and ${mayDiffer(shell)}. Write it in plain bash, as a separate command.`;
}

const MOST_OPEN = 6;

function openNotes({ open }: CodeReport): string[] {
  const texts = [...open].map((text) => text.slice(0, 80));
  const more = texts.length > MOST_OPEN ? [`${texts.length - MOST_OPEN} more`] : [];
  const named = [...texts.slice(0, MOST_OPEN), ...more].join(", ");
  return named === "" ? [] : [`Not fixed by this approval: ${named}: known only at run time.`];
}

/** The settings of its repositories, with those that take the place of programs among them. */
function settingsOf({ sendings }: CodeReport, { git }: Inspection) {
  const { settings = [], overrides = [] } = git ?? {};
  return {
    settings,
    overrides: [...overrides, ...programOverrides(settings)],
    aliases: sendings.flatMap(({ alias }) => (alias ? [alias.name] : [])),
  };
}

function isKnownPath(path: string): boolean {
  return path.startsWith("/") && !isUnknown(literalWord(path));
}

/** Code comes first, so that the limit on files never leaves it out for data. */
function rankOf({ kind, alsoMissing, isMentioned = false }: CodeUse): number {
  if (kind === "run") return 0;
  if (isMentioned) return 3;
  return alsoMissing ? 1 : 2;
}

interface Kept {
  readonly uses: readonly CodeUse[];
  readonly found: Found;
  readonly identity: "agent" | "root";
}

/** The paths that the command still names when it runs: no verified copy stands in their place. */
function keptPaths({ places, git }: CodeReport, { uses, found, identity }: Kept): Set<string> {
  const named = uses.filter(
    (use) => !found.copies.has(use) && (identity === "root" || !use.isMentioned),
  );
  return new Set([...places, ...git, ...named.flatMap(({ paths }) => paths)]);
}

interface Named {
  readonly uses: readonly CodeUse[];
  readonly code: CodeReport;
  readonly identity: "agent" | "root";
}

/** Whether a path that matters was not looked at: code, and for root everything that is named. */
function leavesOut(asked: readonly string[], { uses, code, identity }: Named): boolean {
  const isRoot = identity === "root";
  const needed = uses.filter(
    ({ kind, isMentioned, alsoMissing }) =>
      kind === "run" || (!isMentioned && (isRoot || alsoMissing)),
  );
  const paths = [...needed.flatMap((use) => use.paths), ...(isRoot ? code.places : [])];
  return paths.some((path) => !asked.includes(path));
}

function refusal(problem: string): string {
  return (
    `An approval cannot guarantee what root would run here: ${problem}. Create the file first, give it as a separate argument ` +
    "with a plain path, and run it as a separate command."
  );
}

/** Why root does not go on where the same command has just let the workload in. */
function refusedHandover({ handovers }: CodeReport, text: string): string | undefined {
  const used = handovers.usedAfter(text);
  return used === undefined
    ? undefined
    : `Root gives ${used.path} to the workspace and uses it afterwards (${used.segment.slice(0, 80)}): the workspace could ` +
        "change what lies there in between. Do that first, or as a separate command.";
}

const OPEN_DIRECTORY =
  "An approval cannot cover all files in a directory that root passes to a program.";

/** Why root does not hand a path of the workload on to a program that may run, obey or write it. */
function refusedPath({ unfixed, unknown }: Found): string | undefined {
  const [path] = unfixed;
  if (path !== undefined)
    return (
      `Root passes no path that the workspace could replace to a program that the guard does not know: ${path}. ` +
      "Give an existing file as a separate argument, which the program gets as a verified copy. Let root write to /root " +
      "or to standard output, and copy the result without sudo."
    );
  const [word] = unknown;
  return word === undefined
    ? undefined
    : `Root passes no file name that the workspace could create to a program that the guard does not know: ${word}. ` +
        "Run this program as a separate command without cd, so that root starts it in /.";
}

function readRefusal(why: string): string {
  return (
    `Root reads only files whose content the approval covers: ${why}. Create it first as a regular file of at most ` +
    `${DATA_LIMIT_BYTES / 1024 / 1024} MB with a path of its own, or do this part without sudo.`
  );
}

function leavingRefusal(how: string): string {
  return (
    `An approved command must keep its shell, directory and environment, so that it obeys only files on its card: ${how}. ` +
    "Ask again without that."
  );
}

const REPOSITORY_UNKNOWN =
  `The repository that git uses is known only at run time, or there are more than ${GIT_DIRECTORIES_LIMIT}. ` +
  "Name the directory with git -C DIRECTORY, as a separate command.";

const TOO_MANY_FILES =
  `More than ${CODE_FILES_LIMIT} files decide what this command does, which is the limit of one approval. ` +
  "Split it into several commands.";

function gitRefusal(key: string): string {
  return (
    `The repository's setting ${key.slice(0, 200)} makes git run a program that the card cannot show. ` +
    `Remove it (git config --unset-all '${key.slice(0, 200)}'), then ask again.`
  );
}

function codeNotes(
  { class: { unparsed } }: Command,
  code: CodeReport,
  { found, places }: { readonly found: Found; readonly places: readonly string[] },
): string[] {
  const { ran, maybeRan, maybeRanIn } = found;
  const named = distinct(ran).map(inWords);
  const others = distinct(maybeRan)
    .map(inWords)
    .filter((one) => !named.includes(one));
  const possible = [
    ...others,
    ...[...maybeRanIn].map((one) => `everything in ${one} at that time`),
  ];
  if (named.length + possible.length > 0)
    return [
      ...(named.length > 0 ? [`This runs code from the workspace: ${named.join(", ")}.`] : []),
      ...(possible.length > 0
        ? [`This may run code from the workspace: ${possible.join(", ")}.`]
        : []),
    ];
  const mayLoad = code.loadsCodeFromDirectory || unparsed !== undefined;
  const open = [...new Set(places)].filter(
    (place) => isWorkloadPath(place) && !/\/\.git$/.test(place),
  );
  return mayLoad && open.length > 0
    ? [`This runs code from the workspace: programs obey files in ${open.join(", ")}.`]
    : [];
}

function inWords({ path, sha256 }: CodeFile): string {
  return `${path} (sha256 ${sha256.slice(0, 12)})`;
}
