/**
 * Whether a path matches a pattern of the policy. Both are absolute. `*` and `?` stay within a name, `**` does not,
 * `{a,b}` is either; dots are nothing special, and capitals matter. A pattern that ends in `/**` means the directory, too.
 */
export function matchesPath(pattern: string, path: string): boolean {
  return expressionOf(pattern).test(path);
}

/** Patterns that name no place are meant at any depth of the workspace. */
export function absolutePattern(pattern: string, workspaceDir: string): string {
  if (pattern.startsWith("/") || pattern.startsWith("**")) return pattern;
  return `${workspaceDir}/${pattern}`;
}

function expressionOf(pattern: string): RegExp {
  const body = pattern
    .replace(/\/\*\*$/, "\0tree\0")
    .split(/(\0tree\0|\*\*\/|\*\*|\*|\?|\{[^{}]*\})/)
    .map(translate)
    .join("");
  return new RegExp(`^${body}$`, "s");
}

function translate(piece: string): string {
  switch (piece) {
    case "\0tree\0":
      return "(/.*)?";
    case "**/":
      return "(.*/)?";
    case "**":
      return ".*";
    case "*":
      return "[^/]*";
    case "?":
      return "[^/]";
    default:
      return piece.startsWith("{") && piece.endsWith("}")
        ? alternatives(piece)
        : RegExp.escape(piece);
  }
}

function alternatives(piece: string): string {
  const options = piece.slice(1, -1).split(",").map(translateInner);
  return `(${options.join("|")})`;
}

function translateInner(option: string): string {
  return option
    .split(/(\*|\?)/)
    .map(translate)
    .join("");
}
