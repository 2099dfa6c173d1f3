/** A part of an expansion's text in which something else is expanded or run. */
export interface Part {
  readonly kind: "command" | "backticks" | "expansion" | "name" | "arithmetic";
  readonly start: number;
  readonly end: number;
  readonly parts: readonly Part[];
}

/** Where an expansion ends, and what it expands. */
interface Extent {
  readonly end: number;
  readonly parts: readonly Part[];
}

const MAXIMUM_DEPTH = 8;

const PARAMETER = /\$\{[#!]?(?:[A-Za-z_]\w*|\d+|[@*])/y;
const OPERATOR = /:?[-=?+]|##?|%%?|\/[/#%]?|\^\^?|,,?|~~?|:|@[A-Za-z](?=\})|(?=\})/y;

/** Characters of which no shell makes anything inside braces, in quotes or not. A process substitution is not among them. */
const PLAIN = /(?:[^\\'"`${}<>\n]|[<>](?!\())+/y;
const PLAIN_SUBSCRIPT = /[\w+*/%@ .:,-]+/y;
const PLAIN_COMMAND = /(?:[^\\'"`${}()<>#\n]|[<>](?![(<]))+/y;
const PLAIN_QUOTED = /[^\\'"`${}\n]+/y;
const ESCAPED = /\\[^\n]/y;
/** In double quotes a shell may also take the quotes for characters; with these inside that makes no difference. */
const SINGLE_QUOTED = /\$?'(?:[^'"`${}\\\n]|\\[a-z0-9])*'/y;
const NAME = /\$(?:[A-Za-z_]\w*|[0-9@*#?!$-])/y;
const ARITHMETIC = /\$\(\((?:[\w\s+*/%<>=!?:,-]|\$[A-Za-z_]\w*)*\)\)/y;
const BACKTICKS = /`[^`\\'"\n]*`/y;

/**
 * The extent of the `${…}` that starts there. Only for spellings that every shell ends at the same brace, in double
 * quotes and outside; nothing for all others.
 */
export function readExpansion(text: string, start: number, depth = 0): Extent | undefined {
  if (depth > MAXIMUM_DEPTH) return undefined;
  const parts: Part[] = [];
  let at = matchAt(PARAMETER, text, start);
  if (at !== undefined && text[at] === "[") {
    const subscript = readPieces(text, at + 1, { stop: "]", plain: PLAIN_SUBSCRIPT, depth });
    parts.push(...(subscript?.parts ?? []));
    at = subscript?.end;
  }
  const operand = at === undefined ? undefined : matchAt(OPERATOR, text, at);
  if (operand === undefined) return undefined;
  const rest = readPieces(text, operand, { stop: "}", plain: PLAIN, depth });
  return rest && { end: rest.end, parts: [...parts, ...rest.parts] };
}

/** The extent of the `$"…"` that starts there. */
export function readTranslated(text: string, start: number): Extent | undefined {
  return readPieces(text, start + 2, { stop: '"', plain: PLAIN_QUOTED, depth: 0 });
}

interface Reading {
  readonly stop: string;
  readonly plain: RegExp;
  readonly depth: number;
}

function readPieces(text: string, start: number, reading: Reading): Extent | undefined {
  const parts: Part[] = [];
  let at = start;
  while (at < text.length && text[at] !== reading.stop) {
    const piece = readPiece(text, at, reading);
    if (!piece) return undefined;
    parts.push(...piece.parts);
    at = piece.end;
  }
  return at < text.length ? { end: at + 1, parts } : undefined;
}

function readPiece(text: string, at: number, reading: Reading): Extent | undefined {
  const plain = matchAt(reading.plain, text, at);
  if (plain !== undefined) return { end: plain, parts: [] };
  for (const [pattern, kind] of PIECES) {
    const end = matchAt(pattern, text, at);
    if (end !== undefined) return { end, parts: kind ? [{ kind, start: at, end, parts: [] }] : [] };
  }
  return readNested(text, at, reading.depth + 1);
}

const PIECES: readonly (readonly [RegExp, Part["kind"] | undefined])[] = [
  [ESCAPED, undefined],
  [SINGLE_QUOTED, undefined],
  [ARITHMETIC, "arithmetic"],
  [NAME, "name"],
  [BACKTICKS, "backticks"],
];

/** Double quotes, expansions and commands: all can hold each other. */
function readNested(text: string, at: number, depth: number): Extent | undefined {
  if (depth > MAXIMUM_DEPTH) return undefined;
  if (text[at] === '"') return readPieces(text, at + 1, { stop: '"', plain: PLAIN_QUOTED, depth });
  if (text.startsWith("${", at)) {
    const inner = readExpansion(text, at, depth);
    return inner && asPart("expansion", at, inner);
  }
  if (!text.startsWith("$(", at) || text.startsWith("$((", at)) return undefined;
  const inner = readPieces(text, at + 2, { stop: ")", plain: PLAIN_COMMAND, depth });
  // The `)` of a pattern ends nothing.
  if (!inner || /\bcase\b/.test(text.slice(at, inner.end))) return undefined;
  return { end: inner.end, parts: [{ kind: "command", start: at, end: inner.end, parts: [] }] };
}

function asPart(kind: Part["kind"], start: number, { end, parts }: Extent): Extent {
  return { end, parts: [{ kind, start, end, parts }] };
}

function matchAt(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
