import { isRow, tableAt } from "../lib/text/tables.ts";
import { type Fence, fenceAfter } from "./fences.ts";

/**
 * Where the lines begin that end a text and belong to what follows it: headings, the first lines of a table, the line that
 * opens a code block. The text's length where there are none.
 */
export function introductionAt(
  text: string,
  mindsFences: boolean,
  fence: Fence | undefined,
): number {
  if (!text.endsWith("\n")) return text.length;
  const lines = text.slice(0, -1).split("\n");
  let end = lines.length;
  if (mindsFences && fenceAfter(text, fence)) {
    const before = lines.slice(0, -1).join("\n");
    if (fenceAfter(before, fence)) return text.length;
    end -= 1;
  }
  for (let taken = linesOfIntroduction(lines, end); taken > 0; ) {
    end -= taken;
    taken = linesOfIntroduction(lines, end);
  }
  if (end === lines.length) return text.length;
  return lines.slice(0, end).reduce((length, line) => length + line.length + 1, 0);
}

const HEADING = /^ {0,3}#{1,6} /;
const BOLD_LINE = /^(?:\*\*[^*]{1,200}\*\*|__[^_]{1,200}__):?\s*$/;
const UNDERLINE = /^ {0,3}(?:=+|-{2,})\s*$/;

/** How many of the lines before `end` introduce what follows, with the empty lines behind them; 0 for none. */
function linesOfIntroduction(lines: readonly string[], end: number): number {
  let last = end - 1;
  while (last >= 0 && isBlank(lines[last])) last -= 1;
  const [line = "", above = ""] = [lines[last], lines[last - 1]];
  const blanks = end - 1 - last;
  if (last < 0) return 0;
  if (HEADING.test(line) || BOLD_LINE.test(line)) return blanks + 1;
  if (blanks === 0 && isRow(line) && !isRow(above)) return 1;
  if (blanks === 0 && !isRow(lines[last - 2] ?? "") && tableAt(lines, last - 1)) return 2;
  const isUnderlined = UNDERLINE.test(line) && !isBlank(above) && isBlank(lines[last - 2]);
  return isUnderlined ? blanks + 2 : 0;
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === "";
}
