import { isUtf8 } from "node:buffer";

/**
 * File names are bytes, and not all of them are UTF-8. Inside the server such a name is a string in which each stray byte
 * is one of the lone surrogates U+DC80 to U+DCFF, which no UTF-8 text can contain. People and models see it quoted as git
 * quotes it, "caf\351", and a path parameter may be written like that.
 */
const STRAY = 0xdc00;

/** Text of a name or path as the file system has it. */
export function nameFrom(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  let name = "";
  for (let at = 0; at < bytes.length; ) {
    const length = charLength(bytes, at);
    if (length === 0) name += String.fromCharCode(STRAY + (bytes[at] ?? 0));
    else name += bytes.toString("utf8", at, at + length);
    at += length || 1;
  }
  return name;
}

/** How many bytes the UTF-8 character at `at` has; 0 when there is none. */
function charLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}

/** For the functions of node:fs. */
export function raw(path: string): string | Buffer {
  if (path.isWellFormed()) return path;
  const parts = Array.from(path, (char) => {
    const code = char.charCodeAt(0) - STRAY;
    return char.length === 1 && code >= 0x80 && code <= 0xff ? Buffer.of(code) : Buffer.from(char);
  });
  return Buffer.concat(parts);
}

/** Names that node:fs gives as text, asked for again as bytes where some may have been lost. */
export function exactly(text: string, bytes: () => Buffer): string {
  return mayHaveLost(text) ? nameFrom(bytes()) : text;
}

/** Whether a name that node:fs gave as text may have lost bytes. */
export function mayHaveLost(name: string): boolean {
  return name.includes("\ufffd");
}

/** White space at the ends would be lost in a parameter, and control characters would garble a message. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
const PLAIN = /^(?![\s"])[^\0-\x1f\x7f-\x9f\ud800-\udfff]*(?<!\s)$/u;

/** How people and models see a name or path; `readName` understands it. */
export function shownName(path: string): string {
  const isPlain = PLAIN.test(path.startsWith('"') ? path.slice(1) : path);
  if (isPlain && readName(path) === path) return path;
  const edges = /^\s+|\s+$/g;
  const shown = Array.from(path.replace(edges, ""), shownChar).join("");
  const [before = "", after = ""] = [/^\s*/.exec(path)?.[0], /\S(\s*)$/.exec(path)?.[1]];
  return `"${spaces(before)}${shown}${spaces(after)}"`;
}

const LETTERS: Readonly<Record<string, string>> = {
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  '"': '"',
  "\\": "\\",
};

function spaces(text: string): string {
  return Array.from(text, (char) => (LETTERS[char] ? `\\${LETTERS[char]}` : octal(char))).join("");
}

function shownChar(char: string): string {
  if (LETTERS[char] !== undefined) return `\\${LETTERS[char]}`;
  return PLAIN.test(`x${char}x`) ? char : octal(raw(char));
}

function octal(char: string | Buffer): string {
  return Array.from(Buffer.from(char), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}

function isQuoted(text: string): boolean {
  return /^"(?:[^"\\]|\\.)*"$/su.test(text) && text.includes("\\");
}

const BYTES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(LETTERS).map(([char, letter]) => [letter, char]),
);

/** The name or path that a parameter means. Names that were shown quoted may have been joined as they are: `dir/"caf\351"`. */
export function readName(text: string): string {
  if (isQuoted(text)) return unquoted(text);
  const names = text.split("/");
  return names.map((name) => (isQuoted(name) ? unquoted(name) : name)).join("/");
}

function unquoted(text: string): string {
  const parts = [...text.slice(1, -1).matchAll(/\\([0-7]{3}|.)|[^\\]+/gsu)].map(
    ([whole, escaped]) => {
      if (escaped === undefined) return Buffer.from(raw(whole));
      if (escaped.length === 3) return Buffer.of(Number.parseInt(escaped, 8) & 0xff);
      return Buffer.from(BYTES[escaped] ?? escaped);
    },
  );
  return nameFrom(Buffer.concat(parts));
}
