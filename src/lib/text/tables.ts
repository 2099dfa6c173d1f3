import { withOpenLinks } from "./links.ts";
import { readMarkdown } from "./markdown.ts";

/** A table as Markdown writes it. */
export interface Table {
  readonly header: readonly string[];
  readonly alignments: readonly ("left" | "right" | "center")[];
  readonly rows: readonly (readonly string[])[];
  /** How many lines it takes, with its header. */
  readonly lines: number;
}

const DELIMITERS = /^[ \t]{0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const MOST_ROW_CHARS = 4_000;

/** The table that begins in this line, if one does. */
export function tableAt(lines: readonly string[], at: number): Table | undefined {
  const [head = "", below = ""] = [lines[at], lines[at + 1]];
  if (!isRow(head) || !isRow(below) || !DELIMITERS.test(below)) return undefined;
  const header = cellsOf(head);
  const delimiters = cellsOf(below);
  if (header.length !== delimiters.length) return undefined;
  let end = at + 2;
  while (isRow(lines[end] ?? "")) end += 1;
  const rows = lines.slice(at + 2, end).map((line) => rowCells(line, header.length));
  return { header, alignments: delimiters.map(alignmentOf), rows, lines: end - at };
}

/**
 * The header that a table needs again where a text goes on behind these lines: theirs, or the one that they went on with
 * themselves. Empty where they do not end in a table.
 */
export function headerToRepeat(lines: readonly string[], carried: string): string {
  let begin = lines.length;
  while (begin > 0 && isRow(lines[begin - 1] ?? "")) begin -= 1;
  if (begin === lines.length) return "";
  for (let at = begin; at < lines.length - 1; at += 1) {
    if (tableAt(lines, at)) return `${lines[at]}\n${lines[at + 1]}\n`;
  }
  return begin === 0 ? carried : "";
}

export function isRow(line: string): boolean {
  return line.includes("|") && line.length <= MOST_ROW_CHARS;
}

function cellsOf(row: string): string[] {
  const cells = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** As many cells as the header has. Bars in code belong to it where that fits; what is left over stays in the last one. */
function rowCells(row: string, columns: number): string[] {
  const cells = cellsOf(row);
  if (cells.length > columns) {
    const whole = cellsOf(row.replace(SPAN, (span) => span.replace(/(?<!\\)\|/g, "\\|")));
    if (whole.length === columns) return whole;
    return [...cells.slice(0, columns - 1), cells.slice(columns - 1).join(" | ")];
  }
  return Array.from({ length: columns }, (_, column) => cells[column] ?? "");
}

const SPAN = /(?<!`)(`+)(?!`)[^`]+\1(?!`)/g;

function alignmentOf(delimiter: string): Table["alignments"][number] {
  if (!delimiter.endsWith(":")) return "left";
  return delimiter.startsWith(":") ? "center" : "right";
}

/** In columns, for a font in which all characters are equally wide. */
export function alignedTable({ header, alignments, rows }: Table): string {
  const all = [header, ...rows].map((row) => row.map(withoutMarks));
  const widths = header.map((_, column) =>
    all.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? "")), 1),
  );
  const lines = all.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 1, alignments[column] ?? "left"))
      .join("  ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "─".repeat(width)).join("  ");
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}

/** The same without columns, where those would take too much room. */
export function narrowTable({ header, rows }: Table): string {
  return [header, ...rows].map((row) => row.map(withoutMarks).join(" | ")).join("\n");
}

/** In code nothing is bold, nothing is escaped, and no link is hidden. Code of the cell stays as it is. */
function withoutMarks(cell: string): string {
  return withOpenLinks(readMarkdown(cell))
    .map((piece) => {
      if (piece.kind === "fence") return cell;
      if (piece.kind === "span") return piece.code.trim();
      return piece.text
        .replace(/\*\*(?=\S)([^*]+)\*\*/g, "$1")
        .replace(/\\([!-/:-@[-`{-~])/g, "$1");
    })
    .join("");
}

function padded(cell: string, width: number, alignment: Table["alignments"][number]): string {
  const room = Math.max(0, width - widthOf(cell));
  if (alignment === "right") return " ".repeat(room) + cell;
  const before = alignment === "center" ? Math.floor(room / 2) : 0;
  return " ".repeat(before) + cell + " ".repeat(room - before);
}

const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60\uffe0-\uffe6]|^\p{Extended_Pictographic}/u;

function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of CHARACTERS.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
