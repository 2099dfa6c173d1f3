/** One character that is written as several. */
export interface Escape {
  readonly code: number;
  /** How many characters it is written with. */
  readonly length: number;
  /** A byte of UTF-8 and not a character. */
  readonly isByte?: true;
}

interface Codes {
  readonly codes: Uint16Array;
  readonly length: number;
}

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;

export function isEscapeSign(code: number): boolean {
  return code === BACKSLASH || code === PERCENT || code === AMPERSAND;
}

/** The escape that begins here: `%41`, `\u0041`, `\x41`, `\101`, `\n`, `\"`, `&amp;`, `&#65;`. */
export function escapeAt(text: Codes, at: number): Escape | undefined {
  const code = text.codes[at];
  if (code === PERCENT) return byteEscape(text, at, 1);
  if (code === BACKSLASH) return backslashEscape(text, at);
  if (code === AMPERSAND) return entity(text, at);
  return undefined;
}

function byteEscape(text: Codes, at: number, skip: number): Escape | undefined {
  const digits = /^[0-9a-f]{2}/i.exec(stringAt(text, at + skip, 2));
  if (!digits) return undefined;
  return { code: Number.parseInt(digits[0], 16), length: skip + 2, isByte: true };
}

/** Those that stand for a control character, which nobody looks for. */
const CONTROL_LETTERS = "abefnrtv0";

function backslashEscape(text: Codes, at: number): Escape | undefined {
  const rest = stringAt(text, at + 1, 9);
  if (rest === "") return undefined;
  if (rest.startsWith("%") || rest.startsWith("&")) return { code: 0, length: 1 }; // before another escape
  const unicode = /^u(?:([0-9a-f]{4})|\{0*([0-9a-f]{1,4})\})/i.exec(rest);
  if (unicode)
    return {
      code: Number.parseInt(unicode[1] ?? unicode[2] ?? "", 16),
      length: unicode[0].length + 1,
    };
  const octal = /^[0-3][0-7]{2}/.exec(rest);
  if (octal) return { code: Number.parseInt(octal[0], 8), length: 4, isByte: true };
  const byte = rest.startsWith("x") ? byteEscape(text, at, 2) : undefined;
  const code = CONTROL_LETTERS.includes(rest.charAt(0)) ? 0 : rest.charCodeAt(0);
  return byte ?? { code, length: 2 };
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

function entity(text: Codes, at: number): Escape | undefined {
  const found = /^(?:#x([0-9a-f]{1,4})|#(\d{1,5})|(amp|lt|gt|quot|apos));/i.exec(
    stringAt(text, at + 1, 8),
  );
  if (!found) return undefined;
  const [written, hex, decimal, name] = found;
  const length = written.length + 1;
  if (name) return { code: ENTITIES[name.toLowerCase()]?.charCodeAt(0) ?? 0, length };
  return { code: hex ? Number.parseInt(hex, 16) : Number(decimal), length };
}

function stringAt({ codes, length }: Codes, at: number, count: number): string {
  return String.fromCharCode(...codes.subarray(at, Math.min(at + count, length)));
}
