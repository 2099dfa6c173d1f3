import type { Dirent, Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { mayHaveLost, nameFrom, raw } from "../../../../src/lib/file-names.ts";
import { EXCLUDED_DIRECTORIES } from "../glob/excluded.ts";

/** One directory as it was when it was last read. */
export interface ScannedDirectory {
  readonly modifiedMs: number;
  readonly readAtMs: number;
  readonly files: readonly ScannedFile[];
  readonly directories: readonly string[];
}

interface ScannedFile {
  readonly name: string;
  readonly size: number;
}

/** A change within the clock's grain after reading would leave no trace in the directory's time. */
const CLOCK_GRAIN_MS = 100;
const EXCLUDED = new Set(EXCLUDED_DIRECTORIES);

/** Whether the directory may list other names than when it was read. */
export async function isStale(path: string, known: ScannedDirectory): Promise<boolean> {
  const stats = await statsOf(path);
  if (!stats) return true;
  return stats.mtimeMs !== known.modifiedMs || known.readAtMs - known.modifiedMs < CLOCK_GRAIN_MS;
}

/** Reads one directory; undefined when it is gone or may not be read. Links are neither followed nor listed. */
export async function scanDirectory(
  path: string,
  left: number,
): Promise<ScannedDirectory | undefined> {
  const stats = await statsOf(path);
  const readAtMs = Date.now();
  if (!stats?.isDirectory()) return undefined;
  const entries = (await entriesOf(path))
    .filter(({ name }) => !name.startsWith("."))
    .slice(0, left);
  const directories = entries.filter((entry) => entry.isDirectory() && !EXCLUDED.has(entry.name));
  const files = await filesOf(
    path,
    entries.filter((entry) => entry.isFile()),
  );
  return {
    modifiedMs: stats.mtimeMs,
    readAtMs,
    files,
    directories: directories.map(({ name }) => name),
  };
}

type Listed = Pick<Dirent, "name" | "isFile" | "isDirectory">;

async function entriesOf(path: string): Promise<Listed[]> {
  try {
    const entries = await readdir(raw(path), { withFileTypes: true, encoding: "utf8" });
    if (!entries.some(({ name }) => mayHaveLost(name))) return entries;
    const exact = await readdir(raw(path), { withFileTypes: true, encoding: "buffer" });
    return exact.map((entry) => ({
      name: nameFrom(entry.name),
      isFile: () => entry.isFile(),
      isDirectory: () => entry.isDirectory(),
    }));
  } catch {
    // Gone meanwhile, or not readable: then it has nothing to list.
    return [];
  }
}

/** Few enough at a time that others get their turn at the file system. */
const AT_ONCE = 64;

async function filesOf(path: string, entries: readonly Listed[]): Promise<ScannedFile[]> {
  const files: ScannedFile[] = [];
  for (let from = 0; from < entries.length; from += AT_ONCE) {
    const some = entries.slice(from, from + AT_ONCE).map(({ name }) => fileOf(path, name));
    files.push(...(await Promise.all(some)).filter((file) => file !== undefined));
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function fileOf(directory: string, name: string): Promise<ScannedFile | undefined> {
  const stats = await statsOf(`${directory}/${name}`);
  return stats && { name, size: stats.size };
}

async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(raw(path));
  } catch {
    // Gone meanwhile.
    return undefined;
  }
}
