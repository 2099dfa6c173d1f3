import { type Check, isWidePattern, OPERATOR, UNDIVIDED, unlessAlone } from "./leaf-doubts.ts";
import { hasNewline } from "./newlines.ts";
import type { SyntaxNode } from "./syntax-node.ts";

/** Nodes with rules of their own, after their parts were looked at. */
export const NODE_DOUBTS: Readonly<Record<string, Check>> = {
  test_command: doubtAboutTest,
  command: (node) => unlessWordsStandApart(node) ?? unlessPatternsAreWords(node),
  declaration_command: unlessWordsStandApart,
  concatenation: unlessContiguous,
  variable_assignment: (node, source) =>
    isInLoopHead(node, source) ? undefined : unlessContiguous(node),
  simple_expansion: unlessContiguous,
  expansion: ({ text }) =>
    PLAIN_EXPANSION.test(text) || NAMES.test(text)
      ? undefined
      : "an expansion with more than plain text inside",
  file_redirect: (node) => unlessWordsStandApart(node) ?? doubtAboutRedirection(node),
  arithmetic_expansion: doubtAboutArithmetic,
  command_substitution: doubtAboutBackticks,
  negated_command: ({ text }) => (/^!\s/.test(text) ? undefined : "a word that only begins with !"),
  compound_statement: doubtAboutGroup,
};

/**
 * `${name}` with what is usual behind the name. Not what assigns (`=`), what looks up another name (`${!x}`) and
 * what computes: offsets and subscripts that are more than a number run what their variables hold.
 */
const PLAIN_EXPANSION =
  /^\s*\$\{#?(?:[A-Za-z_]\w*|\d+|[@*#?])(?:\[(?:\d+|[@*])\])?(?:(?::?[-+?]|##?|%%?|\/[/#%]?)(?:[\w ./:*?@%+,=^~-]|\$[A-Za-z_]\w*)*|\^\^?|,,?|:(?: *\d+| +-\d+)(?:: *-?\d+)?|@[A-Za-z])?\}$/;

/** The keys of an array, or the names that begin alike. */
const NAMES = /^\s*\$\{![A-Za-z_]\w*(?:\[[@*]\]|[@*])\}$/;

/** Bash can read it in one way only, whatever the tree says about its inside. */
export function isPlainExpansion({ type, text }: SyntaxNode): boolean {
  return type === "expansion" && isOrdinaryExpansion(text);
}

export function isOrdinaryExpansion(text: string): boolean {
  const isAlone = text.indexOf("$") === text.lastIndexOf("$");
  return isAlone && (PLAIN_EXPANSION.test(text) || NAMES.test(text));
}

/** Bash ends them at the next backtick, also inside quotes, and joins lines inside single quotes. */
function doubtAboutBackticks({ text }: SyntaxNode): string | undefined {
  if (!/^\s*`/.test(text)) return undefined;
  if (!/^`(?:[^`\\]|\\[\s\S])*`$/.test(text.trim()))
    return "backticks that end earlier than they seem";
  return /\\\n/.test(text) ? "a line that is continued inside backticks" : undefined;
}

/** `{` and `}` are keywords, too; `((` is arithmetic. */
function doubtAboutGroup(node: SyntaxNode, source: string): string | undefined {
  if (node.text.startsWith("((")) return doubtAboutArithmetic(node);
  const braces = node.children.filter(({ type }) => type === "{" || type === "}");
  return braces.map((brace) => unlessAlone(brace, source)).find((doubt) => doubt !== undefined);
}

/** `y=$ x` is an assignment and a command; the grammar sees `$x`. */
function unlessContiguous({ children }: SyntaxNode): string | undefined {
  const apart = children.some(
    (child, index) => (children[index - 1]?.end ?? child.start) < child.start,
  );
  return apart ? "a word that bash would split" : undefined;
}

/** `for (( i = 0; …`: there blanks do not end anything, as long as nothing in it could end the parentheses earlier. */
function isInLoopHead({ start, end }: SyntaxNode, source: string): boolean {
  const before = /\bfor[ \t]*\(\(([^()]*)$/.exec(
    source.slice(Math.max(0, start - 200), start),
  )?.[1];
  const after = /^([^()]*)\)\)/.exec(source.slice(end, end + 200))?.[1];
  const head = `${before ?? "`"}${source.slice(start, end)}${after ?? "`"}`;
  return /^[\w\s$+*/%<>=!&|?:,.~^;-]*$/.test(head);
}

const ENDS_WORD = new Set(["variable_assignment", "redirect", "destination"]);

/** `y=$x\\p1` and the target of `<a`ls`` are each one word. */
function unlessWordsStandApart({ children }: SyntaxNode): string | undefined {
  const touching = children.some((child, index) => {
    const before = children[index - 1];
    const ends = before && ENDS_WORD.has(before.field ?? before.type);
    return ends && before.end === child.start && !/^&?[<>]/.test(child.text);
  });
  return touching ? "a word that the parser has split" : undefined;
}

/** To bash `>&-` has no target: what stands behind it, also without a blank, is an argument. */
function doubtAboutRedirection({ children }: SyntaxNode): string | undefined {
  const at = children.findIndex(({ type }) => /[<>]&/.test(type));
  const target = children[at + 1];
  if (at < 0 || !target) return undefined;
  const isClosed = children[at]?.type.endsWith("-") || /^-./.test(target.text);
  return isClosed ? "an argument that looks like a redirection's target" : undefined;
}

/** Behind `==` the grammar may take all that follows for one pattern, also where the command is no `[[`. */
function unlessPatternsAreWords({ children }: SyntaxNode): string | undefined {
  return children.some(isWidePattern) ? "a pattern that bash may not see as one" : undefined;
}

/**
 * Where `((` ends bash decides by counting parentheses; if that does not make arithmetic, all of it is commands. So a
 * substitution inside must be simple enough to be counted in one way only.
 */
function doubtAboutArithmetic({ text }: SyntaxNode): string | undefined {
  if (!/\$\(|`/.test(text.slice(3))) return undefined;
  // Quotes around names and `${#…}` hold no parenthesis, whoever counts.
  const counted = text
    .replaceAll(/(["'])[\w $./{}:@%+=,-]*\1/g, "q")
    .replaceAll(/\$\{#?\w+(?:\[[@*]\])?\}/g, "v");
  const plain =
    /^[\w\s$(){}+*/%<>=!&|?:,.~^;[\]-]*$/.test(counted) && !/\bcase\b|<<|\n/.test(counted);
  const balanced = counted.split("(").length === counted.split(")").length;
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
  const { type, text, children } = node;
  if (UNDIVIDED.has(type) || EXPANSIONS.has(type) || type === "process_substitution") return false;
  if (children.length > 0) return children.some(hasOperator);
  return OPERATOR.test(text) || isWidePattern(node);
}

export const EXPANSIONS = new Set([
  "simple_expansion",
  "expansion",
  "command_substitution",
  "arithmetic_expansion",
]);

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

/** Two commands need something between them, and a loop's words end with their line. */
export function doubtAboutBorders(node: SyntaxNode, source: string): string | undefined {
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
