import { createHash } from "node:crypto";
import { stripVTControlCharacters } from "node:util";
import type { Redactor } from "../../src/contract/redactor.ts";

/** A secret that stands nowhere else: found anywhere, it has leaked. */
export interface Canary {
  readonly name: string;
  readonly value: string;
}

const KINDS = [
  (random: string) => `xoxb-${random.slice(0, 12)}-${random.slice(12, 36)}`,
  (random: string) => random,
  (random: string) =>
    `p"${random.slice(0, 6)}'&<${random.slice(6, 14)}>\\ %41${random.slice(14, 20)}$x`,
  (random: string) => `${random.slice(0, 5)} ${random.slice(5, 10)}+/=${random.slice(10, 20)}`,
  (random: string) => `pä${random.slice(0, 6)}ßword€${random.slice(6, 12)}😀`,
  (random: string) => random.slice(0, 10),
];

/** Always the same ones, of several looks: tokens, passwords with special characters, short and long ones. */
export function canaries(count: number): Canary[] {
  return Array.from({ length: count }, (_, index) => {
    const digest = createHash("sha256").update(`canary ${index}`).digest("base64url");
    const random = digest.replaceAll(/[-_]/g, "q");
    const kind = KINDS[index % KINDS.length] ?? String;
    return { name: `CANARY_${index}`, value: kind(random) };
  });
}

const wrapped = (text: string, width: number) =>
  text.match(new RegExp(`.{1,${width}}`, "gs"))?.join("\n") ?? "";
const bytes = (text: string) => [...Buffer.from(text)];
const hexPair = (byte: number) => byte.toString(16).padStart(2, "0");
const escapeHtml = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

/** How a secret may be written. Each takes the secret and gives what somebody would see. */
export const ENCODINGS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  "JSON string": (secret) => JSON.stringify(secret),
  "JSON within JSON": (secret) => JSON.stringify(JSON.stringify({ secret })),
  "JSON with Unicode escapes": (secret) =>
    [...secret]
      .map((letter) =>
        Array.from(
          { length: letter.length },
          (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, "0")}`,
        ).join(""),
      )
      .join(""),
  base64: (secret) => Buffer.from(secret).toString("base64"),
  "base64 after one byte": (secret) => Buffer.from(`u${secret}`).toString("base64"),
  "base64 after two bytes": (secret) => Buffer.from(`a:${secret} and more`).toString("base64"),
  "base64 for URLs": (secret) => Buffer.from(`user:${secret}`).toString("base64url"),
  "base64 in lines": (secret) =>
    wrapped(Buffer.from(`${"x".repeat(50)}${secret}`).toString("base64"), 76),
  "base64 in short lines": (secret) => wrapped(Buffer.from(secret).toString("base64"), 10),
  "base64 in a JSON string": (secret) =>
    JSON.stringify(wrapped(Buffer.from(secret).toString("base64"), 16)),
  "base64 in a URL": (secret) => encodeURIComponent(Buffer.from(`k=${secret}`).toString("base64")),
  "base64 of UTF-16": (secret) => Buffer.from(secret, "utf16le").toString("base64"),
  hexadecimal: (secret) => Buffer.from(secret).toString("hex"),
  HEXADECIMAL: (secret) => Buffer.from(secret).toString("hex").toUpperCase(),
  "hexadecimal in lines": (secret) => wrapped(Buffer.from(secret).toString("hex"), 12),
  "hexadecimal with colons": (secret) => bytes(secret).map(hexPair).join(":"),
  "hexadecimal with 0x": (secret) =>
    bytes(secret)
      .map((byte) => `0x${hexPair(byte)}`)
      .join(", "),
  "hexadecimal of UTF-16": (secret) => Buffer.from(secret, "utf16le").toString("hex"),
  "escaped bytes": (secret) =>
    bytes(secret)
      .map((byte) => `\\x${hexPair(byte)}`)
      .join(""),
  "octal bytes": (secret) =>
    bytes(secret)
      .map((byte) => `\\${byte.toString(8).padStart(3, "0")}`)
      .join(""),
  "URL component": (secret) => encodeURIComponent(secret),
  URL: (secret) => encodeURI(secret),
  "URL form": (secret) => new URLSearchParams({ q: secret }).toString(),
  "URL, every character": (secret) =>
    bytes(secret)
      .map((byte) => `%${hexPair(byte)}`)
      .join(""),
  "URL, some characters": (secret) =>
    bytes(secret)
      .map((byte, at) =>
        at % 3 === 0 || byte > 127 || byte === 37
          ? `%${hexPair(byte).toUpperCase()}`
          : String.fromCharCode(byte),
      )
      .join(""),
  HTML: escapeHtml,
  "HTML, every character": (secret) =>
    [...secret]
      .map((letter) => (letter.length === 1 ? `&#${letter.charCodeAt(0)};` : letter))
      .join(""),
  "single quotes of a shell": (secret) => `'${secret.replaceAll("'", `'\\''`)}'`,
  "double quotes of a shell": (secret) => `"${secret.replaceAll(/["\\$`]/g, "\\$&")}"`,
  "backslashes of a shell": (secret) => secret.replaceAll(/[^\w@%+=:,./-]/g, "\\$&"),
  reversed: (secret) => Array.from(secret).reverse().join(""),
  "with colours": (secret) =>
    `\x1b[1;31m${Array.from(secret)
      .map((letter, at) => (at % 4 === 1 ? `\x1b[32m${letter}\x1b[0m` : letter))
      .join("")}`,
  "with zero-width characters": (secret) => Array.from(secret).join("\u200b"),
  "in lines": (secret) => wrapped(secret, 7),
  "in a terminal title": (secret) => `\x1b]0;${secret}\x07`,
};

/**
 * Whether a text still tells a secret: it, or all of an encoding of it, stands there. Checked in ways that are not
 * the redactor's own.
 */
export function leaks(text: string, secret: string, encoded: string): boolean {
  return text.includes(encoded) || tells(text, secret);
}

function tells(text: string, secret: string): boolean {
  if (text.includes(secret)) return true;
  return stripVTControlCharacters(text)
    .replaceAll(/\s|\u200b/g, "")
    .includes(secret);
}

/** A secret in all its encodings. */
export function everyEncoding({ value }: Canary): string[] {
  return Object.values(ENCODINGS).map((encode) => encode(value));
}

/** Which encodings of a secret can still be read in what has come out: as it is, or in a string of its JSON. */
export function leaked(output: readonly string[], canary: Canary): string[] {
  const texts = [...new Set(output.flatMap((text) => [text, ...stringsIn(text)]))];
  const isTold = texts.some((text) => tells(text, canary.value));
  return everyEncoding(canary).filter(
    (encoded) => isTold || texts.some((text) => text.includes(encoded)),
  );
}

/** All strings of every line that is JSON, keys included. */
function stringsIn(text: string): string[] {
  const found: string[] = [];
  for (const line of [text, ...text.split("\n")].filter((one) => /^\s*[[{"]/.test(one))) {
    try {
      JSON.parse(line, (key, member) => {
        found.push(key);
        if (typeof member === "string") found.push(member);
        return member;
      });
    } catch {
      // plain text
    }
  }
  return found;
}

/** Lets everything through: with it, every place where secrets can leave must be seen to leak. */
export const NO_REDACTOR: Redactor = {
  redact: (text) => text,
  redactDeep: (value) => value,
  redactJudged: (value) => value,
  redactFile: async (bytes) => bytes,
  stream: () => ({ write: (chunk) => chunk, flush: () => "", end: () => "", waiting: 0 }),
};
