import { basename } from "node:path";
import type { fileOperations } from "../../../src/contract/tools/file-operations.ts";
import { type ParamsOf, ToolError } from "../../../src/contract/tools/operation.ts";
import { shownName } from "../../../src/lib/file-names.ts";
import type { Answer, CallContext } from "../handlers.ts";
import { commit } from "./commit.ts";
import { endNear, endOf, splitLines, splitMark, withEnds } from "./line-ends.ts";
import type { Place } from "./place.ts";
import { regularStats } from "./regular-file.ts";
import { Replacing, replaceAll } from "./replace.ts";
import type { Replacement } from "./replace-lines.ts";
import { readText, TextFile } from "./text-file.ts";

type Params<Name extends keyof typeof fileOperations.operations> = ParamsOf<
  typeof fileOperations,
  Name
>;

/** The edits of a file read ahead while their call's start is still being recorded. */
type Recorded = Pick<CallContext, "recorded">;

export async function createFile(
  place: Place,
  { content, overwrite }: Params<"create_file">,
): Promise<Answer> {
  const { path, shown } = place;
  const before = place.exists ? await replaceable(place, overwrite) : undefined;
  await commit([{ path, shown, after: content, ...(before ? { before } : {}) }]);
  const filename = shownName(basename(path));
  const lines = splitLines(content).length;
  const done = before ? "was overwritten" : "was created";
  return {
    message: `${filename} ${done} at ${shown} with ${lines} ${lines === 1 ? "line" : "lines"}. Nothing more to do for this file.`,
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
    `${shown} already exists and was not changed. Pass overwrite: true to replace it, or edit it with replace_string.`,
  );
}

export async function replaceString(
  { path, shown }: Place,
  { oldString, newString, expectedReplacements }: Params<"replace_string">,
  { recorded }: Recorded,
): Promise<Answer> {
  expectChange({ oldString, newString }, shown);
  using file = TextFile.open(path, shown);
  const replacing = new Replacing(file, { oldString, newString }, shown);
  const after = await begun(replacing.parts(expectedReplacements));
  await commit([{ path, shown, before: file.stats, after }], { recorded });
  return { filePath: shown, replacementCount: replacing.count, validated: true };
}

/** Goes as far as the first part: what fails before it leaves nothing to tidy up. */
async function begun<Part>(parts: AsyncGenerator<Part>): Promise<AsyncGenerator<Part>> {
  const first = await parts.next();
  return (async function* () {
    if (!first.done) yield first.value;
    yield* parts;
  })();
}

function expectChange({ oldString, newString }: Replacement, shown: string, label = ""): void {
  if (oldString !== newString) return;
  throw new ToolError(
    "invalidParameters",
    `${label}oldString and newString are the same, so ${shown} was not changed. Use a different newString.`,
  );
}

export async function multiReplaceString(
  { path, shown }: Place,
  { replacements }: Params<"multi_replace_string">,
  { recorded }: Recorded,
): Promise<Answer> {
  for (const [index, replacement] of replacements.entries())
    expectChange(replacement, shown, `replacements[${index}]: `);
  using file = TextFile.open(path, shown);
  const bytes = await file.whole();
  let after = bytes;
  const counts = replacements.map((replacement, index) => {
    const { pieces, count } = replaceAll(after, replacement, shown, `replacements[${index}]: `);
    after = Buffer.concat(pieces);
    return { index, replacementCount: count };
  });
  if (!after.equals(bytes))
    await commit([{ path, shown, before: file.stats, after }], { recorded });
  const total = counts.reduce((sum, { replacementCount }) => sum + replacementCount, 0);
  return { filePath: shown, replacements: counts, totalReplacements: total };
}

export async function insertEdit(
  { path, shown }: Place,
  { lineNumber, newText, insertOperation }: Params<"insert_edit">,
  { recorded }: Recorded,
): Promise<Answer> {
  const { text, stats } = await readText(path, shown);
  const { mark, body } = splitMark(text);
  const lines = splitLines(body);
  const last = insertOperation === "insert" ? lines.length + 1 : lines.length;
  if (lineNumber > last) {
    throw new ToolError(
      "executionFailed",
      `${shown} has ${lines.length} lines, so ${insertOperation} works at ${last < 1 ? "no line" : `1 to ${last}`}, not at ${lineNumber}. Check it with read_file.`,
      { totalLines: lines.length },
    );
  }
  const at = lineNumber - 1;
  const end = endNear(
    [lines[at - 1], lines[at], lines[at + 1]].map((line) => endOf(line ?? "")),
    1,
  );
  const added = linesToAdd(newText, end);
  const remove = insertOperation === "replace" ? 1 : 0;
  const after = mark + spliced(lines, { at, remove, added, end });
  if (after !== text) await commit([{ path, shown, before: stats, after }], { recorded });
  return { filePath: shown, operation: insertOperation, lineNumber, linesModified: added.length };
}

/** One trailing newline of newText is the end of its last line. Lines end like those beside them. */
function linesToAdd(newText: string, end: string): string[] {
  const isEnded = newText.endsWith("\n") || (end === "\r" && newText.endsWith("\r"));
  const whole = isEnded ? newText : `${newText}\n`;
  return whole.split(/(?<=\n)/).map((line) => withEnds(line, end));
}

interface Splice {
  readonly at: number;
  readonly remove: number;
  readonly added: readonly string[];
  /** For the last line, where it has none and does not stay the last. */
  readonly end: string;
}

/** A file that lacked a newline at its end goes on lacking it, also when its last line is a new one. */
function spliced(lines: readonly string[], { at, remove, added, end }: Splice): string {
  const last = lines.at(-1);
  const isUnfinished = last !== undefined && endOf(last) === "";
  const complete = isUnfinished ? lines.with(-1, `${last}${end}`) : lines;
  const text = complete.toSpliced(at, remove, ...added).join("");
  return isUnfinished ? text.slice(0, -endOf(text).length) : text;
}
