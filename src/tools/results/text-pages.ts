// All lengths and offsets are in bytes of UTF-8. A cut in the middle of a character moves to its beginning, at both
// ends of a page alike: pages that follow each other give the whole text again, wherever they are cut, as
// long as each is longer than a character.

export interface Page {
  readonly text: string;
  readonly begin: number;
  readonly end: number;
  readonly total: number;
}

export function lengthOf(text: string): number {
  return Buffer.byteLength(text);
}

/** Well-formed text from an offset on. Never empty before the end, however short it should be. */
export function cut(text: string, offset: number, length: number): Page {
  const bytes = Buffer.from(text);
  const begin = characterAt(bytes, offset);
  const wanted = characterAt(bytes, offset + length);
  const end = wanted > begin ? wanted : characterAfter(bytes, begin);
  return { text: bytes.toString("utf8", begin, end), begin, end, total: bytes.length };
}

/** Where the character that this byte belongs to begins. */
function characterAt(bytes: Buffer, offset: number): number {
  let index = Math.min(offset, bytes.length);
  while (index > 0 && isInside(bytes[index])) index -= 1;
  return index;
}

function characterAfter(bytes: Buffer, offset: number): number {
  let index = Math.min(offset + 1, bytes.length);
  while (isInside(bytes[index])) index += 1;
  return index;
}

/** The second, third or fourth byte of a character. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
