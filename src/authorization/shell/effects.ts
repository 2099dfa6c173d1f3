import type { Level } from "../../contract/permission/level.ts";
import type { ShellPlace } from "./command-class.ts";
import { absoluteShapes, coversAll, matchesPath, zoneOf } from "./paths.ts";
import { hasPattern, readable, UNKNOWN, UNKNOWN_WORDS, type Word } from "./word.ts";

interface Effect {
  readonly risk: Level;
  readonly why: string;
  /** It removes something of the workspace, which a checkpoint brings back. */
  readonly discards?: boolean;
}

/** Files that a shell, git, an editor or another tool obeys by itself, later: what they say runs without being judged. */
const OBEYED =
  /(?:^|\/)(?:\.bashrc|\.bash_profile|\.bash_login|\.bash_logout|\.bash_aliases|\.profile|\.zshrc|\.zshenv|\.zprofile|\.zlogin|\.zlogout|\.kshrc|\.xprofile|\.xinitrc|\.inputrc|\.gitconfig|\.envrc|\.mcp\.json|\.vimrc|\.exrc|\.gdbinit|\.lldbinit|\.screenrc|\.tmux\.conf|\.curlrc|\.wgetrc|\.pythonrc\.py|\.pdbrc|\.irbrc|\.Rprofile|sitecustomize\.py|usercustomize\.py)$|(?:^|\/)\.ssh(?:\/|$)|(?:^|\/)\.(?:vscode|idea|husky|cursor)(?:\/|$)|(?:^|\/)\.config\/(?:git|fish|systemd|autostart|nvim|environment\.d)(?:\/|$)|(?:^|\/)\.git(?:\/(?:[^/]+\/)*(?:hooks(?:\/|$)|(?:config|config\.worktree|commondir|gitdir|info\/attributes)$)|$)|(?:^|\/)(?:crontabs|cron\.d)\//;

/** What writing to an absolute path means; nothing for /dev/null and its like. */
export function judgeWrite(shape: string, place: ShellPlace): Effect | undefined {
  if (OBEYED.test(readable(shape)) || findsObeyed(shape) || isStartupFile(shape, place))
    return { risk: "click", why: "changes a file that shells or tools obey automatically" };
  switch (zoneOf(shape, place)) {
    case "stream":
      return undefined;
    case "network":
      return { risk: "click", why: "opens a network connection" };
    case "device":
      return { risk: "phrase", why: "writes to a device" };
    case "outside":
      return { risk: "click", why: `writes outside the workspace (${readable(shape)})` };
    case "unknown":
      return { risk: "free", why: "writes a file whose name is known only at run time" };
    case "workspace":
      return { risk: "free", why: "writes in the workspace" };
    case "home":
    case "temporary":
      return { risk: "free", why: "writes in the sandbox" };
  }
}

/** `~/.cshrc`, `~/.login`: a home directory's own settings are obeyed; a project has files of such names for its tools. */
function isStartupFile(shape: string, { homeDir }: ShellPlace): boolean {
  if (!shape.startsWith(`${homeDir}/.`)) return false;
  return /^[\w-]*(?:rc|profile|login|logout|shenv|_aliases)$/.test(shape.slice(homeDir.length + 2));
}

/** Some of the names above: a pattern that finds one of them is as good as the name. */
const OBEYED_NAMES = [
  ".git",
  "hooks",
  "config",
  ".bashrc",
  ".profile",
  ".zshrc",
  ".gitconfig",
  ".envrc",
];

/** `ho*ks/pre-commit`: a pattern finds the file if its names are put in the place of the pattern's. */
function findsObeyed(shape: string): boolean {
  if (!/[\ue002-\ue004]/.test(shape)) return false;
  const names = shape.split("/");
  const found = names.map(
    (name) => OBEYED_NAMES.find((one) => matchesPath(name, one)) ?? readable(name),
  );
  return OBEYED.test(found.join("/"));
}

/** What removing a path means, wherever the shell may stand. */
export function judgeDeletion(
  path: Word,
  { recursive }: { recursive: boolean },
  directories: readonly string[],
  place: ShellPlace,
): Effect {
  if (path.shape.includes(UNKNOWN_WORDS)) {
    const risk = recursive ? "phrase" : "click";
    return { risk, why: "removes a path that is known only at run time" };
  }
  const effects = absoluteShapes(path.shape, directories).map((shape) =>
    deletionOf(shape, recursive, place),
  );
  return (
    effects.find(({ risk }) => risk === "phrase") ??
    effects.find(({ risk }) => risk === "click") ??
    effects[0] ?? { risk: "free", why: "removes files" }
  );
}

function deletionOf(shape: string, recursive: boolean, place: ShellPlace): Effect {
  if (coversAll(shape, "/")) return { risk: "phrase", why: "removes everything in /" };
  const whole = [place.workspaceDir, place.homeDir, "/tmp"].find((root) => coversAll(shape, root));
  const zone = zoneOf(shape, place);
  if (zone === "outside" || zone === "device") {
    const why = `removes a path outside the workspace (${readable(shape)})`;
    const isBroad = recursive || zone === "device" || hasPattern({ text: shape, shape });
    return { risk: isBroad ? "phrase" : "click", why };
  }
  if (whole) return { risk: "click", why: `removes everything in ${whole}` };
  if (recursive && shape.startsWith(UNKNOWN))
    return { risk: "phrase", why: "removes directories that are known only at run time" };
  if (recursive && zone === "unknown")
    return { risk: "click", why: "removes directories that are known only at run time" };
  if (isHistory(shape, recursive)) return { risk: "click", why: "removes a repository's history" };
  return { risk: "free", why: "removes files in the sandbox", discards: zone === "workspace" };
}

function isHistory(shape: string, recursive: boolean): boolean {
  const path = readable(shape);
  return /\/\.git$/.test(path) || (recursive && /(?:^|\/)\.git(?:\/[^/]*)?$/.test(path));
}
