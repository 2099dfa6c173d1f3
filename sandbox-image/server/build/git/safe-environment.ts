import { dirname } from "node:path";
import { ToolError } from "../../../../src/contract/tools/operation.ts";
import type { ServerSettings } from "../../settings.ts";

export type Environment = Readonly<Record<string, string>>;

/** Settings by key; of one that was given several times, the last. */
export type GitConfig = ReadonlyMap<string, string>;

/**
 * A repository's own settings can name programs for git to run. These take their place; what has a name of its own in
 * the key, such as a filter, is added by `overridesFor`. They travel in the environment and not as `-c key=value`: a
 * key may itself contain `=`.
 */
export const SAFE_CONFIG: Environment = {
  "commit.gpgSign": "false",
  "core.alternateRefsCommand": "false",
  "core.askPass": "",
  "core.editor": ":",
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.pager": "cat",
  "core.sshCommand": "false",
  "credential.helper": "",
  "diff.external": "",
  "diff.ignoreSubmodules": "dirty",
  "gc.auto": "0",
  "gpg.program": "false",
  "i18n.commitEncoding": "UTF-8",
  "maintenance.auto": "false",
  "protocol.allow": "never",
  // It resolves conflicts again with the repository's merge drivers.
  "rerere.enabled": "false",
  // A directory of plain files can look like a bare repository and bring its settings along.
  "safe.bareRepository": "explicit",
  "status.renames": "copies",
  "status.submoduleSummary": "false",
  "submodule.recurse": "false",
};

/** Whatever these keys hold is a command line. `hook.*` is of newer gits than the image's. */
const RUNS_PROGRAMS: readonly (readonly [RegExp, (key: string) => readonly [string, string]])[] = [
  [/^filter\..*\.(clean|smudge|process)$/s, (key) => [key, ""]],
  [/^filter\..*\.required$/s, (key) => [key, "false"]],
  [/^diff\..*\.(textconv|command)$/s, (key) => [key, ""]],
  [/^gpg\..*\.program$/s, (key) => [key, "false"]],
  [/^hook\..*\.command$/s, (key) => [key.replace(/command$/, "enabled"), "false"]],
];
const OVERRIDES_LIMIT_CHARS = 32 * 1024;

/** What takes away the programs that these settings name. */
export function overridesFor(config: GitConfig): Map<string, string> {
  const overrides = new Map<string, string>();
  for (const key of config.keys()) {
    for (const [pattern, replace] of RUNS_PROGRAMS) {
      if (pattern.test(key)) overrides.set(...replace(key));
    }
  }
  const keys = [...overrides.keys()].join("");
  // A name that is not UTF-8 cannot be written into an environment here, and so not be overridden.
  if (keys.length <= OVERRIDES_LIMIT_CHARS && !keys.includes("\ufffd")) return overrides;
  throw new ToolError(
    "executionFailed",
    "The repository's settings name too many filters and programs, or ones with invalid names. " +
      "Look at .git/config.",
  );
}

/** Names of the filters that the settings define, e.g. lfs. */
export function filtersIn(config: GitConfig): string[] {
  const names = [...config.keys()].map((key) => /^filter\.(.*)\.(clean|process)$/s.exec(key)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** The environment of every git that the server runs: no prompt, no network, no program of the repository. */
export function safeEnvironment(
  settings: ServerSettings,
  more: ReadonlyMap<string, string> = new Map(),
): Environment {
  return {
    ...settings.childEnv,
    LC_ALL: "C",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_ASKPASS: "false",
    GIT_ATTR_NOSYSTEM: "1",
    // A repository around the workspace is none of ours.
    GIT_CEILING_DIRECTORIES: dirname(settings.workspaceDir),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_EDITOR: ":",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    GIT_SSH_COMMAND: "false",
    GIT_TERMINAL_PROMPT: "0",
    ...gitConfigVariables([...Object.entries(SAFE_CONFIG), ...more]),
  };
}

export function gitConfigVariables(pairs: readonly (readonly [string, string])[]): Environment {
  const variables = pairs.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: `${pairs.length}`, ...Object.fromEntries(variables) };
}
