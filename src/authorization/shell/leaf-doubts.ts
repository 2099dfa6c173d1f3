import type { SyntaxNode } from "./syntax-node.ts";

export type Check = (node: SyntaxNode, source: string) => string | undefined;

/** Nodes whose inside is not made of words and blanks: looked at as a whole. */
export const UNDIVIDED = new Set([
  "string",
  "heredoc_body",
  "brace_expression",
  "raw_string",
  "ansi_c_string",
  "comment",
]);

export const OPERATOR = /^[;&|()<>]+$/;

/** What a plain word consists of, escapes included. A `$` is plain only where bash leaves it alone. */
const PLAIN_WORD = /^(?:\\[\s\S]|[^ \t\n;&|<>()$`"'\\]|\$(?![({A-Za-z_0-9@*#?!$'"[-]))+$/;
const PLAIN_PATTERN = /^(?:\\[^\n]|[^ \t\n;&<>`"'\\])+$/;
const SUBSTITUTION = /\$[({[]|`|[<>]\(/;

/** Whether bash would read this piece of the text as something else. */
export function doubtAboutLeaf(node: SyntaxNode, source: string): string | undefined {
  return (LEAVES[node.type] ?? doubtAboutToken)(node, source);
}

const doubtAboutPattern: Check = ({ text }) => {
  if (SUBSTITUTION.test(text)) return "a pattern with a substitution inside";
  return PLAIN_PATTERN.test(text) ? undefined : "a pattern that bash may not see as one";
};

const LEAVES: Readonly<Record<string, Check>> = {
  heredoc_body: () => undefined, // together with its delimiter, in doubtAboutHeredoc
  brace_expression: ({ text }) =>
    /^\{\w+\.\.\w+(?:\.\.\w+)?\}$/.test(text) ? undefined : "odd braces",
  raw_string: ({ text }) => (/^'[^']*'$/.test(text) ? undefined : "an odd quoted string"),
  ansi_c_string: ({ text }) =>
    /^\$'(?:[^'\\]|\\[\s\S])*'$/.test(text) ? undefined : "an odd quoted string",
  comment: (node, source) => {
    const before = source[node.start - 1] ?? "\n";
    const apart = /[ \t\n;&|()]/.test(before);
    return apart && !node.text.includes("\n")
      ? undefined
      : "a comment that bash may not see as one";
  },
  file_descriptor: ({ text }) =>
    /^\d+$/.test(text) ? undefined : "a word that looks like a descriptor",
  word: ({ text }) =>
    PLAIN_WORD.test(text) ? undefined : "a word that bash would split or expand",
  regex: doubtAboutPattern,
  extglob_pattern: doubtAboutPattern,
};

const KEYWORDS =
  /^(?:if|then|elif|else|fi|while|until|for|select|in|do|done|case|esac|function|\[\[|\]\])$/;

const doubtAboutToken: Check = (node, source) => {
  const { type, text, end } = node;
  // The grammar has a token that spans from one pair of backticks to the next, newline included.
  if (/`.|\S\s*\n\s*\S/.test(text)) return "a piece that bash would read as several";
  if (text === "$" && source[end] === '"') return "a text that bash may translate";
  return KEYWORDS.test(type) ? unlessAlone(node, source) : undefined;
};

/** Keywords are keywords only where they stand alone: `else"x"` is a program's name. */
export const unlessAlone: Check = ({ start, end }, source) => {
  const [before, after] = [source[start - 1] ?? "\n", source[end] ?? "\n"];
  const alone = /[\s;&|()<>`]/.test(before) && /[\s;&|()<>`]/.test(after);
  return alone ? undefined : "a keyword that bash may not see as one";
};

const PATTERNS = new Set(["regex", "extglob_pattern"]);

/** Not a word like any other: only `[[` and `case` know patterns with `(` and `|`. */
export function isWidePattern({ type, text }: SyntaxNode): boolean {
  return PATTERNS.has(type) && !PLAIN_WORD.test(text);
}
