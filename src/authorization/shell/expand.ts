import { decodeAnsiC } from "./ansi-c.ts";
import type { SyntaxNode } from "./syntax-node.ts";
import {
  BRACKET,
  CLOSE,
  COMMA,
  OPEN,
  OWN_JOB,
  oneOf,
  QUESTION,
  SPLIT,
  STAR,
  UNKNOWN,
  UNKNOWN_WORDS,
  type Word,
  wordsOf,
} from "./word.ts";

/** What is known about a shell's variables: the shapes that a name may stand for. */
export type Lookup = (name: string) => readonly string[] | undefined;

/** The words that a node of the tree becomes. */
export function expandWords(node: SyntaxNode, lookup: Lookup): Word[] {
  return wordsOf(node.text, shapeOf(node, lookup));
}

/** One word that never splits, as in an assignment or as a redirection's target. */
export function expandOne(node: SyntaxNode, lookup: Lookup): Word {
  const shape = shapeOf(node, lookup).replaceAll(UNKNOWN_WORDS, UNKNOWN).replaceAll(SPLIT, " ");
  return { text: node.text, shape };
}

function shapeOf(node: SyntaxNode, lookup: Lookup, quoted = false): string {
  const { type, text } = node;
  switch (type) {
    case "word":
      return unquoted(text, lookup);
    case "number":
    case "variable_name":
    case "file_descriptor":
      return text;
    case "raw_string":
      return text.slice(1, -1);
    case "ansi_c_string":
      return decodeAnsiC(text.slice(2, -1)) ?? UNKNOWN;
    case "string":
      return doubleQuoted(node, lookup);
    case "concatenation":
    case "command_name":
      return joined(node.children, lookup);
    case "simple_expansion":
    case "expansion":
      return variable(node, lookup, quoted);
    case "$":
      return text;
    case "command_substitution":
      return insideOf(node, quoted);
    default:
      return quoted ? UNKNOWN : UNKNOWN_WORDS;
  }
}

/** Words written without a blank between them are one word. */
export function joined(nodes: readonly SyntaxNode[], lookup: Lookup): string {
  return nodes
    .map((node, index) => {
      // `$"text"` is a string to be translated; any other lone `$` is one.
      if (node.type === "$" && nodes[index + 1]?.type === "string") return "";
      const shape = shapeOf(node, lookup);
      // `~` means a home directory at the start of a word only.
      return index > 0 && node.type === "word" ? unquoted(node.text, lookup, false) : shape;
    })
    .join("");
}

function unquoted(text: string, lookup: Lookup, atStart = true): string {
  let shape = "";
  let rest = text;
  if (atStart && rest.startsWith("~")) {
    const known = /^~(?=\/|$)/.test(rest) ? lookup("HOME") : undefined;
    shape = known ? oneOf(known) : UNKNOWN;
    rest = rest.replace(/^~[^/]*/, "");
  }
  for (let index = 0; index < rest.length; index++) {
    const character = rest[index] ?? "";
    if (character === "\\") {
      const escaped = rest[++index] ?? "";
      shape += escaped === "\n" ? "" : escaped;
    } else shape += SPECIAL[character] ?? character;
  }
  return shape;
}

const SPECIAL: Readonly<Record<string, string>> = {
  "*": STAR,
  "?": QUESTION,
  "[": BRACKET,
  "{": OPEN,
  ",": COMMA,
  "}": CLOSE,
};

function doubleQuoted(node: SyntaxNode, lookup: Lookup): string {
  let shape = "";
  let position = node.start + 1;
  const plain = (to: number) =>
    node.text
      .slice(position - node.start, to - node.start)
      .replaceAll(/\\([$`"\\\n])/g, (_, escaped: string) => (escaped === "\n" ? "" : escaped));
  for (const child of node.children) {
    if (!child.type.includes("expansion") && child.type !== "command_substitution") continue;
    const blanks = child.text.length - child.text.trimStart().length;
    shape += plain(child.start + blanks) + shapeOf(child, lookup, true);
    position = child.end;
  }
  return shape + plain(node.end - 1);
}

/** `$name` and `${name}`; everything else that braces can do stays unknown. */
function variable(node: SyntaxNode, lookup: Lookup, quoted: boolean): string {
  if (/^\s*\$(?:!|\{!\})$/.test(node.text)) return OWN_JOB;
  const name = /^\s*\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$/.exec(node.text);
  const values = name ? lookup(name[1] ?? name[2] ?? "") : undefined;
  if (!values || values.length === 0) return quoted ? UNKNOWN : UNKNOWN_WORDS;
  return quoted ? oneOf(values) : oneOf(values.map(fallenApart));
}

/** Unquoted, a value is split at blanks and its patterns find files. */
function fallenApart(value: string): string {
  return value
    .replaceAll(/[ \t\n]+/g, SPLIT)
    .replaceAll("*", STAR)
    .replaceAll("?", QUESTION)
    .replaceAll("[", BRACKET);
}

/** A few substitutions have a result that the text tells: a new temporary directory is below /tmp. */
function insideOf(node: SyntaxNode, quoted: boolean): string {
  const body = node.text.replace(/^\s*(?:\$\(|`)\s*/, "").replace(/\s*[)`]$/, "");
  if (/^mktemp(?: -d| -q| --directory)*$/.test(body)) return `/tmp/${UNKNOWN}`;
  return quoted ? UNKNOWN : UNKNOWN_WORDS;
}
