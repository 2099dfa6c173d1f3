import { badGlob } from "./bad-glob.ts";

/** More would only be meant by mistake, or by malice. */
const MAX_PATTERNS = 1000;

/** All patterns that one with braces stands for, as bash expands them: nested, empty, and ranges such as {1..3}. */
export function expandBraces(pattern: string): string[] {
  const open = findBrace(pattern);
  if (!open) return [pattern];
  const { start, end, parts } = open;
  const before = pattern.slice(0, start);
  const rests = expandBraces(pattern.slice(end + 1));
  const middles = parts.flatMap((part) => expandBraces(part));
  if (middles.length * rests.length > MAX_PATTERNS) {
    throw badGlob(pattern, `its braces expand to more than ${MAX_PATTERNS} patterns`);
  }
  return middles.flatMap((middle) => rests.map((rest) => `${before}${middle}${rest}`));
}

interface Brace {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly string[];
}

/** The first brace that holds a comma or a range; any other is a character like all others. */
function findBrace(pattern: string): Brace | undefined {
  for (let start = nextOf(pattern, "{", 0); start >= 0; start = nextOf(pattern, "{", start + 1)) {
    const { end, commas } = closing(pattern, start);
    if (end === undefined) continue;
    const inner = pattern.slice(start + 1, end);
    if (commas.length > 0) return { start, end, parts: cutAt(pattern, start, commas, end) };
    const range = rangeOf(inner);
    if (range) return { start, end, parts: range };
  }
  return undefined;
}

function nextOf(text: string, char: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === char) return at;
  }
  return -1;
}

function closing(pattern: string, start: number): { end?: number; commas: number[] } {
  const commas: number[] = [];
  let depth = 0;
  for (let at = start; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "\\") at += 1;
    else if (char === "{") depth += 1;
    else if (char === "," && depth === 1) commas.push(at);
    else if (char === "}") {
      depth -= 1;
      if (depth === 0) return { end: at, commas };
    }
  }
  return { commas };
}

function cutAt(pattern: string, start: number, commas: readonly number[], end: number): string[] {
  const borders = [start, ...commas, end];
  return borders.slice(1).map((border, index) => pattern.slice((borders[index] ?? 0) + 1, border));
}

const NUMBERS = /^(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?$/;
const LETTERS = /^([a-zA-Z])\.\.([a-zA-Z])(?:\.\.(-?\d{1,9}))?$/;

function rangeOf(inner: string): string[] | undefined {
  const numbers = NUMBERS.exec(inner);
  if (numbers) {
    const [, from = "", to = "", step] = numbers;
    const width = [from, to].some((text) => /^-?0\d/.test(text))
      ? Math.max(from.length, to.length)
      : 0;
    return steps(inner, Number(from), Number(to), step).map((value) => padded(value, width));
  }
  const [, first, last, step] = LETTERS.exec(inner) ?? [];
  if (first === undefined || last === undefined) return undefined;
  const codes = steps(inner, first.charCodeAt(0), last.charCodeAt(0), step);
  return codes.map((code) => escaped(String.fromCharCode(code)));
}

/** Between the upper and the lower case letters are some that mean something in a pattern. */
function escaped(char: string): string {
  return /[a-zA-Z]/.test(char) ? char : `\\${char}`;
}

function padded(value: number, width: number): string {
  return value < 0
    ? `-${String(-value).padStart(width - 1, "0")}`
    : String(value).padStart(width, "0");
}

function steps(inner: string, from: number, to: number, step = "1"): number[] {
  const size = Math.abs(Number(step)) || 1;
  const count = Math.floor(Math.abs(to - from) / size) + 1;
  if (count > MAX_PATTERNS) throw badGlob(`{${inner}}`, "the range is too long");
  return Array.from({ length: count }, (_, index) => from + (to < from ? -size : size) * index);
}
