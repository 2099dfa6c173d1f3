import { nameFrom, raw as rawName, shownName } from "../../../src/lib/file-names.ts";

/**
 * Names as the file system has them: any bytes but NUL and the slash, not only UTF-8. Here such a name or path is a
 * string with one character per byte, so that it can be split, compared and kept as JSON without loss.
 */
export type Bytes = string;

const ASCII = /^[\0-\x7f]*$/;

/** For the functions of node:fs. */
export function raw(path: Bytes): string | Buffer {
  return ASCII.test(path) ? path : Buffer.from(path, "latin1");
}

/** The path that a parameter means. */
export function fromText(text: string): Bytes {
  return Buffer.from(rawName(text)).toString("latin1");
}

/** For people; what is no UTF-8 is quoted as in all file operations, and `readName` understands it. */
export function toText(path: Bytes): string {
  return shownName(nameFrom(Buffer.from(path, "latin1")));
}

const SHOWN_CHARS = 300;

/** For lists, whose length must not be in the hands of whoever makes up names. */
export function shown(path: Bytes): string {
  const text = toText(path || ".");
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

export function parentOf(path: Bytes): Bytes {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export function nameOf(path: Bytes): Bytes {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function joined(parent: Bytes, name: Bytes): Bytes {
  return parent === "" ? name : `${parent}/${name}`;
}

/** Whether `path` is `top` or lies below it; everything lies below "". */
export function isWithin(path: Bytes, top: Bytes): boolean {
  return top === "" || path === top || path.startsWith(`${top}/`);
}
