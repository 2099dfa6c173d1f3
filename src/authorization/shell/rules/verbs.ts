import { hasOption, operandsOf, takesNext, valuesOfOption } from "../options.ts";
import { type Inspector, type Rule, writesOutputs } from "../rule.ts";
import { readable, type Word } from "../word.ts";

/** A tool with subcommands: which only read, which publish or destroy; all others change things in the sandbox. */
export interface Verbs {
  readonly reads?: string;
  readonly asks?: string;
  /** Publish or unpublish: a phrase. */
  readonly publishes?: string;
  /** Start the program named by the words after them. */
  readonly runs?: string;
  /** Run a script of the project by its name. */
  readonly scripts?: string;
  readonly why: string;
  readonly valuedLong?: readonly string[];
  readonly valued?: string;
}

/** Names of project scripts that usually act on the world outside. */
export const OUTWARD =
  /deploy|publish|release|destroy|rollback|prod(?:uction)?\b|(?:^|[:_-])(?:push|ship|beta|testflight|go-?live|promote)(?:$|[:_-])/i;

/** Judges a call by its verb. */
export function verbs({
  reads = "",
  asks = "",
  publishes = "",
  runs = "",
  scripts = "",
  why,
  valuedLong = [],
  valued = "",
}: Verbs): Rule {
  const [reading, asking, running, scripting, publishing] = [
    reads,
    asks,
    runs,
    scripts,
    publishes,
  ].map((names) => new Set(names.split(" ").filter(Boolean)));
  return (call, inspect) => {
    const at = verbAt(call.args, valued, valuedLong);
    const verb = kebab(readable(call.args[at]?.shape ?? ""));
    if (at < 0 || reading?.has(verb)) return;
    inspect.notes(why);
    const rest = call.args.slice(at + 1);
    const isDryRun = call.args.some(({ shape }) => /^--dry-?run(?:=true)?$/.test(shape));
    const onlyLists = /^(?:ls|list|get)$/.test(rest[0]?.shape ?? "") && verb !== "token";
    if (asking?.has(verb) && !onlyLists)
      inspect.click(`${call.program} ${verb} acts outside the sandbox`);
    if (!isDryRun && mayMean(verb, publishing)) inspect.phrase(`${call.program} ${verb} publishes`);
    // `yarn workspace NAME publish`, `pnpm recursive publish`, `yarn npm publish`
    const nested =
      /^(?:workspaces?|recursive|multi|m|npm|foreach|release|hex|hex\.\w+|trunk|nuget|registry)$/.test(
        verb,
      );
    if (!isDryRun && nested && publishing?.size && rest.some(({ shape }) => PUBLISHING.test(shape)))
      inspect.phrase(`${call.program} publishes`);
    if (running?.has(verb)) startsProgram(rest, inspect);
    writesOutputs(rest, inspect);
    if (/^(?:install|i|add|ci|wheel|download)$/.test(verb) && rest.some(isArchiveAddress))
      inspect.click("installs a downloaded file");
    const [script] = operandsOf(rest);
    // `npm run env -- COMMAND` hands the words to env; `npm pkg set scripts.x=COMMAND` keeps them for later.
    if ((scripting?.has(verb) && script?.shape === "env") || verb === "pkg") inspect.mayRun(rest);
    if (
      scripting?.size &&
      /^(?:changeset|np|release-it|semantic-release|lerna|nx|gh-pages|vsce)$/.test(verb)
    )
      inspect.runs(call.args.slice(at));
    if (scripting?.has(verb) && script && OUTWARD.test(readable(script.shape)))
      inspect.click(`the script ${readable(script.shape)} probably acts outside the sandbox`);
    // `yarn deploy` is `yarn run deploy`.
    if (!isDryRun && scripting?.size && OUTWARD.test(verb))
      inspect.click(`the script ${verb} probably acts outside the sandbox`);
  };
}

/** A package from an address of its own, and not from a registry or a repository. */
function isArchiveAddress({ shape }: Word): boolean {
  return /^(?:[\w.-]+\s*@\s*)?(?:https?|ftp):\/\/\S+\.(?:tgz|tar\.\w+|zip|whl|gem|deb|rpm|crate)(?:[#?].*)?$/.test(
    readable(shape),
  );
}

const PUBLISHING = /^(?:publish|unpublish|upload|push)$/;

/** npm reads `distTag` as `dist-tag`. */
function kebab(verb: string): string {
  return verb
    .replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replace(/^un-publish$/, "unpublish");
}

/** A verb, or the beginning of one: several tools accept both. */
function mayMean(verb: string, verbs: ReadonlySet<string> | undefined): boolean {
  if (verb.length < 3) return false;
  return [...(verbs ?? [])].some((one) => one !== "" && one.startsWith(verb));
}

function verbAt(args: readonly Word[], valued: string, valuedLong: readonly string[]): number {
  for (let index = 0; index < args.length; index++) {
    const { shape } = args[index] as Word;
    if (shape.startsWith("+")) continue; // cargo +nightly
    if (!shape.startsWith("-")) return index;
    if (takesNext(shape, valued, valuedLong)) index++;
  }
  return -1;
}

/** `npx -y tool`, `poetry run tool`: what runs is a program of the project, or one that is fetched. */
export function startsProgram(words: readonly Word[], inspect: Inspector): void {
  const at = words.findIndex(({ shape }) => !shape.startsWith("-"));
  const texts = ["c", "call"].flatMap((name) =>
    valuesOfOption(words, name === "c" ? { short: "c" } : { long: "call" }),
  );
  if (hasOption(words.slice(0, at < 0 ? words.length : at), { short: "c", long: "call" })) {
    inspect.click("runs a text as a command");
    for (const text of texts) inspect.runsCode(text, "npx -c");
    return;
  }
  const first = words[at];
  if (first && /^(?:https?|git(?:\+\w+)?|github):/.test(first.shape))
    inspect.click("runs a downloaded file");
  // A package's program usually has the package's name, without its scope and version.
  const name = /^(?:@[\w.-]+\/)?([\w.-]+?)(?:@[\w.^~-]+)?$/.exec(first?.shape ?? "")?.[1];
  const scoped = first?.shape === "@changesets/cli" ? "changeset" : name;
  if (first && scoped) inspect.runs([{ text: first.text, shape: scoped }, ...words.slice(at + 1)]);
  else if (at >= 0) inspect.runs(words.slice(at));
}
