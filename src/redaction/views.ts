import { type Escape, escapeAt, isEscapeSign } from "./escapes.ts";

/**
 * A text as somebody who looks for a secret reads it: without what does not matter, and with the way back.
 * The codes are those of characters, or of bytes where that is said.
 */
export interface View {
  readonly codes: Uint16Array;
  readonly length: number;
  /** Where in the text the codes from `first` to `last`, both included, stand. */
  span(first: number, last: number): readonly [start: number, end: number];
}

export interface Views {
  /** Each character as it is; absent where all of them are visible. */
  readonly raw?: View;
  /** Without colours and other terminal sequences, control and zero-width characters. */
  readonly visible: View;
  /** Escapes of URLs, JSON, shells and HTML undone; UTF-8 bytes; no white space, quotes or backslashes. */
  readonly unescaped: View;
  /** Letters, digits, `+` and `/` of the above, with `-` and `_` read as those: base64 however it is wrapped. */
  readonly base64: View;
  /** Hexadecimal digits in lower case, however they are separated. */
  readonly hex: View;
}

export type ViewName = keyof Views;

/** Makes views. It uses its memory again: those of one text are gone when the next is looked at. */
export type Viewer = (text: string) => Views;

export function createViewer(): Viewer {
  const [all, seen] = [new Entries(), new Entries()];
  const [plain, letters, digits] = [new Entries(), new Entries(), new Entries()];
  return (text) => {
    const raw = rawView(all, text);
    const hides = INVISIBLE.test(text);
    const visible = hides ? visibleView(seen, text) : raw;
    const unescaped = unescapedView(plain, visible);
    const base64 = filteredView(letters, unescaped, BASE64_OF);
    const hex = filteredView(digits, visible, HEX_OF);
    return { ...(hides ? { raw } : {}), visible, unescaped, base64, hex };
  };
}

/** The text of a view, e.g. to look at it with regular expressions. */
export function textOf({ codes, length }: View): string {
  let text = "";
  for (let at = 0; at < length; at += 8192)
    text += String.fromCharCode(...codes.subarray(at, Math.min(at + 8192, length)));
  return text;
}

const MEMORY_KEPT = 0x10_0000;

/** Codes, and for each where it comes from. */
class Entries {
  codes = new Uint16Array(0);
  at = new Int32Array(0);

  /** Makes room for so many. A single long text must not cost its memory for ever. */
  reserve(room: number): this {
    if (this.codes.length >= room && this.codes.length <= Math.max(room, MEMORY_KEPT)) return this;
    this.codes = new Uint16Array(room);
    this.at = new Int32Array(room);
    return this;
  }
}

function rawView(entries: Entries, text: string): View {
  const { codes } = entries.reserve(text.length);
  for (let at = 0; at < text.length; at += 1) codes[at] = text.charCodeAt(at);
  return { codes, length: text.length, span: (first, last) => [first, last + 1] };
}

// A title or link (OSC) is left out only when it ends soon: else its beginning would hide all that follows.
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are made of them
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]{0,300}(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]/y;
/** Control and format characters (zero-width, right-to-left …), except line breaks and tabs. */
const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Cf}]|\u034f/u;

function visibleView(entries: Entries, text: string): View {
  const { codes, at: origins } = entries.reserve(text.length);
  let length = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    SEQUENCE.lastIndex = at;
    if ((code === 0x1b || code === 0x9b) && SEQUENCE.test(text)) {
      at = SEQUENCE.lastIndex;
      continue;
    }
    if (!INVISIBLE.test(text.charAt(at))) {
      codes[length] = code;
      origins[length] = at;
      length += 1;
    }
    at += 1;
  }
  return {
    codes,
    length,
    span: (first, last) => [origins[first] ?? 0, (origins[last] ?? 0) + 1],
  };
}

const LEFT_OUT = 0;
const PLAIN = 1;
const SPECIAL = 2;
/** What an ASCII character is to the unescaped view. */
const KIND_OF = Uint8Array.from({ length: 0x80 }, (_, code) => {
  if (isEscapeSign(code)) return SPECIAL;
  return code <= 0x20 || code === 0x22 || code === 0x27 || code === 0x60 ? LEFT_OUT : PLAIN;
});

function unescapedView(entries: Entries, visible: View): View {
  const { codes, at: origins } = entries.reserve(bytesNeeded(visible));
  let length = 0;
  let at = 0;
  while (at < visible.length) {
    const code = visible.codes[at] ?? 0;
    const kind = KIND_OF[code] ?? SPECIAL;
    const found = kind === SPECIAL ? escapeAt(visible, at) : undefined;
    const bytes = kind === SPECIAL ? bytesOf(found, code) : 0;
    if (kind === PLAIN) {
      codes[length] = code;
      origins[length] = at;
      length += 1;
    }
    for (let byte = bytes; byte > 0; byte = Math.floor(byte / 0x100)) {
      codes[length] = byte & 0xff;
      origins[length] = at;
      length += 1;
    }
    at += found?.length ?? 1;
  }
  const end = (at: number) => at + (escapeAt(visible, at)?.length ?? 1) - 1;
  return {
    codes,
    length,
    span: (first, last) => visible.span(origins[first] ?? 0, end(origins[last] ?? 0)),
  };
}

function bytesNeeded({ codes, length }: View): number {
  let bytes = 0;
  for (let at = 0; at < length; at += 1) bytes += (codes[at] ?? 0) < 0x80 ? 1 : 3;
  return bytes;
}

/** The UTF-8 bytes of a code, the first one lowest; 0 for what is left out. Half a surrogate pair counts as itself. */
function bytesOf(found: Escape | undefined, code: number): number {
  const value = found?.code ?? code;
  if (value === 0x5c || KIND_OF[value] === LEFT_OUT) return 0;
  if (value < 0x80 || found?.isByte) return value;
  if (value < 0x800) return (0xc0 | (value >> 6)) + (0x80 | (value & 0x3f)) * 0x100;
  const middle = 0x80 | ((value >> 6) & 0x3f);
  return (0xe0 | (value >> 12)) + middle * 0x100 + (0x80 | (value & 0x3f)) * 0x1_0000;
}

/** Only the codes that the table knows, as it writes them. */
function filteredView(entries: Entries, view: View, table: Uint8Array): View {
  const { codes, at: origins } = entries.reserve(view.length);
  let length = 0;
  for (let at = 0; at < view.length; at += 1) {
    const code = table[view.codes[at] ?? 0] ?? 0;
    if (code === 0 || (table === HEX_OF && isHexPrefix(view, at))) continue;
    codes[length] = code;
    origins[length] = at;
    length += 1;
  }
  return {
    codes,
    length,
    span: (first, last) => view.span(origins[first] ?? 0, origins[last] ?? 0),
  };
}

/** The 0 of 0x. Behind its end a view holds what an earlier text has left there. */
function isHexPrefix({ codes, length }: View, at: number): boolean {
  return codes[at] === 0x30 && at + 1 < length && codes[at + 1] === 0x78;
}

/** What each code is in base64, 0 for what is not. */
const BASE64_OF = tableOf(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_",
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/+/",
);

/** What each code is as a hexadecimal digit in lower case, 0 for what is none. */
const HEX_OF = tableOf("0123456789abcdefABCDEF", "0123456789abcdefabcdef");

function tableOf(from: string, to: string): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (const [at, letter] of Array.from(from).entries())
    table[letter.charCodeAt(0)] = to.charCodeAt(at);
  return table;
}
