import { parseBeginPatch } from "./begin-patch.ts";
import type { FilePatch } from "./patch.ts";
import { PatchError } from "./patch-error.ts";
import { parseUnified } from "./unified.ts";

/** All files of a patch are held open until the last one is ready. */
const MAX_FILES = 300;

/**
 * Reads a unified diff, a git diff or a `*** Begin Patch` block. `filePath` names the file of a patch for one file,
 * whatever its header says. Takes time in proportion to the patch, and throws a PatchError for other text.
 */
export function parsePatch(content: string, filePath?: string): FilePatch[] {
  const lines = linesIn(content);
  const files = parseLines(lines, filePath) ?? parseIndented(lines, filePath) ?? [];
  if (files.length === 0) {
    throw new PatchError(
      "The patch has no valid header. Start each file with --- a/path and +++ b/path, or send a *** Begin Patch block.",
    );
  }
  if (files.length > MAX_FILES) {
    throw new PatchError(
      `The patch changes ${files.length} files; the limit is ${MAX_FILES}. Send it in parts.`,
    );
  }
  return filePath === undefined ? files : [renamed(files, filePath)];
}

/** Undefined when there is no patch in the lines. */
function parseLines(lines: readonly string[], filePath?: string): FilePatch[] | undefined {
  const begin = lines.findIndex((line) => line.trimEnd() === "*** Begin Patch");
  const files = begin < 0 ? parseUnified(lines, filePath) : parseBeginPatch(lines.slice(begin + 1));
  return files.length > 0 ? files : undefined;
}

const INDENTED = /^([ \t]+)(\*\*\* Begin Patch\s*$|diff --git |--- \S)/;

/** A patch that stands indented, as in a list or a quotation: the second attempt, without the indentation. */
function parseIndented(lines: readonly string[], filePath?: string): FilePatch[] | undefined {
  const first = lines.findIndex((line) => INDENTED.test(line));
  const indentation = INDENTED.exec(lines[first] ?? "")?.[1] ?? "";
  if (indentation === "") return undefined;
  const outdented = lines
    .slice(first)
    .map((line) => (line.startsWith(indentation) ? line.slice(indentation.length) : line));
  const note = "The patch was applied without its indentation.";
  return parseLines(outdented, filePath)?.map((file) => ({ ...file, note }));
}

/** Only a newline ends a line here: a form feed or U+2028 is part of the text, as it is for git. */
function linesIn(content: string): string[] {
  const lines = content.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const headers = lines.filter((line) => /^(@@|---|\+\+\+|\*\*\*) ?/.test(line));
  const sentWithCrlf = headers.length > 0 && headers.every((line) => line.endsWith("\r"));
  return sentWithCrlf
    ? lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
    : lines;
}

function renamed(files: readonly FilePatch[], filePath: string): FilePatch {
  const [file] = files;
  if (!file || files.length > 1 || file.kind === "rename" || file.kind === "copy") {
    throw new PatchError(
      "filePath works only with a patch that changes a single file in place. Omit it; the headers name the files.",
      "filePath",
    );
  }
  return { ...file, oldPath: filePath, newPath: filePath };
}
