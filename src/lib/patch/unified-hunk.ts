import type { Hunk, HunkLine } from "./patch.ts";
import { malformed } from "./patch-error.ts";

const NUMBERED = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;

export function isHunkHeader(line: string | undefined): boolean {
  return /^@@(?!@)/.test(line ?? "");
}

interface Body {
  readonly lines: readonly HunkLine[];
  readonly oldWithoutNewline: boolean;
  readonly newWithoutNewline: boolean;
  readonly next: number;
}

/** Reads the hunk whose header stands at `index`. Models miscount, so the counts are only trusted when they fit. */
export function readHunk(lines: readonly string[], index: number): { hunk: Hunk; next: number } {
  const header = lines[index] ?? "";
  const numbers = NUMBERED.exec(header);
  const counted = numbers ? readCounted(lines, index + 1, countsOf(numbers)) : undefined;
  const body = counted ?? readUntilHeader(lines, index + 1);
  if (body.lines.length === 0) throw malformed(index, "the hunk has no lines.");
  const anchor = numbers ? "" : header.slice(2).replace(/@@$/, "").trim();
  const saysEnd = body.oldWithoutNewline || body.newWithoutNewline;
  const hunk: Hunk = {
    ...(numbers ? { oldStart: firstLine(numbers) } : {}),
    anchors: anchor === "" ? [] : [anchor],
    lines: body.lines,
    atEnd: saysEnd,
    ...(saysEnd
      ? { oldWithoutNewline: body.oldWithoutNewline, newWithoutNewline: body.newWithoutNewline }
      : {}),
  };
  return { hunk, next: body.next };
}

/** `-5,0` means after line 5, which is where the sixth line begins. */
function firstLine(numbers: RegExpExecArray): number {
  return Number(numbers[1]) + (numbers[2] === "0" ? 1 : 0);
}

function countsOf(numbers: RegExpExecArray): { old: number; new: number } {
  return { old: Number(numbers[2] ?? 1), new: Number(numbers[4] ?? 1) };
}

function readCounted(
  lines: readonly string[],
  from: number,
  counts: { old: number; new: number },
): Body | undefined {
  const left = { ...counts };
  const body = startBody();
  let index = from;
  while (left.old > 0 || left.new > 0 || lines[index]?.startsWith("\\")) {
    const sign = addLine(body, lines[index]);
    if (sign === undefined) return undefined;
    left.old -= " -".includes(sign) ? 1 : 0;
    left.new -= " +".includes(sign) ? 1 : 0;
    if (Math.min(left.old, left.new) < 0) return undefined;
    index += 1;
  }
  return goesOn(lines, index) ? undefined : { ...body, next: index };
}

/** More lines of a hunk follow, so the counts were too small. `-- ` begins the signature of a mail. */
function goesOn(lines: readonly string[], index: number): boolean {
  const line = lines[index];
  return line !== undefined && /^[ +-]/.test(line) && line !== "-- " && !isFileHeader(lines, index);
}

function readUntilHeader(lines: readonly string[], from: number): Body {
  const body = startBody();
  let index = from;
  let blank = 0;
  for (; index < lines.length; index++) {
    const line = lines[index] ?? "";
    if (isHunkHeader(line) || isFileHeader(lines, index)) break;
    if (addLine(body, line) === undefined) break;
    blank = line === "" ? blank + 1 : 0;
  }
  body.lines.length -= blank;
  return { ...body, next: index };
}

function isFileHeader(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? "";
  if (line.startsWith("diff --git ")) return true;
  return line.startsWith("--- ") && (lines[index + 1]?.startsWith("+++ ") ?? false);
}

function startBody() {
  return { lines: [] as HunkLine[], oldWithoutNewline: false, newWithoutNewline: false };
}

/** Returns the line's sign, or undefined for what cannot be part of a hunk. Editors cut the space of a blank line. */
function addLine(body: ReturnType<typeof startBody>, line: string | undefined): string | undefined {
  const sign = line === "" ? " " : line?.[0];
  if (sign === " " || sign === "+" || sign === "-") {
    body.lines.push({ sign, text: line?.slice(1) ?? "" });
    return sign;
  }
  if (sign !== "\\") return undefined;
  const last = body.lines.at(-1)?.sign;
  if (last !== "+") body.oldWithoutNewline = true;
  if (last !== "-") body.newWithoutNewline = true;
  return sign;
}
