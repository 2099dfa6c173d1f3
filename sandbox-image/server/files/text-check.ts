import { isUtf8 } from "node:buffer";

/** Whether the bytes are UTF-8 text without NUL. */
export function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

/** Checks text that grows: a large file passes through memory once. */
export class TextCheck {
  #checked = 0;

  /** `bytes` begin with those that were checked before. */
  isText(bytes: Buffer, { isWhole }: { isWhole: boolean }): boolean {
    const end = isWhole ? bytes.length : lastBorder(bytes);
    const piece = bytes.subarray(this.#checked, end);
    this.#checked = end;
    return isText(piece);
  }
}

/** Where the last character begins: the rest of it may still be to come. */
export function lastBorder(bytes: Buffer): number {
  let start = bytes.length - 1;
  while (start > 0 && bytes.length - start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return Math.max(start, 0);
}
