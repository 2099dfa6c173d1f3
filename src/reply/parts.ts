import type { AdapterLimits } from "../contract/platform/adapter.ts";
import type { FileShare, View } from "../contract/platform/view.ts";
import { splitText } from "./split.ts";

/** What a slot holds. */
export type Content = { readonly view: View } | { readonly file: FileShare };

/** One message of a slot. Its name says which one, and stays the same while the content changes. */
export type Part = Content & { readonly name: string };

/** A reply of more parts goes on in a file. */
const MOST_PARTS = 5;
/** Kept free in every part, so that a footer that comes at the end moves no cut. */
const FOOTER_CHARS = 200;
const MOST_PIECES = 20;

/** The messages that a content takes on a platform. Nothing of it is lost. */
export function partsOf(content: Content, limits: AdapterLimits): Part[] {
  if ("file" in content) return fileParts(content.file, limits);
  const { view } = content;
  return view.kind === "reply" ? replyParts(view, limits) : [{ name: "1", view }];
}

/** Of an answer that is still being written: nothing is posted before there is something to read. */
function readablePart({ text, isFinal }: Reply, { growsByLines = false }: AdapterLimits): string {
  if (isFinal) return text;
  const read = growsByLines ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
  return read.trim() === "" ? "" : read;
}

type Reply = Extract<View, { kind: "reply" }>;

function replyParts(reply: Reply, limits: AdapterLimits): Part[] {
  const { isFinal, footer } = reply;
  const text = readablePart(reply, limits);
  if (text === "" && !isFinal) return [];
  const footerChars = Math.min(FOOTER_CHARS, Math.floor(limits.replyChars / 4));
  const all = splitText(text, limits.replyChars - footerChars);
  const shown = all.slice(0, MOST_PARTS);
  const goesOn = all.length > shown.length;
  const notes = [
    ...(goesOn ? [isFinal ? WHOLE_IN_FILE : FILE_FOLLOWS] : []),
    ...(footer ? [footer] : []),
  ];
  const lastFooter = notes.join(" · ").slice(0, footerChars);
  const parts: Part[] = shown.map((part, index) => {
    const isLast = index === shown.length - 1;
    return {
      name: String(index + 1),
      view: {
        kind: "reply",
        text: part.text,
        isFinal: isFinal || !isLast,
        ...(isLast && lastFooter !== "" ? { footer: lastFooter } : {}),
      },
    };
  });
  return goesOn && isFinal ? [...parts, ...fileParts(replyFile(text), limits)] : parts;
}

const REPLY_FILE = "reply.md";
const WHOLE_IN_FILE = `The full reply is in ${REPLY_FILE}`;
const FILE_FOLLOWS = "… the full reply follows as a file";

function replyFile(text: string): FileShare {
  return { name: REPLY_FILE, mimeType: "text/markdown", bytes: new TextEncoder().encode(text) };
}

/** A file that is too large for the platform comes in several. */
function fileParts(file: FileShare, { fileBytes }: AdapterLimits): Part[] {
  const { name, bytes } = file;
  if (bytes.length <= fileBytes) return [{ name: "file-1", file }];
  const pieces = cutBytes(bytes, fileBytes);
  if (pieces.length > MOST_PIECES) return [{ name: "1", view: tooLarge(file) }];
  return pieces.map((piece, index) => ({
    name: `file-${index + 1}`,
    file: {
      ...file,
      name: `${name}.${index + 1}-of-${pieces.length}`,
      bytes: piece,
    },
  }));
}

/** Between characters of UTF-8, so that every piece of a text can be read by itself. */
function cutBytes(bytes: Uint8Array, most: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; ) {
    let end = Math.min(bytes.length, from + most);
    for (let steps = 0; steps < 3 && end > from + 1 && isContinuation(bytes[end]); steps += 1)
      end -= 1;
    pieces.push(bytes.subarray(from, end));
    from = end;
  }
  return pieces;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function tooLarge({ name, bytes }: FileShare): View {
  const megabytes = Math.ceil(bytes.length / 1_000_000);
  return {
    kind: "notice",
    level: "warning",
    text: `${name} has ${megabytes} MB, which is too large for this chat. Ask for the part that you need.`,
  };
}
