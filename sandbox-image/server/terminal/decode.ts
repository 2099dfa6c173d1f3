import { CP437 } from "./cp437.ts";

export type Encoding = "utf8" | "cp437";

/** Bytes to text. The pieces give the same text wherever the stream was cut. */
export interface Decoder {
  decode(bytes: Buffer): string;
  /** What was still waiting for its other bytes. */
  end(): string;
}

export function createDecoder(encoding: Encoding): Decoder {
  return encoding === "utf8" ? new Utf8Decoder() : { decode: decodeCp437, end: () => "" };
}

class Utf8Decoder implements Decoder {
  #carry: Buffer | null = null;

  decode(bytes: Buffer): string {
    const all = this.#carry ? Buffer.concat([this.#carry, bytes]) : bytes;
    const whole = wholeCharacters(all);
    this.#carry = whole < all.length ? Buffer.from(all.subarray(whole)) : null;
    return all.toString("utf8", 0, whole);
  }

  end(): string {
    const rest = this.#carry?.toString("utf8") ?? "";
    this.#carry = null;
    return rest;
  }
}

/**
 * How many bytes can be decoded without knowing what follows. A lead byte always begins something new,
 * even after garbage, so that cutting before one never changes the text.
 */
function wholeCharacters(bytes: Buffer): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? length - back : length;
  }
  return length;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

function decodeCp437(bytes: Buffer): string {
  return bytes
    .toString("latin1")
    .replace(/[\x80-\xff]/g, (char) => CP437[char.charCodeAt(0) - 0x80] ?? char);
}
