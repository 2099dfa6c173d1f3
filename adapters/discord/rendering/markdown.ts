import { withOpenLinks } from "../../../src/lib/text/links.ts";
import { disarmed, type Piece, readMarkdown, withoutCode } from "../../../src/lib/text/markdown.ts";
import { alignedTable, narrowTable, type Table, tableAt } from "../../../src/lib/text/tables.ts";
import { codeBlock, codeSpan, literal, quoted } from "../../../src/lib/text/write-markdown.ts";

interface Room {
  readonly mostChars: number;
}

/**
 * Markdown as Discord shows it: code as it is, tables in columns, and everything that Discord would act upon escaped. With
 * look-alikes only where there is no room for escapes, or where readers of Markdown might not agree about what is code.
 */
export function discordMarkdown(text: string, { mostChars }: Room): string {
  const shown = [alignedTable, narrowTable].map((drawn) =>
    joined(withOpenLinks(readMarkdown(withTables(text, drawn))), escapedMarkdown),
  );
  const fitting = shown.find((one) => one.length <= mostChars && !isActedUpon(one));
  if (fitting !== undefined) return fitting;
  const pieces = disarmed(readMarkdown(withTables(text, narrowTable)));
  return joined(withOpenLinks(pieces), escapedMarkdown);
}

/** Text of which only code is marked up. */
export function discordText(text: string, { mostChars }: Room): string {
  const pieces = readMarkdown(text);
  const shown = joined(pieces, (words) => escapedWords(literal(words)));
  if (shown.length <= mostChars && !isActedUpon(shown)) return shown;
  return joined(disarmed(pieces), escapedWords);
}

/** Discord draws no tables. Those in code are code. */
function withTables(text: string, drawn: (table: Table) => string): string {
  if (!text.includes("|")) return text;
  return joined(readFences(text), (words) => {
    const lines = words.split("\n");
    const whole: string[] = [];
    for (let at = 0; at < lines.length; ) {
      const table = tableAt(lines, at);
      whole.push(table ? codeBlock(drawn(table)) : (lines[at] ?? ""));
      at += table?.lines ?? 1;
    }
    return whole.join("\n");
  });
}

/** Spans stay in the words around them: a row of a table may have some. */
function readFences(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const piece of readMarkdown(text)) {
    const last = pieces.at(-1);
    if (piece.kind === "fence") pieces.push(piece);
    else {
      const words = piece.kind === "span" ? codeSpan(piece.code) : piece.text;
      if (last?.kind === "text")
        pieces[pieces.length - 1] = { kind: "text", text: last.text + words };
      else pieces.push({ kind: "text", text: words });
    }
  }
  return pieces;
}

function joined(pieces: readonly Piece[], words: (text: string) => string): string {
  let whole = "";
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === "text") whole += words(piece.text);
    else if (piece.kind === "span") whole += codeSpan(piece.code);
    else {
      const before = whole === "" || whole.endsWith("\n") ? "" : "\n";
      const after = index === pieces.length - 1 ? "" : "\n";
      whole += `${before}${fenced(piece)}${after}`;
    }
  }
  return whole;
}

/** Code that holds a fence itself cannot stand between two of Discord's: it is escaped instead. */
function fenced({ code, language }: Extract<Piece, { kind: "fence" }>): string {
  if (code.includes("```")) return escapedWords(code);
  return codeBlock(code.trim() === "" ? " " : code, language);
}

/** The model's own marks stay; what only Discord reads as a mark is escaped. */
function escapedMarkdown(words: string): string {
  return withoutCalls(
    quoted(words)
      // Discord knows three levels of headings.
      .replace(/^#{4,6}(?= )/gm, "###")
      .replace(/^([ \t]*)(>>>|-#)(?= )/gm, "$1\\$2")
      .replace(/(?<!\\)\|\|/g, "\\|\\|"),
  );
}

const ADDRESS = /(https?:\/\/[^\s<>()[\]|\\`]+)/gi;

/** All marks stand for themselves; addresses can be clicked. */
function escapedWords(text: string): string {
  return text
    .split(ADDRESS)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replace(/[\\*_~|`[\]]/g, "\\$&")))
    .map(withoutCalls)
    .join("")
    .replace(/^(\s*)(#|>|-#)/gm, "$1\\$2");
}

/** Discord knows no escape for its calls to all: those get a sign that looks alike. */
function withoutCalls(words: string): string {
  return words
    .replace(/@(?=everyone|here)/gi, "＠")
    .replace(/<(?=[@#:/!&a-z])/gi, "\\<")
    .replace(/\\<@/g, "\\<\\@");
}

function isActedUpon(markdown: string): boolean {
  const words = withoutCode(markdown).replace(/\\[!-/:-@[-`{-~]/g, "\u0001");
  return /<[@#:/]|<[at]:|@(?:everyone|here)|\]\(/i.test(words);
}
