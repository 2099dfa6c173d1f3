/**
 * One character that is written as several, all in one number, since every backslash of a text makes one: the
 * character's code, how many characters it is written with, and whether it is a byte of UTF-8. 0 is none.
 */
export type Escape = number;

export const codeOf = (found: Escape) => found & 0x1f_ffff;
export const lengthOf = (found: Escape) => (found >>> 24) & 0x1f;
export const isByte = (found: Escape) => (found & BYTE) !== 0;

const BYTE = 0x2000_0000;

function escapeOf(code: number, length: number): Escape {
  return code | (length << 24);
}

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;

export function isEscapeSign(code: number): boolean {
  return code === BACKSLASH || code === PERCENT || code === AMPERSAND;
}

/** The escape that begins here: `%41`, `\u0041`, `\u{41}`, `\x41`, `\101`, `\n`, `\"`, `&amp;`, `&#65;`. */
export function escapeAt(text: string, at: number): Escape {
  const code = text.charCodeAt(at);
  if (code === PERCENT) return byteEscape(text, at, 1);
  if (code === BACKSLASH) return backslashEscape(text, at);
  return code === AMPERSAND ? entity(text, at) : 0;
}

function byteEscape(text: string, at: number, skip: number): Escape {
  const byte = hexNumber(text, at + skip, 2);
  return byte < 0 ? 0 : escapeOf(byte, skip + 2) | BYTE;
}

function backslashEscape(text: string, at: number): Escape {
  const next = text.charCodeAt(at + 1);
  if (Number.isNaN(next)) return 0;
  // It stands before another escape.
  if (next === PERCENT || next === AMPERSAND) return escapeOf(0, 1);
  const longer = LONGER[next]?.(text, at) ?? 0;
  return longer || escapeOf(CONTROL_LETTERS.has(next) ? 0 : next, 2);
}

/** Those that stand for a control character, which nobody looks for. */
const CONTROL_LETTERS = new Set(Array.from("abefnrtv0", (letter) => letter.charCodeAt(0)));

type Read = (text: string, at: number) => Escape;

/** What follows a backslash and may be more than one character. */
const LONGER: Readonly<Record<number, Read>> = {
  117: unicodeEscape, // u
  120: (text, at) => byteEscape(text, at, 2), // x
  48: octalEscape,
  49: octalEscape,
  50: octalEscape,
  51: octalEscape,
};

function unicodeEscape(text: string, at: number): Escape {
  const four = hexNumber(text, at + 2, 4);
  if (four >= 0) return escapeOf(four, 6);
  const [written, digits] = /^\{([0-9a-f]{1,6})\}/i.exec(text.slice(at + 2, at + 10)) ?? [];
  const code = Number.parseInt(digits ?? "", 16);
  return written && code <= 0x10_ffff ? escapeOf(code, written.length + 2) : 0;
}

function octalEscape(text: string, at: number): Escape {
  const [digits] = /^[0-7]{3}/.exec(text.slice(at + 1, at + 4)) ?? [];
  return digits ? escapeOf(Number.parseInt(digits, 8), 4) | BYTE : 0;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

const ENTITY = /^&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/i;

function entity(text: string, at: number): Escape {
  const found = ENTITY.exec(text.slice(at, at + 11));
  if (!found) return 0;
  const [written, hex, decimal, name] = found;
  if (name) return escapeOf(ENTITIES[name.toLowerCase()]?.charCodeAt(0) ?? 0, written.length);
  const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
  return code <= 0x10_ffff ? escapeOf(code, written.length) : 0;
}

/** -1 where there are not as many hexadecimal digits. */
function hexNumber(text: string, at: number, digits: number): number {
  let number = 0;
  for (let place = at; place < at + digits; place += 1) {
    const digit = hexDigit(text.charCodeAt(place));
    if (digit < 0) return -1;
    number = number * 16 + digit;
  }
  return number;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
