import type { Stats } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { mayHaveLost, nameFrom, raw, shownName } from "../../../src/lib/file-names.ts";
import { codeOf } from "../error-code.ts";
import type { Answer } from "../handlers.ts";
import { explain } from "./fs-errors.ts";
import type { Place } from "./place.ts";

const DEFAULT_ENTRIES = 100;

/** One page of a directory, sorted by name, without hidden entries. */
export async function listDir(
  { path, shown }: Place,
  {
    limit = DEFAULT_ENTRIES,
    offset = 0,
  }: { limit?: number | undefined; offset?: number | undefined },
): Promise<Answer> {
  const names = await visibleNames(path, shown);
  const page = names.slice(offset, offset + limit);
  const entries = (await Promise.all(page.map((name) => entryOf(path, name)))).filter(
    (entry) => entry !== undefined,
  );
  const message =
    names.length === 0
      ? `${shown} is empty.`
      : `${shown}: ${entries.length} of ${names.length} ${names.length === 1 ? "entry" : "entries"}.`;
  const hasMore = offset + page.length < names.length;
  return {
    message,
    path: shown,
    entries,
    count: entries.length,
    totalCount: names.length,
    hasMore,
    offset,
    limit,
  };
}

async function visibleNames(path: string, shown: string): Promise<string[]> {
  try {
    const names = await namesIn(path);
    return names.filter((name) => !name.startsWith(".")).sort(byCode);
  } catch (error) {
    if (codeOf(error) !== "ENOTDIR" || !(await isThere(path))) throw explain(shown, error);
    throw isFile(shown);
  }
}

async function namesIn(path: string): Promise<string[]> {
  const names = await readdir(raw(path), "utf8");
  if (!names.some(mayHaveLost)) return names;
  return (await readdir(raw(path), "buffer")).map(nameFrom);
}

function isFile(shown: string): ToolError {
  return new ToolError(
    "executionFailed",
    `${shown} is a file, not a directory. Use read_file to see it.`,
  );
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(raw(path));
    return true;
  } catch {
    // Then a part before the last name is the file.
    return false;
  }
}

/** The same order everywhere, whatever the locale. */
function byCode(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

async function entryOf(directory: string, name: string): Promise<object | undefined> {
  const path = join(directory, name);
  try {
    const stats = await statsThrough(path);
    return {
      name: shownName(name),
      isDirectory: stats.isDirectory(),
      size: stats.isDirectory() ? null : stats.size,
      modifiedDate: stats.mtime.toISOString(),
      permissions: permissionsOf(stats.mode),
    };
  } catch {
    // Gone meanwhile, or not ours to look at.
    return undefined;
  }
}

/** What a link points to, or the link itself where it points nowhere. */
async function statsThrough(path: string): Promise<Stats> {
  try {
    return await stat(raw(path));
  } catch {
    return lstat(raw(path));
  }
}

function permissionsOf(mode: number): string {
  return Array.from("rwxrwxrwx", (letter, index) => (mode & (0o400 >> index) ? letter : "-")).join(
    "",
  );
}
