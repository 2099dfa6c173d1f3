import { decodeAnsiC } from "./ansi-c.ts";
import { bodyOf, makesTemporary, printsName } from "./inert-producers.ts";
import type { SyntaxNode } from "./syntax-node.ts";
import {
  BRACKET,
  CLOSE,
  COMMA,
  INSIDE,
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
export type Lookup = (name: string, isQuoted: boolean) => readonly string[] | undefined;

/** The words that a node of the tree becomes. */
export function expandWords(node: SyntaxNode, lookup: Lookup): Word[] {
  return placed(wordsOf(node.text, shapeOf(node, lookup)), node, node);
}

/** One node that becomes one word can be found again in the text. */
function placed(words: Word[], first: SyntaxNode, last: SyntaxNode): Word[] {
  const [only] = words;
  if (words.length !== 1 || !only) return words;
  return [{ ...only, range: { start: first.start, end: last.end } }];
}

/** The words of a command. The grammar sometimes cuts one where bash does not: those parts touch. */
export function expandCommand(parts: readonly SyntaxNode[], lookup: Lookup): Word[] {
  const isTouching = (part: SyntaxNode, index: number) => parts[index - 1]?.end === part.start;
  if (!parts.some(isTouching)) return parts.flatMap((part) => expandWords(part, lookup));
  const words: SyntaxNode[][] = [];
  for (const [index, part] of parts.entries()) {
    const touching = isTouching(part, index) ? words.at(-1) : undefined;
    if (touching) touching.push(part);
    else words.push([part]);
  }
  return words.flatMap((nodes) => {
    const [only] = nodes;
    if (nodes.length === 1 && only) return expandWords(only, lookup);
    const words = wordsOf(nodes.map(({ text }) => text).join(""), joined(nodes, lookup));
    const last = nodes.at(-1);
    return only && last ? placed(words, only, last) : words;
  });
}

/** The same where nothing splits at blanks: a loop's values, each by itself, or a redirection's targets. */
export function expandWhole(node: SyntaxNode, lookup: Lookup): Word[] {
  return expandWords(node, lookup).map((word) => ({
    ...word,
    shape: word.shape.replaceAll(UNKNOWN_WORDS, UNKNOWN),
  }));
}

/** One word that never splits, as in an assignment or as a redirection's target. */
export function expandOne(node: SyntaxNode, lookup: Lookup): Word {
  return { text: node.text, shape: shapeOf(node, lookup, true) };
}

/** With `whole` nothing splits, finds files or stands for alternatives: in quotes, and in what is assigned. */
function shapeOf(node: SyntaxNode, lookup: Lookup, whole = false): string {
  const { type, text } = node;
  switch (type) {
    case "word":
    // Among a command's arguments, behind `==`: it was made sure that it is a word like any other.
    case "regex":
    case "extglob_pattern":
      return unquoted(text, lookup, { whole });
    case "number":
    case "variable_name":
    case "file_descriptor":
    // The program `[`, not the beginning of a pattern.
    case "bracket":
      return text;
    case "raw_string":
      return text.slice(1, -1);
    case "ansi_c_string":
      return decodeAnsiC(text.slice(2, -1)) ?? UNKNOWN;
    case "string":
      return doubleQuoted(node, lookup);
    case "concatenation":
    case "command_name":
      return joined(node.children, lookup, whole);
    case "simple_expansion":
    case "expansion":
      return variable(node, lookup, whole);
    case "==":
    case "=~":
      return text;
    // The grammar has a `$$`, too.
    case "$":
      return text === "$" ? text : INSIDE;
    case "arithmetic_expansion":
      return INSIDE;
    case "command_substitution":
      return insideOf(node, whole);
    default:
      return whole ? UNKNOWN : UNKNOWN_WORDS;
  }
}

/** Words written without a blank between them are one word. */
function joined(nodes: readonly SyntaxNode[], lookup: Lookup, whole = false): string {
  return nodes
    .map((node, index) =>
      // `~` means a home directory at the start of a word only.
      index > 0 && node.type === "word"
        ? unquoted(node.text, lookup, { whole, atStart: false })
        : shapeOf(node, lookup, whole),
    )
    .join("");
}

function unquoted(text: string, lookup: Lookup, { whole = false, atStart = true }): string {
  // Most words are plain, and a text that is put together again character by character costs much more to look at.
  if (!/[~\\*?[{,}]/.test(text)) return text;
  let shape = "";
  let rest = text;
  if (atStart && rest.startsWith("~")) {
    const known = /^~(?=\/|$)/.test(rest) ? lookup("HOME", true) : undefined;
    shape = known ? oneOf(known) : UNKNOWN;
    rest = rest.replace(/^~[^/]*/, "");
  }
  for (let index = 0; index < rest.length; index++) {
    const character = rest[index] ?? "";
    if (character === "\\") shape += rest[++index] ?? "";
    else shape += (whole ? undefined : SPECIAL[character]) ?? character;
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
    node.text.slice(position - node.start, to - node.start).replaceAll(/\\([$`"\\])/g, "$1");
  for (const child of node.children) {
    if (!child.type.includes("expansion") && child.type !== "command_substitution") continue;
    const blanks = child.text.length - child.text.trimStart().length;
    shape += plain(child.start + blanks) + shapeOf(child, lookup, true);
    position = child.end;
  }
  return shape + plain(node.end - 1);
}

/** `$name` and `${name}`; everything else that braces can do stays unknown. */
function variable(node: SyntaxNode, lookup: Lookup, whole: boolean): string {
  if (/^\s*\$(?:!|\{!\})$/.test(node.text)) return OWN_JOB;
  if (NUMBER.test(node.text)) return INSIDE;
  const name = /^\s*\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$/.exec(node.text);
  const values = name ? lookup(name[1] ?? name[2] ?? "", whole) : undefined;
  const isNumber = !values && NUMBERS.has(name?.[1] ?? name?.[2] ?? "");
  if (isNumber) return INSIDE;
  if (!values || values.length === 0) return whole ? UNKNOWN : UNKNOWN_WORDS;
  return whole ? oneOf(values) : oneOf(values.map(fallenApart));
}

/** `$?`, `$#`, `$$` and the length of something. */
const NUMBER = /^\s*\$(?:[?#$]|\{[?#$]\}|\{#\w+(?:\[[@*]\])?\})$/;
/** Unless they are assigned, bash gives them a number. */
const NUMBERS = new Set([
  "RANDOM",
  "SRANDOM",
  "SECONDS",
  "EPOCHSECONDS",
  "BASHPID",
  "UID",
  "EUID",
  "PPID",
  "LINENO",
]);

/** Unquoted, a value is split at blanks and its patterns find files. */
function fallenApart(value: string): string {
  return value
    .replaceAll(UNKNOWN, UNKNOWN_WORDS)
    .replaceAll(/[ \t\n]+/g, SPLIT)
    .replaceAll("*", STAR)
    .replaceAll("?", QUESTION)
    .replaceAll("[", BRACKET);
}

/** A few substitutions have a result that the text tells: a new temporary directory is below /tmp. */
function insideOf(node: SyntaxNode, whole: boolean): string {
  const body = bodyOf(node.text);
  if (makesTemporary(body)) return `/tmp/${INSIDE}`;
  if (printsName(body)) return INSIDE;
  return whole ? UNKNOWN : UNKNOWN_WORDS;
}
