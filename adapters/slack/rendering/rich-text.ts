import { type Piece, readMarkdown } from "../../../src/lib/text/markdown.ts";
import { type LocalTime, splitTimes } from "../../../src/lib/text/times.ts";
import { literal } from "../../../src/lib/text/write-markdown.ts";

/** A block of Slack's, as its API takes it. */
export type Block = Readonly<Record<string, unknown>> & { readonly type: string };

const MOST_PIECES = 500;

/**
 * Text of which only code is marked up, and bold words where the bot itself speaks, as Slack's rich text. Nothing else in
 * it means anything there: it calls no one and links nothing, whatever its words are.
 */
export function richText(text: string, { hasBold = false } = {}): Block {
  const elements: Block[] = [];
  let words: Piece[] = [];
  for (const piece of readMarkdown(text)) {
    if (piece.kind === "fence") {
      elements.push(...sections(words, hasBold), preformatted(piece.code));
      words = [];
    } else words.push(piece);
  }
  elements.push(...sections(words, hasBold));
  return { type: "rich_text", elements: elements.length > 0 ? elements : [wordsSection("…")] };
}

export function preformatted(code: string): Block {
  return { type: "rich_text_preformatted", elements: [{ type: "text", text: code || " " }] };
}

function wordsSection(text: string): Block {
  return { type: "rich_text_section", elements: [{ type: "text", text }] };
}

function sections(words: readonly Piece[], hasBold: boolean): Block[] {
  const pieces = words
    .flatMap((piece, index) => {
      if (piece.kind !== "text") return [{ type: "text", text: piece.code, style: { code: true } }];
      const begun = index === 0 ? piece.text.replace(/^\n/, "") : piece.text;
      const text = index === words.length - 1 ? begun.replace(/\n$/, "") : begun;
      return splitTimes(literal(text)).flatMap((part) =>
        typeof part === "string" ? wordElements(part, hasBold) : [dateElement(part)],
      );
    })
    .filter((piece) => piece.text !== "");
  return Array.from({ length: Math.ceil(pieces.length / MOST_PIECES) }, (_, index) => ({
    type: "rich_text_section",
    elements: pieces.slice(index * MOST_PIECES, (index + 1) * MOST_PIECES),
  }));
}

function wordElements(words: string, hasBold: boolean): Block[] {
  if (!hasBold) return [{ type: "text", text: words }];
  return words.split(/\*\*([^*\n]+)\*\*/).map((text, index) => ({
    type: "text",
    text,
    ...(index % 2 === 1 && { style: { bold: true } }),
  }));
}

const FORMATS: Readonly<Record<LocalTime["style"], string>> = {
  clock: "{time}",
  day: "{time} on {date_short}",
  ago: "{ago}",
};

function dateElement({ seconds, style, words }: LocalTime): Block {
  return { type: "date", timestamp: seconds, format: FORMATS[style], fallback: words };
}
