import type { Piece } from "./markdown.ts";

/** Stands for code between the words. Unicode keeps it out of all text that is exchanged. */
const CODE = "\uFDD2";

// All runs are bounded: hostile text must not take longer to read than other text.
const LINK =
  /!?\[([^[\]\n]{0,300})\]\(\s{0,9}<?([^()\s<>\uFDD2]{0,2000}(?:\([^()\s<>\uFDD2]{0,500}\)[^()\s<>\uFDD2]{0,500}){0,4})>?[^()\n\uFDD2]{0,300}\)/g;
const AUTOLINK = /<(https?:\/\/[^\s<>|]{1,2000})>/gi;
const WEB = /^https?:\/\//i;

/** The same text, whose links lead to where their words say; code may be among those words. */
export function withOpenLinks(pieces: readonly Piece[]): Piece[] {
  const opened: Piece[] = [];
  let line: Piece[] = [];
  for (const piece of pieces) {
    if (piece.kind !== "fence") line.push(piece);
    else {
      opened.push(...lineWithOpenLinks(line), piece);
      line = [];
    }
  }
  return [...opened, ...lineWithOpenLinks(line)];
}

function lineWithOpenLinks(line: readonly Piece[]): Piece[] {
  const spans = line.filter(({ kind }) => kind === "span");
  const words = line
    .map((piece) => (piece.kind === "text" ? piece.text.replaceAll(CODE, "") : CODE))
    .join("");
  if (words === "") return [];
  return openLinks(words)
    .split(CODE)
    .flatMap((text, index) => [{ kind: "text" as const, text }, ...spans.slice(index, index + 1)]);
}

/**
 * Markdown words, code left out, in which no link hides behind another text and no picture is fetched: the address stands
 * beside its words, or alone where they are the same. Web addresses stay as they are, so that people can click them.
 */
function openLinks(words: string): string {
  return [1, 2]
    .reduce(
      // A picture may be the words of a link: that opens in the second round.
      (opened) =>
        opened.replace(LINK, (_, text: string, address: string) =>
          besideEachOther(text.trim(), address),
        ),
      words,
    )
    .replace(AUTOLINK, "$1")
    .replaceAll("](", "] (");
}

function besideEachOther(text: string, address: string): string {
  if (text === "" || bare(text) === bare(address)) return address;
  return `${text} (${address})`;
}

function bare(address: string): string {
  return address.replace(WEB, "").replace(/\/$/, "").toLowerCase();
}

/** Whether a platform that fetches what links lead to would find one. */
export function hasWebLink(text: string): boolean {
  return /https?:\/\/|\bwww\./i.test(text);
}
