import { readFileSync } from "node:fs";
import { isNode, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { OperatorError } from "./operator-error.ts";

/** A file of the operator's that cannot be used. The message names every problem, where it stands and what to write. */
export class UnusableFileError extends OperatorError {
  override readonly name = "UnusableFileError";
}

/** What is wrong with one part of a file. */
export interface FileProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

interface FileRules<Value> {
  /** How the file is called in messages. */
  readonly name: string;
  readonly schema: z.ZodType<Value>;
  /** What each line may say by itself and the whole may not. */
  readonly contradictions?: (value: Value) => readonly FileProblem[];
}

/** The text of the file that a setting names. */
export function textOfFile(file: string, setting: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const what = `${setting} names ${file}, which cannot be read (${why}).`;
    throw new UnusableFileError(`${what} Correct the setting or the file and start again.`, {
      cause,
    });
  }
}

/** Reads what an operator has written in YAML. */
export function readYaml<Value>(text: string, rules: FileRules<Value>): Value {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const broken = document.errors.map((error) => `  ${error.message.split("\n")[0]}`);
  if (broken.length > 0) throw unusable(broken, rules.name);
  const parsed = rules.schema.safeParse(document.toJS({ maxAliasCount: 100 }));
  const problems = parsed.success
    ? (rules.contradictions?.(parsed.data) ?? [])
    : parsed.error.issues.map(inFull);
  if (!parsed.success || problems.length > 0) {
    throw unusable(problems.map(say((path) => lineIn(document, lines, path))), rules.name);
  }
  return parsed.data;
}

/** What is wrong with a name stands one level deeper. */
function inFull(issue: z.core.$ZodIssue): FileProblem {
  const { path } = issue;
  const deeper = issue.code === "invalid_key" ? issue.issues[0] : undefined;
  return { path, message: deeper?.message ?? issue.message };
}

function say(lineOf: (path: readonly PropertyKey[]) => number | undefined) {
  return ({ path, message }: FileProblem): string => {
    const where = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
    const line = lineOf(path);
    const place = where.join("").replace(/^\./, "") || "the file";
    return `  ${place}${line === undefined ? "" : ` (line ${line})`}: ${message}`;
  };
}

/** The line of the deepest part that stands in the file: what is missing has none of its own. */
function lineIn(
  document: ReturnType<typeof parseDocument>,
  lines: LineCounter,
  path: readonly PropertyKey[],
): number | undefined {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const found = document.getIn(path.slice(0, depth), true);
    const start = isNode(found) ? found.range?.[0] : undefined;
    if (start !== undefined) return lines.linePos(start).line;
  }
  return undefined;
}

function unusable(problems: readonly string[], name: string): UnusableFileError {
  return new UnusableFileError(
    `${name} is invalid:\n${problems.join("\n")}\nCorrect the file and start again.`,
  );
}
