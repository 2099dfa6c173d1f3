import { boundLayout } from "./bound-layout.ts";
import { withoutForeignTimes } from "./times.ts";

/**
 * Untrusted Markdown as it may be shown where nothing else protects people: it calls no one, no link is fetched or
 * hides behind another text, nothing is invisible. It replaces characters, also in code: adapters use their platform's own
 * escapes instead.
 */
export function neutral(markdown: string): string {
  const pieces = visible(markdown)
    .split(CODE)
    .map((piece, index) => (index % 2 === 1 ? piece : withoutLinks(piece)));
  return joined(pieces).replace(MENTION, "＠").replace(MARKED, "‹");
}

/** The same on one line. */
export function neutralLine(text: string): string {
  return neutral(text).replace(/\s+/g, " ").trim();
}

/** Without what terminals act upon and what nobody sees. Tabs and line feeds stay. */
export function visible(text: string): string {
  // Most texts are such, and the rest takes a hundred times as long.
  if (/^[\n\t -~]*$/.test(text)) return text;
  return (
    boundLayout(withoutForeignTimes(text.toWellFormed()))
      .replace(ESCAPE_SEQUENCE, "")
      .replace(/\r\n?|[\u2028\u2029]/g, "\n")
      .replace(/(?![\n\t])\p{Cc}/gu, "")
      // Joiners make families out of emoji; everything else that is invisible has no business here.
      .replace(
        /(?<!\p{Extended_Pictographic}[\u{1F3FB}-\u{1F3FF}]?\uFE0F?)\u200D|(?!\u200D)\p{Cf}/gu,
        "",
      )
      .replace(/[\u034F\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0]/g, " ")
  );
}

export function visibleLine(text: string): string {
  return visible(text).replace(/\s+/g, " ").trim();
}

const ESCAPE = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);
const ESCAPE_SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|[@-Z\\\\^_])`,
  "g",
);

/** Odd pieces of a split are code. What is never closed is none: platforms do not see it as code either. */
const CODE = /(```[\s\S]*?```|`[^`\n]+`)/;

export const MENTION = /@(?=everyone|here|channel|group|[!&]?\d)/gi;

/** Chat markup: somebody called, a channel, a group, a link with another text. */
export const MARKED = /<(?=[!@#]|[a-z][a-z0-9+.-]*:\/\/|(?:mailto|tel|javascript|data):)/gi;

/** Back quotes of ours must not touch those of the text: together they would mean something else. */
function joined(pieces: readonly string[]): string {
  const some = pieces.filter((piece) => piece !== "");
  const spaced = some.map((piece, index) =>
    piece.startsWith("`") && some[index - 1]?.endsWith("`") ? ` ${piece}` : piece,
  );
  return spaced.join("");
}

function withoutLinks(text: string): string {
  return text
    .replaceAll("`", "'")
    .replace(LINK, "$1 ($2)")
    .replaceAll("](", "] (")
    .replace(BARE_LINK, (link) => `\`${link}\``);
}

// All runs are bounded: hostile text must not take longer to read than other text.
const LINK = /!?\[([^[\]\n]{0,300})\]\(\s{0,9}<?([^()\s<>]{0,2000})>?[^()\n]{0,300}\)/g;

// Code is shown as it is everywhere; what follows a full stop or a bracket at its end is not part of a link.
const BARE_LINK =
  /(?:[a-z][a-z0-9+.-]{0,20}:\/\/|www\.|\b(?:javascript|data|mailto|tel):(?=\S))[^\s<>"]*[^\s<>".,;:!?)\]]/gi;
