import { ToolError } from "../../../../src/contract/tools/operation.ts";
import { type GitPlace, runGit } from "./run-git.ts";

/** One path of `git status`. X is the index, Y the work tree; `.` means unchanged there. */
export interface StatusEntry {
  readonly kind: "changed" | "conflict" | "untracked";
  readonly x: string;
  readonly y: string;
  readonly path: string;
  /** The path's own bytes, for handing it back to git. */
  readonly raw: Buffer;
  /** Where a renamed or copied file came from. */
  readonly from?: string;
}

export interface Status {
  /** Null where no branch is checked out. */
  readonly branch: string | null;
  readonly entries: readonly StatusEntry[];
}

export interface StatusOptions {
  readonly untracked: "all" | "no";
  /** Only these files and directories, relative to the top. */
  readonly paths?: readonly string[];
}

/**
 * Changes inside of submodules are left out: to see them, git would start itself there, with settings that nobody
 * looked at. A submodule that has another commit checked out is listed.
 */
export async function readStatus(
  git: GitPlace,
  { untracked, paths = [] }: StatusOptions,
): Promise<Status> {
  const { exitCode, output, errors } = await runGit(git, [
    "status",
    "--porcelain=v2",
    "--branch",
    "--no-ahead-behind",
    "-z",
    `--untracked-files=${untracked}`,
    "--ignore-submodules=dirty",
    "--",
    ...paths,
  ]);
  if (exitCode === 0) return parseStatus(output);
  const said = errors.trim().slice(0, 500);
  throw new ToolError("executionFailed", `git status failed: ${said}`);
}

const BRANCH = "# branch.head ";

function parseStatus(output: Buffer): Status {
  const records = splitAtNul(output);
  const entries: StatusEntry[] = [];
  let branch: string | null = null;
  for (let index = 0; index < records.length; index++) {
    const raw = records[index] ?? Buffer.alloc(0);
    const line = raw.toString("utf8");
    if (line.startsWith(BRANCH)) branch = line.slice(BRANCH.length);
    // The old name of a renamed file is a record of its own.
    const from = line.startsWith("2 ") ? records[++index]?.toString("utf8") : undefined;
    const entry = parseEntry(raw, from);
    if (entry) entries.push(entry);
  }
  return { branch: branch === "(detached)" ? null : branch, entries };
}

/** How many fields stand before the path, by the record's first letter. */
const FIELDS: Readonly<Record<string, number>> = { "1": 8, "2": 9, u: 10, "?": 1 };

function parseEntry(record: Buffer, from: string | undefined): StatusEntry | undefined {
  const type = String.fromCharCode(record[0] ?? 0);
  const fields = FIELDS[type];
  if (fields === undefined) return undefined;
  let start = 0;
  for (let field = 0; field < fields; field++) start = record.indexOf(" ", start) + 1;
  const raw = record.subarray(start);
  const path = raw.toString("utf8");
  if (type === "?") return { kind: "untracked", x: ".", y: "?", path, raw };
  const [x = ".", y = "."] = record.toString("latin1", 2, 4);
  const kind = type === "u" ? "conflict" : "changed";
  return { kind, x, y, path, raw, ...(from !== undefined && { from }) };
}

function splitAtNul(bytes: Buffer): Buffer[] {
  const records: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
    records.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return records;
}
