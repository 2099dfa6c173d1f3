import { MARKED, MENTION, visible } from "./neutral.ts";

/** A part of a Markdown text, as far as code is concerned. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "span"; readonly code: string }
  | { readonly kind: "fence"; readonly language: string; readonly code: string };

/** What stands before a fence, its marker, and the words behind it. */
export const FENCE_LINE =
  /^([ \t]*(?:>[ \t]?)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}|~{3,})[ \t]*([^`\r\n]*)$/;
export const LANGUAGE = /^[\w+#.-]{1,30}/;

interface OpenFence {
  readonly indent: number;
  readonly marker: string;
  readonly language: string;
  readonly lines: string[];
}

/**
 * The code of a text by CommonMark's rules: fences (also in lists and quotes, also longer ones around others) and spans.
 * A fence that is never closed goes on to the end. Takes time in proportion to the text.
 */
export function readMarkdown(markdown: string): Piece[] {
  const pieces: Piece[] = [];
  let text: string[] = [];
  let open: OpenFence | undefined;
  const endText = () => {
    if (text.length > 0) pieces.push(...spansIn(text.join("\n")));
    text = [];
  };
  for (const line of visible(markdown).split("\n")) {
    if (open) {
      if (closes(line, open.marker)) {
        pieces.push(fenceOf(open));
        open = undefined;
      } else open.lines.push(line);
      continue;
    }
    const [, before = "", marker, info = ""] = FENCE_LINE.exec(line) ?? [];
    if (marker === undefined) {
      text.push(line);
      continue;
    }
    // What stands before a fence in its line is a list's or a quote's mark.
    if (/[-*+\d]/.test(before)) text.push(before.trimEnd());
    endText();
    const language = LANGUAGE.exec(info)?.[0] ?? "";
    open = { indent: before.length, marker, language, lines: [] };
  }
  endText();
  if (open) pieces.push(fenceOf(open));
  return pieces;
}

/** Whether the line ends the code that the marker began. */
export function closes(line: string, marker: string): boolean {
  const bare = line.replace(/^[ \t>]+/, "").trimEnd();
  return bare.startsWith(marker) && bare === (marker[0] ?? "").repeat(bare.length);
}

/** Without the room that the list or quote around it takes. */
function fenceOf({ indent, language, lines }: OpenFence): Piece {
  const code = lines.map((line) => {
    const outer = /^[ \t]*(?:>[ \t]?)*/.exec(line)?.[0] ?? "";
    return indent === 0 ? line : line.slice(Math.min(indent, outer.length));
  });
  return { kind: "fence", language, code: code.join("\n") };
}

/** Code between runs of back quotes of the same length, within a paragraph. */
function spansIn(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const part of text.split(/(\n[ \t]*\n)/)) pieces.push(...spansInParagraph(part));
  return joined(pieces);
}

function spansInParagraph(text: string): Piece[] {
  const runs = [...text.matchAll(/(?<!\\)(\\*)(`+)/g)].map((found) => {
    const [, slashes = "", ticks = ""] = found;
    const escapes = slashes.length % 2;
    const at = found.index + slashes.length + escapes;
    return { at, length: ticks.length - escapes };
  });
  const closings = nextOfSameLength(runs);
  const pieces: Piece[] = [];
  let from = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const run = runs[index];
    const closing = closings[index];
    const end = closing === undefined ? undefined : runs[closing];
    if (!run || closing === undefined || !end) continue;
    pieces.push({ kind: "text", text: text.slice(from, run.at) });
    const code = text.slice(run.at + run.length, end.at).replace(/\s*\n\s*/g, " ");
    pieces.push({ kind: "span", code: stripped(code) });
    from = end.at + end.length;
    index = closing;
  }
  pieces.push({ kind: "text", text: text.slice(from) });
  return pieces;
}

/** For each run of back quotes the index of the next one that closes it. */
function nextOfSameLength(runs: readonly { readonly length: number }[]): (number | undefined)[] {
  const next: (number | undefined)[] = [];
  const nearest = new Map<number, number>();
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const length = runs[index]?.length ?? 0;
    if (length === 0) continue;
    next[index] = nearest.get(length);
    nearest.set(length, index);
  }
  return next;
}

/** One blank on both sides keeps back quotes apart from those of the code. */
function stripped(code: string): string {
  return /^ .*` $|^ `.* $/.test(code) ? code.slice(1, -1) : code;
}

function joined(pieces: readonly Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (piece.kind === "text" && last?.kind === "text")
      all[all.length - 1] = { kind: "text", text: last.text + piece.text };
    else if (piece.kind !== "text" || piece.text !== "") all.push(piece);
  }
  return all;
}

/** Markdown of ours with a blank for all code, as platforms read it: a run of back quotes ends at the next of its length. */
export function withoutCode(markdown: string): string {
  return markdown.replace(/```[\s\S]*?```|(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, " ");
}

/**
 * The same with look-alikes for what platforms act upon, also in code, and with no back quotes but those around code: for
 * texts of which readers of Markdown might not agree what is code.
 */
export function disarmed(pieces: readonly Piece[]): Piece[] {
  return pieces.map((piece) =>
    piece.kind === "text"
      ? { ...piece, text: withLookAlikes(piece.text.replaceAll("\\`", "`")) }
      : { ...piece, code: withLookAlikes(piece.code) },
  );
}

function withLookAlikes(text: string): string {
  return text.replaceAll("`", "'").replace(MENTION, "＠").replace(MARKED, "‹");
}
