import { badGlob } from "./bad-glob.ts";

export type GroupKind = "@" | "?" | "*" | "+" | "!";

/** A part of a pattern for one name. */
export type Node =
  | { readonly kind: "char"; readonly char: string }
  | { readonly kind: "one"; readonly fits: (char: string) => boolean }
  | { readonly kind: "star" }
  | { readonly kind: "group"; readonly repeat: GroupKind; readonly branches: readonly Node[][] };

/** Reads the pattern of one name: what stands between two slashes. */
export function parseSegment(segment: string): Node[] {
  const reader = { chars: Array.from(segment), at: 0, segment };
  return readSequence(reader, 0);
}

interface Reader {
  readonly chars: readonly string[];
  readonly segment: string;
  at: number;
}

const MAX_DEPTH = 20;

/** Ends at the pattern's end, or before the `|` or `)` of the group that it is in. */
function readSequence(reader: Reader, depth: number): Node[] {
  const nodes: Node[] = [];
  for (;;) {
    const char = reader.chars[reader.at];
    if (char === undefined || (depth > 0 && (char === "|" || char === ")"))) return nodes;
    nodes.push(readNode(reader, char, depth));
  }
}

function readNode(reader: Reader, char: string, depth: number): Node {
  if ("@?*+!".includes(char) && reader.chars[reader.at + 1] === "(") {
    reader.at += 2;
    return readGroup(reader, char as GroupKind, depth + 1);
  }
  reader.at += 1;
  if (char === "*") return { kind: "star" };
  if (char === "?") return { kind: "one", fits: () => true };
  if (char === "[") return readClass(reader);
  return { kind: "char", char: char === "\\" ? readEscaped(reader) : char };
}

function readEscaped(reader: Reader): string {
  const char = reader.chars[reader.at];
  if (char === undefined) throw badGlob(reader.segment, "it ends with a backslash");
  reader.at += 1;
  return char;
}

function readGroup(reader: Reader, repeat: GroupKind, depth: number): Node {
  if (depth > MAX_DEPTH) throw badGlob(reader.segment, "its groups are nested too deeply");
  const branches: Node[][] = [];
  for (;;) {
    branches.push(readSequence(reader, depth));
    const char = reader.chars[reader.at];
    if (char === undefined) {
      throw badGlob(reader.segment, `the group ${repeat}( is not closed, or there is a / in it`);
    }
    reader.at += 1;
    if (char === ")") return { kind: "group", repeat, branches };
  }
}

type Test = (char: string) => boolean;

function readClass(reader: Reader): Node {
  const isNegated = "!^".includes(reader.chars[reader.at] ?? " ");
  if (isNegated) reader.at += 1;
  const tests: Test[] = [];
  for (let isFirst = true; ; isFirst = false) {
    const char = reader.chars[reader.at];
    if (char === undefined)
      throw badGlob(reader.segment, "a [ is not closed, or there is a / in it");
    if (char === "]" && !isFirst) break;
    tests.push(readMember(reader));
  }
  reader.at += 1;
  return { kind: "one", fits: (char) => tests.some((test) => test(char)) !== isNegated };
}

function readMember(reader: Reader): Test {
  const named = /^\[([:.=])(.*?)\1\]/su.exec(reader.chars.slice(reader.at).join(""));
  if (named) return namedClass(reader, named);
  const first = readClassChar(reader);
  if (reader.chars[reader.at] !== "-" || [undefined, "]"].includes(reader.chars[reader.at + 1])) {
    return (char) => char === first;
  }
  reader.at += 1;
  const last = readClassChar(reader);
  const [from, to] = [codeOf(first), codeOf(last)];
  if (from > to) throw badGlob(reader.segment, `the range ${first}-${last} is reversed`);
  return (char) => codeOf(char) >= from && codeOf(char) <= to;
}

function readClassChar(reader: Reader): string {
  const char = reader.chars[reader.at] ?? "";
  reader.at += 1;
  return char === "\\" ? readEscaped(reader) : char;
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[\p{L}\p{Nd}]/u,
  alpha: /\p{L}/u,
  ascii: /\p{ASCII}/u,
  blank: /[\t\p{Zs}]/u,
  cntrl: /\p{Cc}/u,
  digit: /[0-9]/,
  graph: /[^\s\p{C}]/u,
  lower: /\p{Ll}/u,
  print: /[^\p{C}]/u,
  punct: /[\p{P}\p{S}]/u,
  space: /\s/u,
  upper: /\p{Lu}/u,
  word: /[\p{L}\p{Nd}_]/u,
  xdigit: /[0-9A-Fa-f]/,
};

function namedClass(reader: Reader, [whole, sign, name = ""]: RegExpExecArray): Test {
  const known = sign === ":" && Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined;
  if (!known) throw badGlob(reader.segment, `there is no character class ${whole}`);
  reader.at += Array.from(whole).length;
  return (char) => known.test(char);
}
