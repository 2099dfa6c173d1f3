import { codeOf, type Escape, escapeAt, isByte, isEscapeSign, lengthOf } from "./escapes.ts";

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
    const hides = hidesSomething(raw);
    const visible = hides ? visibleView(seen, text, raw.codes) : raw;
    const unescaped = unescapedView(plain, visible, hides ? textOf(visible) : text);
    const base64 = filteredView(letters, unescaped, BASE64_OF);
    const hex = filteredView(digits, visible, HEX_OF);
    return { ...(hides ? { raw } : {}), visible, unescaped, base64, hex };
  };
}

/** The text of a view, e.g. to look at it with regular expressions. */
export function textOf({ codes, length }: Pick<View, "codes" | "length">): string {
  return Buffer.from(codes.buffer, codes.byteOffset, length * 2).toString("utf16le");
}

const MEMORY_KEPT = 0x10_0000;

/** Codes, and for each where it comes from. */
export class Entries {
  codes = new Uint16Array(0);
  at = new Int32Array(0);

  /** The codes of a text: several times faster to go through than the text itself. */
  read(text: string): Uint16Array {
    const { codes } = this.reserve(text.length);
    Buffer.from(codes.buffer).write(text, "utf16le");
    return codes;
  }

  /** Makes room for so many. A single long text must not cost its memory for ever. */
  reserve(room: number): this {
    if (this.codes.length >= room && this.codes.length <= Math.max(room, MEMORY_KEPT)) return this;
    this.codes = new Uint16Array(room);
    this.at = new Int32Array(room);
    return this;
  }
}

function rawView(entries: Entries, text: string): View {
  const codes = entries.read(text);
  return { codes, length: text.length, span: (first, last) => [first, last + 1] };
}

// A title or link (OSC) is left out only when it ends soon: else its beginning would hide all that follows.
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are made of them
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]{0,300}(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]/y;
/** Control and format characters (zero-width, right-to-left …) and variants, except line breaks and tabs. */
const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Variation_Selector}]|\u034f/gu;
/** Begins the tags of plane 14, which nobody sees either. */
const TAG = 0xdb40;

/** 1 for every code of a character that nobody sees. */
export const INVISIBLE_OF = invisibleCodes();

function invisibleCodes(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (const [character] of everyCode().matchAll(INVISIBLE)) table[character.charCodeAt(0)] = 1;
  table[TAG] = 1;
  return table;
}

/** But for halves of surrogate pairs, which are no characters. */
function everyCode(): string {
  const codes = new Uint16Array(0x10000).map((_, code) =>
    code >= 0xd800 && code <= 0xdfff ? 0x20 : code,
  );
  return textOf({ codes, length: codes.length });
}

function hidesSomething({ codes, length }: View): boolean {
  for (let at = 0; at < length; at += 1) if (INVISIBLE_OF[codes[at] ?? 0] !== 0) return true;
  return false;
}

/** What people see of a text. */
export function visibleView(entries: Entries, text: string, raw: Uint16Array): View {
  const { codes, at: origins } = entries.reserve(text.length);
  let length = 0;
  let at = 0;
  while (at < text.length) {
    const code = raw[at] ?? 0;
    if (INVISIBLE_OF[code] !== 0) {
      at += invisibleLength(text, at, code);
      continue;
    }
    codes[length] = code;
    origins[length] = at;
    length += 1;
    at += 1;
  }
  return {
    codes,
    length,
    span: (first, last) => [origins[first] ?? 0, (origins[last] ?? 0) + 1],
  };
}

function invisibleLength(text: string, at: number, code: number): number {
  if (code === TAG) return 2;
  if (code !== 0x1b && code !== 0x9b) return 1;
  SEQUENCE.lastIndex = at;
  return SEQUENCE.test(text) ? SEQUENCE.lastIndex - at : 1;
}

const LEFT_OUT = 0;
export const PLAIN = 1;
export const SPECIAL = 2;
/** What a character is to the unescaped view. */
export const KIND_OF = new Uint8Array(0x10000).map((_, code) => {
  if (isEscapeSign(code) || code >= 0x80) return SPECIAL;
  return code <= 0x20 || code === 0x22 || code === 0x27 || code === 0x60 ? LEFT_OUT : PLAIN;
});

/** `text` is what is visible. */
function unescapedView(entries: Entries, visible: View, text: string): View {
  const { codes, at: origins } = entries.reserve(bytesNeeded(visible));
  let length = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const kind = KIND_OF[code];
    const found = kind === SPECIAL ? escapeAt(text, at) : 0;
    let bytes = kind === PLAIN ? code : 0;
    if (kind === SPECIAL) bytes = bytesOf(found, code);
    for (; bytes > 0; bytes = Math.floor(bytes / 0x100)) {
      codes[length] = bytes & 0xff;
      origins[length] = at;
      length += 1;
    }
    at += lengthOf(found) || 1;
  }
  const end = (place: number) => place + (lengthOf(escapeAt(text, place)) || 1) - 1;
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
export function bytesOf(found: Escape, code: number): number {
  const value = found === 0 ? code : codeOf(found);
  if (value === 0x5c || (value < 0x80 && KIND_OF[value] === LEFT_OUT)) return 0;
  if (value < 0x80 || (found !== 0 && isByte(found))) return value;
  if (value < 0x800) return (0xc0 | (value >> 6)) + (0x80 | (value & 0x3f)) * 0x100;
  if (value < 0x10000) return threeBytes(value);
  const pair = value - 0x10000;
  return threeBytes(0xd800 + (pair >> 10)) + threeBytes(0xdc00 + (pair & 0x3ff)) * 0x100_0000;
}

function threeBytes(code: number): number {
  const middle = 0x80 | ((code >> 6) & 0x3f);
  return (0xe0 | (code >> 12)) + middle * 0x100 + (0x80 | (code & 0x3f)) * 0x1_0000;
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
export const BASE64_OF = tableOf(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_",
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/+/",
);

/** What each code is as a hexadecimal digit in lower case, 0 for what is none. */
export const HEX_OF = tableOf("0123456789abcdefABCDEF", "0123456789abcdefabcdef");

function tableOf(from: string, to: string): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (const [at, letter] of Array.from(from).entries())
    table[letter.charCodeAt(0)] = to.charCodeAt(at);
  return table;
}
