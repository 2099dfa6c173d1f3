import type { FilePatch, Hunk, HunkLine } from "./patch.ts";
import { malformed } from "./patch-error.ts";

const FILE_HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVE_HEADER = /^\*\*\* Move to: (.+)$/;

/** Reads the form that models write most readily. It has no line numbers: the text itself is found. */
export function parseBeginPatch(lines: readonly string[]): FilePatch[] {
  const end = endOfPatch(lines);
  const reader = { lines: end < 0 ? lines : lines.slice(0, end), at: 0 };
  const files: FilePatch[] = [];
  while (reader.at < reader.lines.length) {
    if ((reader.lines[reader.at] ?? "").trim() === "") reader.at += 1;
    else files.push(readFile(reader));
  }
  return files;
}

/** An indented end counts only as the last line: anywhere else it may be a line of a file. */
function endOfPatch(lines: readonly string[]): number {
  const end = lines.findIndex((line) => line.trimEnd() === "*** End Patch");
  if (end >= 0) return end;
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return lines[last]?.trim() === "*** End Patch" ? last : -1;
}

interface Reader {
  readonly lines: readonly string[];
  at: number;
}

function readFile(reader: Reader): FilePatch {
  const header = reader.lines[reader.at] ?? "";
  const [, verb, name = ""] = FILE_HEADER.exec(header.trim()) ?? [];
  if (verb === undefined) {
    throw malformed(reader.at + 1, "expected *** Add File:, *** Update File: or *** Delete File:.");
  }
  reader.at += 1;
  const path = name.trim();
  switch (verb) {
    case "Add":
      return { kind: "create", oldPath: path, newPath: path, hunks: [addedHunk(reader)] };
    case "Delete":
      return { kind: "delete", oldPath: path, newPath: path, hunks: [] };
    default:
      return updatedFile(reader, path);
  }
}

function addedHunk(reader: Reader): Hunk {
  const lines: HunkLine[] = [];
  for (let line = reader.lines[reader.at]; line !== undefined; line = reader.lines[reader.at]) {
    if (isMarker(line)) break;
    if (!line.startsWith("+") && line.trim() !== "") {
      throw malformed(reader.at + 1, "every line of an added file must begin with +.");
    }
    // A blank line without + is layout between two files.
    if (line.startsWith("+")) lines.push({ sign: "+", text: line.slice(1) });
    reader.at += 1;
  }
  return { anchors: [], lines, atEnd: false };
}

function updatedFile(reader: Reader, oldPath: string): FilePatch {
  const move = MOVE_HEADER.exec(reader.lines[reader.at]?.trim() ?? "")?.[1]?.trim();
  if (move !== undefined) reader.at += 1;
  const hunks: Hunk[] = [];
  for (let hunk = readHunk(reader); hunk; hunk = readHunk(reader)) {
    if (hunk.lines.length > 0) hunks.push(hunk);
  }
  if (hunks.length === 0 && move === undefined) {
    throw malformed(reader.at, `the update of ${oldPath.slice(0, 200)} changes nothing.`);
  }
  return {
    kind: move === undefined ? "modify" : "rename",
    oldPath,
    newPath: move ?? oldPath,
    hunks,
  };
}

function readHunk(reader: Reader): Hunk | undefined {
  const anchors = readAnchors(reader);
  const lines: HunkLine[] = [];
  let blank = 0;
  for (let line = reader.lines[reader.at]; line !== undefined; line = reader.lines[reader.at]) {
    if (line.startsWith("@@") || isMarker(line)) break;
    lines.push(hunkLine(line, reader.at));
    blank = line === "" ? blank + 1 : 0;
    reader.at += 1;
  }
  // Blank lines before the next header are layout: a blank line of the text begins with a space.
  lines.length -= blank;
  const atEnd = reader.lines[reader.at]?.trimEnd() === "*** End of File";
  if (atEnd) reader.at += 1;
  return lines.length + anchors.length + blank > 0 || atEnd ? { anchors, lines, atEnd } : undefined;
}

function readAnchors(reader: Reader): string[] {
  const anchors: string[] = [];
  for (let line = reader.lines[reader.at]; line?.startsWith("@@"); line = reader.lines[reader.at]) {
    const anchor = line.slice(2).replace(/@@$/, "").trim();
    if (anchor !== "") anchors.push(anchor);
    reader.at += 1;
  }
  return anchors;
}

/** A marker with two or more spaces before it; with one it may be a line of the file. */
function isMarker(line: string): boolean {
  return (
    line.startsWith("*** ") || /^\s{2,}\*\*\* ((Add|Update|Delete) File: .|End Patch)/.test(line)
  );
}

function hunkLine(line: string, index: number): HunkLine {
  const sign = line[0] ?? " ";
  if (sign !== " " && sign !== "+" && sign !== "-") {
    throw malformed(index + 1, "expected a line that begins with a space, + or -.");
  }
  return { sign, text: line.slice(1) };
}
