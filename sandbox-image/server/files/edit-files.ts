import { basename } from "node:path";
import type { fileOperations } from "../../../src/contract/file-operations.ts";
import { type ParamsOf, ToolError } from "../../../src/contract/operation.ts";
import type { Answer } from "../handlers.ts";
import { commit } from "./commit.ts";
import type { Place } from "./place.ts";
import { replaceAll } from "./replace.ts";
import {
  readText,
  readTextBytes,
  regularStats,
  splitLines,
  usesCrlf,
  withCrlf,
} from "./text-file.ts";

type Params<Name extends keyof typeof fileOperations.operations> = ParamsOf<
  typeof fileOperations,
  Name
>;

export async function createFile(
  place: Place,
  { content, overwrite }: Params<"create_file">,
): Promise<Answer> {
  const { path, shown } = place;
  const before = place.exists ? await replaceable(place, overwrite) : undefined;
  await commit([{ path, shown, after: content, ...(before ? { before } : {}) }]);
  const filename = basename(path);
  const lines = splitLines(content).length;
  const done = before ? "was overwritten" : "was created";
  return {
    message: `${filename} ${done} at ${shown} with ${lines} ${lines === 1 ? "line" : "lines"}. Nothing more needs to be done for it.`,
    filename,
    filePath: shown,
    created: !before,
    overwritten: Boolean(before),
  };
}

async function replaceable({ path, shown }: Place, overwrite: boolean) {
  const stats = await regularStats(path, shown);
  if (overwrite) return stats;
  throw new ToolError(
    "executionFailed",
    `${shown} exists already and was left as it is. Pass overwrite: true to replace it, or edit it with replace_string.`,
  );
}

export async function replaceString(
  { path, shown }: Place,
  { oldString, newString, expectedReplacements }: Params<"replace_string">,
): Promise<Answer> {
  using file = await readTextBytes(path, shown);
  const { bytes, stats } = file;
  const { pieces, count, same } = replaceAll(bytes, { oldString, newString }, shown);
  if (expectedReplacements !== undefined && expectedReplacements !== count) {
    throw new ToolError(
      "executionFailed",
      `oldString occurs ${count} times in ${shown}, not ${expectedReplacements}; nothing was written. ` +
        "Add surrounding lines to oldString, or correct expectedReplacements.",
      { replacementCount: 0, occurrences: count },
    );
  }
  if (!same) await commit([{ path, shown, before: stats, after: pieces }]);
  const note = same
    ? { message: "oldString and newString are the same; the file was left as it is." }
    : {};
  return { filePath: shown, replacementCount: same ? 0 : count, validated: true, ...note };
}

export async function multiReplaceString(
  { path, shown }: Place,
  { replacements }: Params<"multi_replace_string">,
): Promise<Answer> {
  using file = await readTextBytes(path, shown);
  const { bytes, stats } = file;
  let after = bytes;
  const counts = replacements.map((replacement, index) => {
    const { pieces, count } = replaceAll(after, replacement, shown, `replacements[${index}]: `);
    after = Buffer.concat(pieces);
    return { index, replacementCount: count };
  });
  if (!after.equals(bytes)) await commit([{ path, shown, before: stats, after }]);
  const total = counts.reduce((sum, { replacementCount }) => sum + replacementCount, 0);
  return { filePath: shown, replacements: counts, totalReplacements: total };
}

export async function insertEdit(
  { path, shown }: Place,
  { lineNumber, newText, insertOperation }: Params<"insert_edit">,
): Promise<Answer> {
  const { text, stats } = await readText(path, shown);
  const lines = splitLines(text);
  const last = insertOperation === "insert" ? lines.length + 1 : lines.length;
  if (lineNumber > last) {
    throw new ToolError(
      "executionFailed",
      `${shown} has ${lines.length} lines, so ${insertOperation} works at ${last < 1 ? "no line" : `1 to ${last}`}, not at ${lineNumber}. Look at it with read_file.`,
      { totalLines: lines.length },
    );
  }
  const added = linesToAdd(newText, text);
  const after = spliced(lines, {
    at: lineNumber - 1,
    remove: insertOperation === "replace" ? 1 : 0,
    added,
  });
  if (after !== text) await commit([{ path, shown, before: stats, after }]);
  return { filePath: shown, operation: insertOperation, lineNumber, linesModified: added.length };
}

/** One trailing newline of newText is the end of its last line. Lines get the file's own line ends. */
function linesToAdd(newText: string, text: string): string[] {
  const end = usesCrlf(text) ? "\r\n" : "\n";
  const whole = newText.endsWith("\n") ? newText : `${newText}${end}`;
  return splitLines(end === "\r\n" ? withCrlf(whole) : whole);
}

/** A file that lacked a newline at its end goes on lacking it, also when its last line is a new one. */
function spliced(
  lines: readonly string[],
  { at, remove, added }: { at: number; remove: number; added: readonly string[] },
): string {
  const unfinished = lines.length > 0 && !lines.at(-1)?.endsWith("\n");
  const end = added[0]?.endsWith("\r\n") ? "\r\n" : "\n";
  const complete = unfinished ? lines.with(-1, `${lines.at(-1)}${end}`) : lines;
  const text = complete.toSpliced(at, remove, ...added).join("");
  return unfinished ? text.slice(0, -end.length) : text;
}
