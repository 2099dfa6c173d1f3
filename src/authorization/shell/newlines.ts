import type { SyntaxNode } from "./syntax-node.ts";

/** To bash a newline inside these ends the command. */
const ON_ONE_LINE = new Set([
  "command",
  "concatenation",
  "declaration_command",
  "file_redirect",
  "herestring_redirect",
  "list",
  "negated_command",
  "pipeline",
  "redirected_statement",
  "unset_command",
  "variable_assignment",
  "variable_assignments",
]);

export interface Place {
  readonly start: number;
  readonly end: number;
}

/**
 * Where the grammar has taken the end of a line for a blank, and made one command of two: it does so after a
 * pipeline of three when a redirection follows later. Gives the first such place: the newline, with the comment
 * before it if there is one.
 */
export function swallowedNewline(
  node: SyntaxNode,
  source: string,
  insideTest = false,
): Place | undefined {
  const words = insideTest && !SUBSTITUTIONS.has(node.type);
  const test = words || (node.type === "test_command" && /^\[[^[]/.test(node.text));
  const oneLine = test || ON_ONE_LINE.has(node.type);
  let before: SyntaxNode | undefined;
  for (const child of node.children) {
    const gap = before && oneLine ? source.slice(before.end, child.start) : "";
    // After `|` and `&&` a command may go on in the next line.
    if (before && hasNewline(gap) && !/^[|&]+$/.test(before.type))
      return {
        start: before.type === "comment" ? before.start : before.end + gap.search(NEWLINE),
        end: before.end + gap.search(NEWLINE) + 1,
      };
    before = child;
    const inside = swallowedNewline(child, source, test);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** Nodes in which a new command line begins, or in which newlines are text. */
const SUBSTITUTIONS = new Set(["command_substitution", "process_substitution", "string"]);

/** The end of a line to bash: not one behind a backslash. */
export const NEWLINE = /(?<!\\)\n/;

/** What bash makes of a text in which backslashes escape. Behind two of them a newline stays. */
export function joinLines(text: string): string {
  return text.replaceAll(/(?<!\\)((?:\\\\)*)\\\n/g, "$1");
}

export function hasNewline(gap: string): boolean {
  return gap.includes("\n") && NEWLINE.test(gap);
}
