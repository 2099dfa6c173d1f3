import { hasNewline } from "./newlines.ts";
import type { SyntaxNode } from "./syntax-node.ts";

/**
 * The grammar is good but it is not bash. This compares the tree with the text by rules that do not depend on
 * the grammar: between two leaves there is nothing but blanks, a plain word holds nothing that bash would treat
 * as special, a string hides no substitution, a here-document ends where bash ends it. Gives the first doubt.
 */
export function doubtAbout(root: SyntaxNode, source: string): string | undefined {
  const state: State = { source, position: 0, wordBefore: false };
  const doubt = checkNode(root, state);
  if (doubt) return doubt;
  return BLANKS.test(source.slice(state.position)) ? undefined : "text after its end";
}

interface State {
  readonly source: string;
  /** How far the leaves have covered the text. */
  position: number;
  wordBefore: boolean;
}

const BLANKS = /^(?:[ \t\n]|\\\n)*$/;
/** What a plain word consists of, escapes included. A `$` is plain only where bash leaves it alone. */
const PLAIN_WORD = /^(?:\\[\s\S]|[^ \t\n;&|<>()$`"'\\]|\$(?![({A-Za-z_0-9@*#?!$'"[-]))+$/;
const SUBSTITUTION = /\$[({[]|`|[<>]\(/;
const OPERATOR = /^[;&|()<>]+$/;

function checkNode(node: SyntaxNode, state: State): string | undefined {
  const opaque = OPAQUE[node.type];
  if (!opaque && node.children.length > 0) {
    for (const child of node.children) {
      const doubt = checkNode(child, state);
      if (doubt) return doubt;
    }
    return DOUBTS[node.type]?.(node, state.source) ?? doubtAboutBorders(node, state.source);
  }
  if (node.start === node.end) return undefined;
  const gap = doubtAboutGap(node, state);
  if (gap) return gap;
  state.position = node.end;
  state.wordBefore = !OPERATOR.test(node.text);
  return (opaque ?? LEAVES[node.type] ?? doubtAboutToken)(node, state.source);
}

function doubtAboutGap(node: SyntaxNode, state: State): string | undefined {
  if (node.start < state.position) return "two parts of it overlap";
  const gap = state.source.slice(state.position, node.start);
  // The grammar loses a lone `-` before a here-document. It means "the input" to those who read one anyway.
  const dash = node.type.startsWith("<<") && /^[ \t]+-[ \t]+$/.test(gap);
  if (!dash && !BLANKS.test(gap)) return "the parser skipped some of its text";
  // Bash takes `\` and newline away before it reads words: `su\<newline>do` is one word.
  const joins = gap.includes("\\\n") && !/[ \t]|(?<!\\)\n/.test(gap);
  if (joins && state.wordBefore && !OPERATOR.test(node.text))
    return "a word that is continued on the next line";
  return undefined;
}

const BLOCKS = new Set([
  "program",
  "compound_statement",
  "do_group",
  "subshell",
  "command_substitution",
  "else_clause",
  "case_item",
]);
const STATEMENTS =
  /^(?:command|pipeline|list|redirected_statement|variable_assignments?|declaration_command|unset_command|negated_command|test_command|subshell|compound_statement|function_definition|\w+_statement)$/;

/** Nodes with rules of their own, after their parts were looked at. */
const DOUBTS: Readonly<Record<string, Check>> = {
  heredoc_redirect: doubtAboutHeredoc,
  test_command: doubtAboutTest,
  command: unlessAssignmentsStandApart,
  declaration_command: unlessAssignmentsStandApart,
  concatenation: unlessContiguous,
  variable_assignment: unlessContiguous,
  simple_expansion: unlessContiguous,
  arithmetic_expansion: doubtAboutArithmetic,
  negated_command: ({ text }) => (/^!\s/.test(text) ? undefined : "a word that only begins with !"),
  compound_statement: (node) =>
    node.text.startsWith("((") ? doubtAboutArithmetic(node) : undefined,
};

/** `y=$ x` is an assignment and a command; the grammar sees `$x`. */
function unlessContiguous({ children }: SyntaxNode): string | undefined {
  const apart = children.some(
    (child, index) => (children[index - 1]?.end ?? child.start) < child.start,
  );
  return apart ? "a word that bash would split" : undefined;
}

/** `y=$x\\p1` is one word. */
function unlessAssignmentsStandApart({ children }: SyntaxNode): string | undefined {
  const touching = children.some((child, index) => {
    const before = children[index - 1];
    return before?.type === "variable_assignment" && before.end === child.start;
  });
  return touching ? "a word that the parser has split" : undefined;
}

/**
 * Where `((` ends bash decides by counting parentheses; if that does not make arithmetic, all of it is commands. So a
 * substitution inside must be simple enough to be counted in one way only.
 */
function doubtAboutArithmetic({ text }: SyntaxNode): string | undefined {
  if (!/\$\(|`/.test(text.slice(3))) return undefined;
  const plain = /^[\w\s$(){}+*/%<>=!&|?:,.~^;[\]-]*$/.test(text) && !/\bcase\b|<<|\n/.test(text);
  const balanced = text.split("(").length === text.split(")").length;
  return plain && balanced ? undefined : "arithmetic that bash may not see as such";
}

/** `[[` and `[` are words of their own, and for `[` everything inside is words, too: `[ a | b ]` is a pipeline. */
function doubtAboutTest(node: SyntaxNode): string | undefined {
  const [first, second] = node.children;
  const apart = first && second && first.end < second.start;
  const closed = (node.children.at(-2)?.end ?? 0) < (node.children.at(-1)?.start ?? 0);
  if (first?.type === "((") return undefined;
  if (!apart || !closed) return "a test that bash may not see as one";
  return first.type === "[" && hasOperator(node)
    ? "a test that bash may not see as one"
    : undefined;
}

function hasOperator(node: SyntaxNode): boolean {
  if (OPAQUE[node.type] || EXPANSIONS.has(node.type) || node.type === "process_substitution")
    return false;
  return node.children.length === 0 ? OPERATOR.test(node.text) : node.children.some(hasOperator);
}

function doubtAboutBorders(node: SyntaxNode, source: string): string | undefined {
  const block = BLOCKS.has(node.type);
  const loop = node.type === "for_statement";
  if (!block && !loop) return undefined;
  for (const [index, child] of node.children.entries()) {
    const before = node.children[index - 1];
    const newline = hasNewline(source.slice(before?.end ?? child.start, child.start));
    if (loop && newline && child.field === "value") return "a loop that ends earlier than it seems";
    if (block && !newline && STATEMENTS.test(before?.type ?? "") && STATEMENTS.test(child.type))
      return "two commands with nothing between them";
  }
  return undefined;
}

type Check = (node: SyntaxNode, source: string) => string | undefined;

/** Nodes whose inside is not made of words and blanks: looked at as a whole. */
const OPAQUE: Readonly<Record<string, Check>> = {
  string: (node) => doubtAboutQuoted(node, node.text.slice(1, -1), node.start + 1, /["]/),
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
};

const noSubstitution: Check = ({ text }) =>
  SUBSTITUTION.test(text) ? "a pattern with a substitution inside" : undefined;

const KEYWORDS =
  /^(?:if|then|elif|else|fi|while|until|for|select|in|do|done|case|esac|function|\{|\}|\[\[|\]\])$/;

/** Keywords are keywords only where they stand alone: `else"x"` is a program's name. */
const doubtAboutToken: Check = (node, source) => {
  const { type, text, start, end } = node;
  // The grammar has a token that spans from one pair of backticks to the next, newline included.
  if (/`.|\S\s*\n\s*\S/.test(text)) return "a piece that bash would read as several";
  const [before, after] = [source[start - 1] ?? "\n", source[end] ?? "\n"];
  const alone = /[\s;&|()<>`]/.test(before) && /[\s;&|()<>`]/.test(after);
  return KEYWORDS.test(type) && !alone ? "a keyword that bash may not see as one" : undefined;
};

const LEAVES: Readonly<Record<string, Check>> = {
  word: ({ text }) =>
    PLAIN_WORD.test(text) ? undefined : "a word that bash would split or expand",
  regex: noSubstitution,
  extglob_pattern: noSubstitution,
};

/** Inside double quotes and here-documents: every substitution must be a node of its own. */
function doubtAboutQuoted(
  node: SyntaxNode,
  inside: string,
  insideStart: number,
  forbidden?: RegExp,
): string | undefined {
  let rest = inside;
  for (const child of node.children) {
    if (!EXPANSIONS.has(child.type)) continue;
    const from = child.start - insideStart;
    rest =
      rest.slice(0, from) +
      " ".repeat(child.end - child.start) +
      rest.slice(child.end - insideStart);
  }
  const plain = rest.replaceAll(/\\[\s\S]/g, "  ");
  if (/\$[({[]|`|\$[A-Za-z_0-9@*#?!$-]/.test(plain))
    return "a substitution that the parser did not see";
  if (forbidden?.test(plain)) return "a quote inside a quoted string";
  return doubtInChildren(node);
}

const EXPANSIONS = new Set([
  "simple_expansion",
  "expansion",
  "command_substitution",
  "arithmetic_expansion",
]);

function doubtInChildren(node: SyntaxNode): string | undefined {
  for (const child of node.children) {
    if (!EXPANSIONS.has(child.type)) continue;
    const doubt = doubtAbout(rebased(child, child.start), child.text);
    // An expansion inside a string brings the blanks before it along: `" ${x}"`.
    if (doubt) return doubt;
  }
  return undefined;
}

/** The same node as if its text were the whole source. */
function rebased(node: SyntaxNode, by: number): SyntaxNode {
  return {
    ...node,
    start: node.start - by,
    end: node.end - by,
    children: node.children.map((child) => rebased(child, by)),
  };
}

function doubtAboutHeredoc(node: SyntaxNode, source: string): string | undefined {
  const part = (type: string) => node.children.find((child) => child.type === type);
  const [start, body, end] = [part("heredoc_start"), part("heredoc_body"), part("heredoc_end")];
  if (!start || !end) return "a here-document without an end";
  if (/[$`]/.test(start.text)) return "a here-document with a computed delimiter";
  const delimiter = start.text.replaceAll(/["'\\]/g, "");
  const tabs = node.children[0]?.type === "<<-";
  const lineOf = (line: string) => (tabs ? line.replace(/^\t+/, "") : line);
  const bodyText = body?.text ?? "";
  const endLineStart = source.lastIndexOf("\n", end.start - 1) + 1;
  const ended = lineOf(source.slice(endLineStart, end.end)) === delimiter;
  const after = source[end.end];
  if (!ended || (after !== undefined && after !== "\n")) return "a here-document with an odd end";
  if (
    bodyText
      .split("\n")
      .slice(0, -1)
      .some((line) => lineOf(line) === delimiter)
  )
    return "a here-document that ends earlier than it seems";
  const quoted = delimiter !== start.text;
  return !body || quoted ? undefined : doubtAboutQuoted(body, bodyText, body.start);
}
