import type { Inspection } from "../../../src/contract/workspace/approved-run.ts";
import { overridesFor } from "../build/git/safe-environment.ts";
import { digestOfRepository, repositoryAt, type Supervised } from "./git/repository.ts";

/** Values of these keys are programs as well, for commands that the server itself never runs. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/^merge\..*\.driver$/s, "false"],
  [/^credential\..*\.helper$/s, ""],
  [/^pager\./s, "false"],
  [/^submodule\..*\.update$/s, "checkout"],
  [/^(?:diff|merge)tool\..*\.(?:cmd|path)$/s, "false"],
  [/^trailer\..*\.(?:command|cmd)$/s, "false"],
  [/^(?:browser|man)\..*\.(?:cmd|path)$/s, "false"],
  [/^sequence\.editor$/s, "true"],
  [/^uploadpack\.packobjectshook$/s, ""],
  [/^tar\..*\.command$/s, "false"],
  [/^sendemail\./s, ""],
];

/** Git takes the first value of these, so none that comes later replaces it; an include may set anything. */
const NOT_REPLACEABLE =
  /^(?:remote\..*\.(?:receivepack|uploadpack|vcs)|core\.gitproxy|include\.path|includeif\..*)$/s;

/** The settings of the repositories that git uses in these directories; null without one. */
export async function gitSettings(
  server: Supervised,
  directories: readonly string[],
): Promise<Inspection["git"]> {
  const repositories: NonNullable<Inspection["git"]>["repositories"] = [];
  const settings: [string, string][] = [];
  for (const directory of directories) {
    const found = await repositoryAt(server, directory);
    if (!found) continue;
    const { gitDir, commonDir, topLevel } = found;
    const places = [gitDir, commonDir, ...(topLevel === undefined ? [] : [topLevel])];
    repositories.push({ directory, sha256: digestOfRepository(found), places });
    for (const [key, value] of found.settings) settings.push([utf8(key), utf8(value ?? "")]);
  }
  if (repositories.length === 0) return null;
  const programs = settings.flatMap(([key]) =>
    PROGRAMS.filter(([pattern]) => pattern.test(key)).map(([, value]): [string, string] => [
      key,
      value,
    ]),
  );
  // A name that is not UTF-8 cannot be written into an environment here, and so not be replaced.
  const broken = programs.filter(([key]) => key.includes("\ufffd"));
  const obeyed = [...settings.filter(([key]) => NOT_REPLACEABLE.test(key)), ...broken];
  const overrides = [...overridesFor(new Map(settings)), ...programs];
  return { repositories, settings, overrides, obeyed: obeyed.map(([key]) => key) };
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}
