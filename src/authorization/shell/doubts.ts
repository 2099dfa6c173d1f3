import { doubtAboutExtent, isVerbatim } from "./here-documents.ts";
import { type Check, doubtAboutLeaf, OPERATOR, UNDIVIDED } from "./leaf-doubts.ts";
import { hasNewline } from "./newlines.ts";
import { doubtAboutBorders, EXPANSIONS, isPlainExpansion, NODE_DOUBTS } from "./node-doubts.ts";
import type { SyntaxNode } from "./syntax-node.ts";

/**
 * The grammar is good but it is not bash. This compares the tree with the text by rules that do not depend on
 * the grammar: between two leaves there is nothing but blanks, a plain word holds nothing that bash would treat
 * as special, a string hides no substitution, a here-document ends where bash ends it. Gives the first doubt.
 */
export function doubtAbout(root: SyntaxNode, source: string): string | undefined {
  const state: State = { source, position: 0, before: undefined };
  const doubt = checkNode(root, state);
  if (doubt) return doubt;
  return BLANKS.test(source.slice(state.position)) ? undefined : "text after its end";
}

interface State {
  readonly source: string;
  /** How far the leaves have covered the text. */
  position: number;
  /** The last one of them. */
  before: SyntaxNode | undefined;
}

const BLANKS = /^(?:[ \t\n]|\\\n)*$/;

/** What holds substitutions inside quotes leads back to here. */
const DOUBTS: Readonly<Record<string, Check>> = {
  ...NODE_DOUBTS,
  heredoc_redirect: doubtAboutHeredoc,
};

function checkNode(node: SyntaxNode, state: State): string | undefined {
  const { source } = state;
  const isWhole = UNDIVIDED.has(node.type) || isPlainExpansion(node);
  if (!isWhole && node.children.length > 0) {
    for (const child of node.children) {
      const doubt = checkNode(child, state);
      if (doubt) return doubt;
    }
    return DOUBTS[node.type]?.(node, source) ?? doubtAboutBorders(node, source);
  }
  if (node.start === node.end) return undefined;
  const doubt = doubtAboutGap(node, state);
  if (doubt) return doubt;
  state.position = node.end;
  state.before = node;
  if (node.type === "string")
    return doubtAboutQuoted(node, node.text.slice(1, -1), node.start + 1, /["]/);
  return doubtAboutLeaf(node, source);
}

function doubtAboutGap(node: SyntaxNode, state: State): string | undefined {
  const { source, position, before } = state;
  if (node.start < position) return "two parts of it overlap";
  const gap = source.slice(position, node.start);
  // The grammar loses a lone `-` before a here-document. It means "the input" to those who read one anyway.
  const dash = node.type.startsWith("<<") && /^[ \t]+-[ \t]+$/.test(gap);
  if (!dash && !BLANKS.test(gap)) return "the parser skipped some of its text";
  // Bash takes `\` and newline away before it reads words: `su\<newline>do` is one word, `&\<newline>&` one operator.
  const joins = gap.includes("\\\n") && !/[ \t]|(?<!\\)\n/.test(gap);
  if (joins && before && OPERATOR.test(before.text) === OPERATOR.test(node.text))
    return "a word that is continued on the next line";
  if (gap === "" && isRedirection(node) && before && isDescriptor(before, source))
    return "a descriptor that looks like a word";
  // To bash that is a mistake; the grammar lets some pass.
  if (/^[;&]$/.test(node.text) && (position === 0 || hasNewline(gap)))
    return "a line that begins with an operator";
  return undefined;
}

function isRedirection({ type }: SyntaxNode): boolean {
  return /^&?[<>]/.test(type) && !type.endsWith("(");
}

/** `2` or `{name}` right before a redirection belongs to it, unless the one before has taken it: `2>&1>log`. */
function isDescriptor(before: SyntaxNode, source: string): boolean {
  const text = source.slice(Math.max(0, before.end - 99), before.end);
  const isOwnWord = /(?:^|[\s;|()<>]|(?<![<>])&)(?:\d+|\{[^\s{}]*\})$/.test(text);
  return before.type !== "file_descriptor" && isOwnWord;
}

/** Inside double quotes and here-documents: every substitution must be a node of its own. */
function doubtAboutQuoted(
  node: SyntaxNode,
  inside: string,
  insideStart: number,
  forbidden?: RegExp,
): string | undefined {
  const rest: string[] = [];
  let position = 0;
  for (const child of node.children) {
    if (!EXPANSIONS.has(child.type)) continue;
    rest.push(
      inside.slice(position, child.start - insideStart),
      " ".repeat(child.end - child.start),
    );
    position = child.end - insideStart;
  }
  rest.push(inside.slice(position));
  const plain = rest.join("").replaceAll(/\\[\s\S]/g, "  ");
  if (/\$[({[]|`|\$[A-Za-z_0-9@*#?!$-]/.test(plain))
    return "a substitution that the parser did not see";
  if (forbidden?.test(plain)) return "a quote inside a quoted string";
  return doubtInChildren(node);
}

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
  const doubt = doubtAboutExtent(node, source);
  const body = node.children.find((child) => child.type === "heredoc_body");
  if (doubt || !body || isVerbatim(node)) return doubt;
  return doubtAboutQuoted(body, body.text, body.start);
}
