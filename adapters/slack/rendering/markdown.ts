import { hasWebLink, withOpenLinks } from "../../../src/lib/text/links.ts";
import { disarmed, type Piece, readMarkdown, withoutCode } from "../../../src/lib/text/markdown.ts";
import { codeBlock, codeSpan, literal, quoted } from "../../../src/lib/text/write-markdown.ts";
import { type Block, preformatted } from "./rich-text.ts";

/**
 * Markdown as Slack's own blocks: code as it is, everything that Slack would act upon escaped. Code with fences in it has a
 * block of its own, since not every reader of Markdown knows fences of more than three back quotes.
 */
export function markdownBlocks(text: string): Block[] {
  const blocks = blocksOf(text);
  const chars = blocks.reduce((sum, block) => sum + String(block.text ?? "").length, 0);
  const hasRoom = chars <= MOST_CHARS && blocks.length <= MOST_BLOCKS;
  return hasRoom ? blocks : [{ type: "markdown", text: disarmedMarkdown(readMarkdown(text)) }];
}

/** Escapes make texts longer; look-alikes do not. */
const MOST_CHARS = 11_900;
const MOST_BLOCKS = 20;

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let words: Piece[] = [];
  const endWords = () => {
    const shown = markdownOf(words);
    if (shown.trim() !== "") blocks.push({ type: "markdown", text: shown });
    words = [];
  };
  for (const piece of readMarkdown(text)) {
    if (!hasFences(piece)) {
      words.push(piece);
      continue;
    }
    endWords();
    blocks.push({ type: "rich_text", elements: [preformatted(piece.code)] });
  }
  endWords();
  return blocks;
}

/** The same as one text, for streams. */
export function streamMarkdown(text: string): string {
  return markdownOf(readMarkdown(text));
}

/** Slack fetches what links in a stream lead to, and a stream is one text. */
export function isStreamable(text: string): boolean {
  return !hasWebLink(text) && !readMarkdown(text).some(hasFences);
}

function hasFences(piece: Piece): piece is Extract<Piece, { kind: "fence" }> {
  return piece.kind === "fence" && piece.code.includes("```");
}

function markdownOf(pieces: readonly Piece[]): string {
  const shown = joined(pieces, escapedWords);
  // Where readers of Markdown might not agree about what is code, look-alikes stand for what Slack would act upon.
  return isActedUpon(shown) ? disarmedMarkdown(pieces) : shown;
}

function disarmedMarkdown(pieces: readonly Piece[]): string {
  return joined(disarmed(pieces), escapedWords);
}

function joined(pieces: readonly Piece[], words: (text: string) => string): string {
  let whole = "";
  for (const piece of withOpenLinks(pieces)) {
    if (piece.kind === "text") whole += words(piece.text);
    else if (piece.kind === "span") whole += codeSpan(piece.code);
    else {
      const before = whole === "" || whole.endsWith("\n") ? "" : "\n";
      whole += `${before}${codeBlock(piece.code, piece.language)}\n`;
    }
  }
  return pieces.at(-1)?.kind === "fence" ? whole.slice(0, -1) : whole;
}

function escapedWords(words: string): string {
  return (
    quoted(words)
      .replace(/<(?=[!@#/?a-z])/gi, "&lt;")
      // Else it could define the address of a link that stands elsewhere.
      .replaceAll("]:", "]\\:")
  );
}

function isActedUpon(markdown: string): boolean {
  const words = withoutCode(markdown).replace(/\\[!-/:-@[-`{-~]/g, "\u0000");
  return /<[!@#]|<[a-z]+:[^>|\n]*\||\]\(/i.test(words);
}

/** Any text as it is read aloud and in notifications. People see the blocks instead. */
export function plainText(text: string): string {
  return readMarkdown(text)
    .map((piece) => {
      if (piece.kind === "text") return literal(piece.text);
      return piece.kind === "span" ? `\`${piece.code}\`` : `\n\`\`\`\n${piece.code}\n\`\`\`\n`;
    })
    .join("")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/@(?=everyone|here|channel)/gi, "＠")
    .trim();
}
