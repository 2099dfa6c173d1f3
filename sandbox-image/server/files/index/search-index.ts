import { lstat } from "node:fs/promises";
import { basename } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { raw, shownName } from "../../../../src/lib/file-names.ts";
import type { Answer } from "../../handlers.ts";
import {
  extensionOf,
  type IndexEntry,
  type Refreshed,
  type WorkspaceIndex,
} from "./workspace-index.ts";

const LISTED = 100;
const BREATHE_EVERY = 10_000;

export interface IndexQuery {
  readonly query?: string | undefined;
  readonly extension?: string | undefined;
  readonly indexOperation?: "stats" | "refresh" | undefined;
}

/** Answers from an index that was brought up to date first. */
export async function searchIndex(
  index: WorkspaceIndex,
  root: string,
  params: IndexQuery,
): Promise<Answer> {
  const refreshed = await index.refresh({ full: params.indexOperation !== undefined });
  if (params.indexOperation === "stats") return statsAnswer(index, refreshed);
  if (params.indexOperation === "refresh") return totalsAnswer(index, refreshed);
  const { first, total } = await matches(index, params);
  const results = await Promise.all(first.map((entry) => listed(root, entry)));
  const remaining = total - results.length;
  return {
    message:
      remaining > 0
        ? `${results.length} of ${total} are listed; ${remaining} more match.`
        : `${total} found.`,
    results,
    count: results.length,
    totalCount: total,
    remaining,
  };
}

async function matches(
  index: WorkspaceIndex,
  params: IndexQuery,
): Promise<{ first: IndexEntry[]; total: number }> {
  const fits = matching(params);
  const first: IndexEntry[] = [];
  let total = 0;
  let seen = 0;
  for (const entry of index.entries()) {
    seen += 1;
    if (seen % BREATHE_EVERY === 0) await breathe();
    if (!fits(entry)) continue;
    total += 1;
    if (first.length < LISTED) first.push(entry);
  }
  return { first, total };
}

function totalsAnswer(index: WorkspaceIndex, { durationMs }: Refreshed): Answer {
  const { files, directories, totalBytes, truncated } = index.stats();
  const size = sizeText(totalBytes);
  const rest = truncated ? " The workspace has more files than the index can hold." : "";
  return {
    message: `The index holds ${files} files in ${directories} directories, ${size}.${rest}`,
    totalFiles: files,
    totalDirectories: directories,
    totalSize: size,
    truncated,
    durationMs,
  };
}

function statsAnswer(index: WorkspaceIndex, refreshed: Refreshed): Answer {
  const { extensions } = index.stats();
  return {
    ...totalsAnswer(index, refreshed),
    extensions: extensions.slice(0, LISTED).map((one) => ({
      extension: one.extension || "(none)",
      files: one.files,
      size: sizeText(one.bytes),
    })),
  };
}

function matching({ query, extension }: IndexQuery): (entry: IndexEntry) => boolean {
  const text = query?.toLowerCase();
  const wanted = extension
    ?.trim()
    .replace(/^\*?\./, "")
    .toLowerCase();
  return ({ path, isDirectory }) =>
    (text === undefined || path.toLowerCase().includes(text)) &&
    (wanted === undefined || (!isDirectory && extensionOf(basename(path)) === wanted));
}

/** Sizes are looked up now: a file that was changed in place leaves its directory's time alone. */
async function listed(root: string, { path, isDirectory, size }: IndexEntry): Promise<object> {
  if (isDirectory) return { path: shownName(`${path}/`), isDirectory };
  try {
    const { size: now } = await lstat(raw(`${root}/${path}`));
    return { path: shownName(path), isDirectory, size: sizeText(now) };
  } catch {
    // Gone in this moment.
    return { path: shownName(path), isDirectory, size: sizeText(size) };
  }
}

const UNITS = ["KB", "MB", "GB", "TB"];

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length);
  const value = bytes / 1024 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[power - 1]}`;
}
