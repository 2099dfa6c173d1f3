import { setImmediate as othersFirst } from "node:timers/promises";
import type { RedactingStream } from "../contract/redactor.ts";

interface Parts {
  stream(): RedactingStream;
  holdsKnown(text: string): boolean;
}

/** What is looked at before others have their turn. */
const PIECE_CHARS = 0x4_0000;
/** Of what is no text, each piece is looked at with the end of the one before. */
const OVERLAP_CHARS = 0x1_0000;

/** A file without secrets. What is no text cannot be masked without breaking it: it is let through or it is not. */
export async function redactFile(parts: Parts, bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const text = textIn(bytes);
  if (text === undefined) return (await holdsKnown(parts, bytes)) ? undefined : bytes;
  const stream = parts.stream();
  let masked = "";
  for (let at = 0; at < text.length; at += PIECE_CHARS) {
    masked += stream.write(text.slice(at, at + PIECE_CHARS));
    await othersFirst();
  }
  masked += stream.end();
  return masked === text ? bytes : new TextEncoder().encode(masked);
}

async function holdsKnown(parts: Parts, bytes: Uint8Array): Promise<boolean> {
  // What is no UTF-8 becomes a question mark, and the rest is read as it is.
  const text = new TextDecoder().decode(bytes);
  for (let at = 0; at < text.length; at += PIECE_CHARS) {
    if (parts.holdsKnown(text.slice(Math.max(0, at - OVERLAP_CHARS), at + PIECE_CHARS)))
      return true;
    await othersFirst();
  }
  return false;
}

/** UTF-8, or UTF-16 that says so. */
function textIn(bytes: Uint8Array): string | undefined {
  const wide = WIDE.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte))?.name;
  if (!wide && bytes.includes(0)) return undefined;
  try {
    return new TextDecoder(wide ?? "utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // neither of them
  }
}

const WIDE = [
  { name: "utf-16le", mark: [0xff, 0xfe] },
  { name: "utf-16be", mark: [0xfe, 0xff] },
];
