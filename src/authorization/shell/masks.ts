import { type Part, readExpansion, readTranslated } from "./expansion-text.ts";
import { isOrdinaryExpansion } from "./node-doubts.ts";

/**
 * A piece of a command that the grammar misreads although bash has one reading for it. It is replaced by a filler of
 * the same length, so that all other places stay the same.
 */
export interface Mask {
  readonly kind:
    | "expansion"
    | "backticks"
    | "translated"
    | "pattern"
    | "comment"
    | "prefix"
    | "coprocess"
    | "operator"
    | "descriptor"
    | "bracket"
    | "separator";
  readonly start: number;
  readonly end: number;
  readonly filler: string;
  readonly parts: readonly Part[];
}

/** More are not written by people. */
const MAXIMUM_MASKS = 400;
/** How deep quotes and substitutions may hold each other. */
const MAXIMUM_DEPTH = 40;

/** What a text without any of them cannot need. */
const CANDIDATES =
  /\$\{|`[^`]*`[\s\S]*`|\$"|[!@*+?]\(|<>|\{\w+\}[<>]|\bcoproc\b|\btime\b|! |[|&][ \t]*#|\\\(|\bfor\b|\bthen\b/;

/** The pieces to mask. A wrong guess about quotes does no harm: each mask is checked against the tree. */
export function masksIn(text: string): Mask[] {
  if (!CANDIDATES.test(text)) return [];
  const scanner = new Scanner(text);
  scanner.command(0, "");
  const { masks, isTooDeep } = scanner;
  return isTooDeep || masks.length > MAXIMUM_MASKS ? [] : masks;
}

export function maskedText(text: string, masks: readonly Mask[]): string {
  let masked = "";
  let position = 0;
  for (const { start, end, filler } of masks) {
    masked += text.slice(position, start) + filler;
    position = end;
  }
  return masked + text.slice(position);
}

interface HereDocument {
  readonly delimiter: string;
  readonly isVerbatim: boolean;
  readonly isTabbed: boolean;
}

/** Follows quotes and here-documents through a text and collects masks. */
class Scanner {
  readonly masks: Mask[] = [];
  isTooDeep = false;
  #depth = 0;
  readonly #text: string;
  /** One pair of backticks the grammar reads well. */
  readonly #hasManyBackticks: boolean;
  #awaited: HereDocument[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#hasManyBackticks = text.split("`", 4).length > 3;
  }

  /** Reads commands up to the closing parenthesis, or up to the end. */
  command(start: number, stop: "" | ")"): number {
    this.isTooDeep ||= this.#depth >= MAXIMUM_DEPTH;
    if (this.isTooDeep) return this.#text.length;
    this.#depth++;
    const end = this.#commands(start, stop);
    this.#depth--;
    return end;
  }

  #commands(start: number, stop: "" | ")"): number {
    let depth = 0;
    let at = start;
    while (at < this.#text.length) {
      const character = this.#text[at];
      if (character === "(") depth++;
      else if (character === ")" && stop && depth-- === 0) return at + 1;
      at = character === "\n" ? this.#newline(at) : this.#unquoted(at);
    }
    return at;
  }

  #unquoted(at: number): number {
    const text = this.#text;
    const first = text[at] ?? "";
    for (const [kind, pattern, filler] of WORDS[first] ?? []) {
      const found = matchAt(pattern, text, at);
      if (found)
        return this.#add({ kind, start: at, end: at + found[0].length, filler: filler(found) });
    }
    switch (first) {
      case "\\":
        return at + 2;
      case "'":
        return after(text, "'", at + 1);
      case '"':
        return this.#quoted(at + 1);
      case "`":
        return this.#backticks(at);
      case "$":
        return this.#dollar(at, false);
      case "#":
        return isWordStart(text, at) ? this.#comment(at) : at + 1;
      case "<":
        return this.#hereDocument(at);
      default:
        return at + (matchAt(DULL, text, at)?.[0].length ?? 1);
    }
  }

  #quoted(start: number): number {
    let at = start;
    while (at < this.#text.length && this.#text[at] !== '"') at = this.#insideQuotes(at);
    return at + 1;
  }

  #insideQuotes(at: number): number {
    if (this.#text[at] === "\\") return at + 2;
    if (this.#text[at] === "`") return this.#backticks(at);
    return this.#text[at] === "$" ? this.#dollar(at, true) : at + 1;
  }

  #dollar(at: number, isQuoted: boolean): number {
    const text = this.#text;
    if (text[at + 1] === "(") return isQuoted ? this.command(at + 2, ")") : at + 2;
    if (text[at + 1] === "{") return this.#expansion(at);
    if (isQuoted) return at + 1;
    if (text[at + 1] === "'") return at + (matchAt(ANSI_C, text, at)?.[0].length ?? 2);
    if (text[at + 1] !== '"') return at + 1;
    const translated = readTranslated(text, at);
    return translated && translated.end - at > 4
      ? this.#add({
          kind: "translated",
          start: at,
          filler: filled(at, translated.end),
          ...translated,
        })
      : this.#quoted(at + 2);
  }

  #expansion(at: number): number {
    const extent = readExpansion(this.#text, at);
    if (!extent) return at + 2;
    const { end } = extent;
    if (isOrdinaryExpansion(this.#text.slice(at, end))) return end;
    return this.#add({ kind: "expansion", start: at, filler: filled(at, end), ...extent });
  }

  #backticks(at: number): number {
    const found = matchAt(BACKTICKS, this.#text, at);
    if (!found) return this.#text.length;
    const end = at + found[0].length;
    const isClear = !found[0].includes("\n") && end - at > 3;
    if (!this.#hasManyBackticks || !isClear) return end;
    return this.#add({ kind: "backticks", start: at, end, filler: filled(at, end) });
  }

  /** Where a pipeline goes on in the next line the grammar knows no comments. */
  #comment(at: number): number {
    const end = at + (matchAt(COMMENT, this.#text, at)?.[0].length ?? 1);
    if (!/[|&]\s*$/.test(this.#text.slice(Math.max(0, at - 80), at))) return end;
    return this.#add({ kind: "comment", start: at, end, filler: " ".repeat(end - at) });
  }

  #hereDocument(at: number): number {
    const found = matchAt(HERE_DOCUMENT, this.#text, at);
    if (!found) return this.#text.startsWith("<<<", at) ? at + 3 : at + 1;
    const [whole, dash, word = ""] = found;
    const delimiter = word.replaceAll(/["'\\]/g, "");
    this.#awaited.push({ delimiter, isVerbatim: delimiter !== word, isTabbed: dash === "-" });
    return at + whole.length;
  }

  #newline(start: number): number {
    let at = start + 1;
    for (const { delimiter, isVerbatim, isTabbed } of this.#awaited.splice(0)) {
      const end = endOfBody(this.#text, at, delimiter, isTabbed);
      if (!isVerbatim) while (at < end) at = this.#insideQuotes(at);
      at = end;
    }
    return at;
  }

  #add(mask: Omit<Mask, "parts"> & Partial<Mask>): number {
    this.masks.push({ parts: [], ...mask });
    return mask.end;
  }
}

const ANSI_C = /\$'(?:[^'\\]|\\[\s\S])*'/y;
const BACKTICKS = /`(?:[^`\\]|\\[\s\S])*`/y;
const COMMENT = /#[^\n]*/y;
const HERE_DOCUMENT = /<<(?!<)(-?)[ \t]*([\w."'\\-]+)/y;

/** Before a keyword and an operator: not within a word. */
const AT_WORD = "(?<=^|[\\s;&|(){}`])";

type Replacement = readonly [Mask["kind"], RegExp, (found: RegExpExecArray) => string];

/** `!(a)` finds files where bash knows such patterns, and is a mistake elsewhere, unless a command begins with it. */
const PATTERN: Replacement = [
  "pattern",
  /(?<!\$)[!@*+?]\((?:[\w.|*?[\]:/,^ -]|\\\w)+\)(?!\()/y,
  ([found]) => filled(0, found.length),
];
const PREFIX: Replacement = [
  "prefix",
  new RegExp(`${AT_WORD}(?:time(?:[ \\t]+-p)?|!)(?=[ \\t]+(?:\\{\\s|\\())`, "y"),
  ([found]) => " ".repeat(found.length),
];
const SEPARATOR: Replacement = [
  "separator",
  /(?<=\bfor [A-Za-z_]\w{0,60}|[)}])[ \t](?=(?:do|then)\s)/y,
  () => ";",
];

/** By their first character, so that most of a text is passed over. */
const WORDS: Readonly<Record<string, readonly Replacement[]>> = {
  "!": [PATTERN, PREFIX],
  "@": [PATTERN],
  "*": [PATTERN],
  "+": [PATTERN],
  "?": [PATTERN],
  "<": [["operator", /<>/y, () => ">>"]],
  "{": [
    [
      "descriptor",
      new RegExp(`${AT_WORD}\\{[A-Za-z_]\\w*\\}(?=[<>])`, "y"),
      ([found]) => "9".repeat(found.length),
    ],
  ],
  c: [
    [
      "coprocess",
      new RegExp(`${AT_WORD}coproc[ \\t]+(?:[A-Za-z_]\\w*[ \\t]+)?(?=\\{\\s|\\()`, "y"),
      ([found]) => "true |".padEnd(found.length),
    ],
  ],
  t: [PREFIX],
  "[": [["bracket", new RegExp(`${AT_WORD}\\[(?=[ \\t][^\\n;&]{0,200}\\\\\\()`, "y"), () => "t"]],
  " ": [SEPARATOR],
  "\t": [SEPARATOR],
};

/** The rest of a word. */
const DULL = /[\w./:=,~%^-]+/y;

/** Where the line with the delimiter begins. */
function endOfBody(text: string, start: number, delimiter: string, isTabbed: boolean): number {
  let at = start;
  while (at < text.length) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? text.length : end);
    if ((isTabbed ? line.replace(/^\t+/, "") : line) === delimiter) return at + line.length;
    if (end < 0) break;
    at = end + 1;
  }
  return text.length;
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || /[\s;&|()]/.test(text[at - 1] ?? "");
}

function after(text: string, quote: string, start: number): number {
  const end = text.indexOf(quote, start);
  return end < 0 ? text.length : end + 1;
}

function filled(start: number, end: number): string {
  return `\${${"_".repeat(end - start - 3)}}`;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
