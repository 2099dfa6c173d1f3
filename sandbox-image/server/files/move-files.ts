import type { Stats } from "node:fs";
import { cp, link, lstat, mkdir, open, rename, rm, rmdir, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { shownName } from "../../../src/lib/file-names.ts";
import { codeOf } from "../error-code.ts";
import type { Answer } from "../handlers.ts";
import { Directory } from "./directory.ts";
import { explain } from "./fs-errors.ts";
import type { Place } from "./place.ts";

/** Removes the file, or the link itself. */
export async function deleteFile({ path, shown }: Place): Promise<Answer> {
  try {
    using directory = Directory.open(dirname(path));
    const target = directory.at(basename(path));
    if ((await lstat(target)).isDirectory()) throw isDirectory(shown);
    await unlink(target);
    return { message: `${shownName(basename(path))} was deleted.`, filePath: shown };
  } catch (error) {
    throw explain(shown, error, "written");
  }
}

function isDirectory(shown: string): ToolError {
  return new ToolError(
    "executionFailed",
    `${shown} is a directory and was not deleted. Delete a directory with run_command and rm -r.`,
  );
}

/** Moves a file or directory. Whatever is at the new place is never replaced, also if it gets there meanwhile. */
export async function renameFile(from: Place, to: Place): Promise<Answer> {
  if (from.path === to.path) throw samePath(from.shown);
  if (to.exists) throw occupied(to.shown);
  using source = await openParent(from);
  const origin = source.at(basename(from.path));
  const stats = await statsOf(origin, from.shown);
  if (stats.isDirectory() && to.path.startsWith(`${from.path}/`)) throw intoItself(from.shown);
  using directory = await makeParent(to);
  try {
    await move(origin, directory, basename(to.path), stats);
  } catch (error) {
    await directory.unmake();
    throw explainMove(error, from, to);
  }
  return {
    message: `${from.shown} is now ${to.shown}.`,
    oldPath: from.shown,
    newPath: to.shown,
  };
}

async function openParent({ path, shown }: Place): Promise<Directory> {
  try {
    return Directory.open(dirname(path));
  } catch (error) {
    throw explain(shown, error);
  }
}

async function makeParent({ path, shown }: Place): Promise<Directory> {
  try {
    return await Directory.make(dirname(path));
  } catch (error) {
    throw explain(shown, error, "written");
  }
}

async function statsOf(path: string | Buffer, shown: string): Promise<Stats> {
  try {
    return await lstat(path);
  } catch (error) {
    throw explain(shown, error);
  }
}

async function move(
  origin: string | Buffer,
  directory: Directory,
  name: string,
  stats: Stats,
): Promise<void> {
  const target = directory.at(name);
  try {
    await moveWithin(origin, target, stats);
  } catch (error) {
    if (codeOf(error) !== "EXDEV") throw error;
    await moveAcross(origin, directory, target);
  }
}

/** `rename` replaces a file and an empty directory without asking; a second name and `mkdir` do not. */
async function moveWithin(
  origin: string | Buffer,
  target: string | Buffer,
  stats: Stats,
): Promise<void> {
  if (stats.isDirectory()) {
    await mkdir(target);
    await renameOver(origin, target, () => rmdir(target));
    return;
  }
  try {
    await link(origin, target);
  } catch (error) {
    // Another user's file, or a file system without hard links: reserve the name instead.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK"].includes(codeOf(error))) throw error;
    await (await open(target, "wx")).close();
    await renameOver(origin, target, () => unlink(target));
    return;
  }
  await unlinkOr(origin, () => unlink(target));
}

async function renameOver(
  origin: string | Buffer,
  target: string | Buffer,
  giveBack: () => Promise<void>,
): Promise<void> {
  try {
    await rename(origin, target);
  } catch (error) {
    await giveBack();
    throw error;
  }
}

async function unlinkOr(origin: string | Buffer, takeBack: () => Promise<void>): Promise<void> {
  try {
    await unlink(origin);
  } catch (error) {
    await takeBack();
    throw error;
  }
}

/** To another file system: a whole copy first, then the name, and only then does the original go. */
async function moveAcross(
  origin: string | Buffer,
  directory: Directory,
  target: string | Buffer,
): Promise<void> {
  // Node copies only what is named in UTF-8.
  if (typeof origin !== "string") throw notCopied();
  const copy = String(directory.at(`.deckhand-${crypto.randomUUID()}.new`));
  try {
    await cp(origin, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    await moveWithin(copy, target, await lstat(copy));
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    throw error;
  }
  await rm(origin, { recursive: true });
}

function explainMove(error: unknown, from: Place, to: Place): ToolError {
  const code = codeOf(error);
  if (code === "EEXIST" || code === "ENOTEMPTY") return occupied(to.shown);
  return explain(code === "ENOENT" ? from.shown : to.shown, error, "written");
}

function notCopied(): ToolError {
  return new ToolError(
    "executionFailed",
    "A name that is not UTF-8 cannot be moved to another file system; nothing was moved. Use run_command with mv.",
  );
}

function samePath(shown: string): ToolError {
  return new ToolError(
    "executionFailed",
    `${shown} already has this path, so nothing was done. Use another newPath.`,
  );
}

function occupied(shown: string): ToolError {
  return new ToolError(
    "executionFailed",
    `${shown} already exists, so nothing was moved. Use another newPath, or delete that file first.`,
  );
}

function intoItself(shown: string): ToolError {
  return new ToolError(
    "executionFailed",
    `${shown} cannot be moved into itself. Use another newPath.`,
  );
}
