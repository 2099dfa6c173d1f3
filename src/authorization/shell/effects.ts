import type { Risk, ShellPlace } from "./command-class.ts";
import { absoluteShapes, coversAll, isBelow, knownPrefix, zoneOf } from "./paths.ts";
import { readable, UNKNOWN, UNKNOWN_WORDS, type Word } from "./word.ts";

interface Effect {
  readonly risk: Risk;
  readonly why: string;
}

/** Files that a shell, git or another tool obeys by itself, later: what they say runs without being judged. */
const OBEYED =
  /(?:^|\/)(?:\.bashrc|\.bash_profile|\.bash_login|\.bash_logout|\.bash_aliases|\.profile|\.zshrc|\.zshenv|\.zprofile|\.inputrc|\.gitconfig|\.envrc|\.mcp\.json|\.vimrc|\.exrc|\.gdbinit)$|(?:^|\/)\.ssh(?:\/|$)|(?:^|\/)\.config\/git\/|(?:^|\/)\.git\/(?:hooks(?:\/|$)|(?:config|config\.worktree|commondir|gitdir|info\/attributes)$)/;

/** What writing to an absolute path means; nothing for /dev/null and its like. */
export function judgeWrite(shape: string, place: ShellPlace): Effect | undefined {
  if (OBEYED.test(readable(shape)))
    return { risk: "high", why: "changes a file that shells or tools obey by themselves" };
  switch (zoneOf(shape, place)) {
    case "stream":
      return undefined;
    case "network":
      return { risk: "high", why: "opens a network connection" };
    case "device":
      return { risk: "high", why: "writes to a device" };
    case "outside":
      return { risk: "high", why: `writes outside the workspace (${readable(shape)})` };
    case "unknown":
      return { risk: "medium", why: "writes a file whose name is only known when it runs" };
    case "workspace":
      return { risk: "medium", why: "writes in the workspace" };
    case "home":
    case "temporary":
      return { risk: "medium", why: "writes in the sandbox" };
  }
}

/** What removing a path means, wherever the shell may stand. */
export function judgeDeletion(
  path: Word,
  { recursive }: { recursive: boolean },
  directories: readonly string[],
  place: ShellPlace,
): Effect {
  if (path.shape.includes(UNKNOWN_WORDS))
    return { risk: "high", why: "removes what is only known when it runs" };
  const effects = absoluteShapes(path.shape, directories).map((shape) =>
    deletionOf(shape, recursive, place),
  );
  return (
    effects.find(({ risk }) => risk === "high") ??
    effects[0] ?? { risk: "medium", why: "removes files" }
  );
}

function deletionOf(shape: string, recursive: boolean, place: ShellPlace): Effect {
  const whole = [place.workspaceDir, place.homeDir, "/tmp", "/"].find((root) =>
    coversAll(shape, root),
  );
  if (whole) return { risk: "high", why: `removes everything in ${whole}` };
  const zone = zoneOf(shape, place);
  if (zone === "outside" || zone === "device")
    return { risk: "high", why: `removes what is outside the workspace (${readable(shape)})` };
  if (recursive && isWide(shape, place))
    return { risk: "high", why: "removes directories that are only known when it runs" };
  if (recursive && /(?:^|\/)\.git(?:\/[^/]*)?$/.test(readable(shape)))
    return { risk: "high", why: "removes a repository's history" };
  if (/\/\.git$/.test(readable(shape)))
    return { risk: "high", why: "removes a repository's history" };
  return { risk: "medium", why: "removes files in the sandbox" };
}

/** `$x`, `/workspace/$x` or `$x/build`: with an empty or hostile value that is everything. */
function isWide(shape: string, place: ShellPlace): boolean {
  if (!shape.includes(UNKNOWN)) return false;
  if (shape.startsWith(UNKNOWN)) return true;
  const prefix = knownPrefix(shape);
  const roots = [place.workspaceDir, place.homeDir];
  return (
    roots.some((root) => isBelow(root, prefix)) &&
    shape.slice(prefix.length + 1).startsWith(UNKNOWN)
  );
}
