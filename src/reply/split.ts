import { headerToRepeat, isRow } from "../lib/text/tables.ts";
import { closingOf, FENCE_CHARS, type Fence, fenceAfter } from "./fences.ts";
import { introductionAt } from "./introductions.ts";

/** One part of a long text. */
export interface TextPart {
  /** What is shown: fences and tables that a cut went through begin anew in the next part, with the table's header. */
  readonly text: string;
  /** The very piece of the text: all of them together are the text. */
  readonly source: string;
}

/** Below this, parts are too short to spend room on fences. */
const LEAST_FOR_FENCES = 8 * FENCE_CHARS;
const LEAST = 4;
/** What is looked at behind a cut to see that it goes through nothing: one character. */
const LOOKAHEAD = 2;

/**
 * Cuts a text into parts of at most `limit` UTF-16 units (4 at least): between paragraphs, else between lines, else
 * between words, and never within what people see as one character (unless that alone is longer). A text that grows
 * keeps all parts but the last: where a part ends depends on nothing behind the room that it has.
 */
export function splitText(text: string, limit: number): TextPart[] {
  const most = Math.max(LEAST, Math.floor(limit));
  const mindsFences = most >= LEAST_FOR_FENCES;
  const parts: TextPart[] = [];
  let from = 0;
  let fence: Fence | undefined;
  let header = "";
  do {
    const opening = fence ? `${fence.line}\n` : headerFor(text, from, header, most);
    const room = mindsFences ? most - opening.length - FENCE_CHARS : most;
    const window = text.slice(from, from + room);
    const isLast = from + room >= text.length;
    const source = isLast ? window : window.slice(0, cutOf(window, mindsFences, fence));
    const after = mindsFences ? fenceAfter(wholeLines(text, from, source), fence) : undefined;
    parts.push({ text: opening + source + closingOf(after, source), source });
    from += source.length;
    header = after ? "" : headerToRepeat(source.replace(/\n$/, "").split("\n"), opening);
    fence = after;
  } while (from < text.length);
  return parts;
}

/** Only where the table goes on, and where its header leaves room for it. */
function headerFor(text: string, from: number, header: string, most: number): string {
  if (header === "" || header.length > most / 4 || text[from - 1] !== "\n") return "";
  const end = text.indexOf("\n", from);
  return isRow(text.slice(from, end === -1 ? undefined : end)) ? header : "";
}

/** How much of a window belongs to a part that is followed by another: nothing at its end belongs to the next. */
function cutOf(window: string, mindsFences: boolean, fence: Fence | undefined): number {
  const cut = plainCut(window, mindsFences, fence);
  const before = introductionAt(window.slice(0, cut), mindsFences, fence);
  return before > window.length / 4 ? before : cut;
}

function plainCut(window: string, mindsFences: boolean, fence: Fence | undefined): number {
  const room = window.length - LOOKAHEAD;
  const paragraph = paragraphEnd(window.slice(0, room), mindsFences, fence);
  if (paragraph >= room / 2) return paragraph;
  const line = window.lastIndexOf("\n", room - 1) + 1;
  if (line >= room / 4) return line;
  const word = window.lastIndexOf(" ", room - 1) + 1;
  return characterStart(window, word >= room / 4 ? outsideOfMarks(window, word) : room);
}

/** Code within a line, a link, bold words; also where their end is not in sight. */
const MARKS =
  /(?<![\\`])(`+)(?!`)[^\n]{0,500}?(?:(?<!`)\1(?!`)|$)|\[[^[\]\n]{0,300}(?:\](?:\([^()\s]{0,500}(?:\)|$)|$)|$)|\*\*(?=\S)[^*\n]{1,300}(?:\*\*|\*?$)/g;

/** The place itself, or the beginning of what goes through it and would lose its meaning by a cut. */
function outsideOfMarks(window: string, at: number): number {
  const from = window.lastIndexOf("\n", at - 1) + 1;
  for (const { 0: mark, index } of window.slice(from).matchAll(MARKS)) {
    const start = from + index;
    if (start < at && at < start + mark.length) return start >= window.length / 4 ? start : at;
  }
  return at;
}

/** Behind the last empty line in the latter half that is not inside code, or 0. */
function paragraphEnd(text: string, mindsFences: boolean, fence: Fence | undefined): number {
  for (let end = text.length; end >= text.length / 2; end -= 1) {
    const isEnd = text[end - 1] === "\n" && text[end - 2] === "\n";
    if (isEnd && !(mindsFences && fenceAfter(text.slice(0, end), fence))) return end;
  }
  return 0;
}

const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The place itself, or the beginning of the character that goes through it. */
function characterStart(text: string, at: number): number {
  const start = CHARACTERS.segment(text).containing(at)?.index ?? at;
  if (start > 0) return start;
  // One character with a pile of marks fills all the room: it is cut, but not within a surrogate pair.
  const isWithinPair = /[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(at - 1, at + 1));
  return isWithinPair ? at - 1 : at;
}

/** A piece of the text without the lines that it has only a part of: those open and close nothing. */
function wholeLines(text: string, from: number, source: string): string {
  const end = from + source.length;
  const begins = from === 0 || text[from - 1] === "\n" ? 0 : source.indexOf("\n") + 1;
  const isCut = end < text.length && !source.endsWith("\n");
  return source.slice(begins, isCut ? source.lastIndexOf("\n") + 1 : source.length);
}
