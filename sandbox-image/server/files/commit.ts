import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { ToolError } from "../../../src/contract/operation.ts";
import { codeOf } from "../error-code.ts";
import { Directory } from "./directory.ts";
import type { Exchange, ExchangeLog } from "./exchange-log.ts";
import { type Content, FreshFile } from "./fresh-file.ts";
import { explain } from "./fs-errors.ts";

/** What one file is to become. */
export interface Change {
  /** Resolved. */
  readonly path: string;
  readonly shown: string;
  /** The file as it was read; absent when there must not be one. */
  readonly before?: BigIntStats;
  /** The new text; absent when the file goes. */
  readonly after?: Content;
  /** Permission bits; those of before, or what the umask leaves, when left out. */
  readonly mode?: number;
  /** A new file that may be run, as far as the umask lets it. */
  readonly executable?: boolean;
}

/**
 * Puts all the changes into effect, or none and throws. Each file is old or new at any moment, never half; with a log, all
 * of them are old again after a crash in the middle. All but the content itself is done synchronously: a handful of names
 * takes less time than one trip through the thread pool.
 */
export async function commit(changes: readonly Change[], log?: ExchangeLog): Promise<void> {
  const staged: Staged[] = [];
  const mark = crypto.randomUUID();
  const isLogged = log !== undefined && changes.length > 1;
  try {
    for (const change of changes) staged.push(await stage(change));
    if (isLogged) await log.begin(mark, staged.map(namesOf));
    for (const one of staged) checkUnchanged(one);
    exchangeAll(staged);
    if (isLogged) log.exchanged(mark);
    staged.forEach(discard);
  } catch (error) {
    staged.forEach(discard);
    for (const { directory } of staged.toReversed()) await directory.unmake();
    throw error;
  } finally {
    if (isLogged) log.end(mark);
    for (const { directory, file } of staged) {
      file?.[Symbol.dispose]();
      directory[Symbol.dispose]();
    }
  }
}

function namesOf({ change, fresh, kept }: Staged): Exchange {
  const [directory, target] = [dirname(change.path), basename(change.path)];
  return { directory, target, fresh: basename(fresh), kept: basename(kept) };
}

/** A change whose new content waits under another name in the same directory. */
interface Staged {
  readonly change: Change;
  readonly directory: Directory;
  readonly target: string;
  readonly fresh: string;
  /** A second name for the old file while the exchange may still have to be undone. */
  readonly kept: string;
  file?: FreshFile;
  /** The exchange could not be undone, and `kept` is the only copy of what was there. */
  stuck: boolean;
}

async function stage(change: Change): Promise<Staged> {
  const directory = await openParent(change);
  const mark = crypto.randomUUID();
  const staged: Staged = {
    change,
    directory,
    target: directory.at(basename(change.path)),
    fresh: directory.at(`.deckhand-${mark}.new`),
    kept: directory.at(`.deckhand-${mark}.old`),
    stuck: false,
  };
  try {
    if (change.before) accessSync(staged.target, constants.W_OK);
    if (change.after !== undefined) staged.file = await writeFresh(staged, change.after);
    return staged;
  } catch (error) {
    discard(staged);
    await directory.unmake();
    directory[Symbol.dispose]();
    throw explain(change.shown, error, "written");
  }
}

async function openParent({ path, shown, before }: Change): Promise<Directory> {
  try {
    const parent = dirname(path);
    return await (before ? Directory.open(parent) : Directory.make(parent));
  } catch (error) {
    throw explain(shown, error, "written");
  }
}

async function writeFresh({ change, fresh }: Staged, content: Content): Promise<FreshFile> {
  const { before, executable, mode = before && Number(before.mode) & 0o7777 } = change;
  const file = new FreshFile(fresh, executable ? 0o777 : 0o666);
  try {
    if (before) keepOwner(file.fd, before);
    if (mode !== undefined) fchmodSync(file.fd, mode);
    await file.write(content);
    await file.secure({ replaces: before !== undefined });
    return file;
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}

/** Root writes files of others and must leave them theirs; nobody else can give a file away. */
function keepOwner(fd: number, { uid, gid }: BigIntStats): void {
  try {
    if (process.geteuid?.() === 0) fchownSync(fd, Number(uid), Number(gid));
  } catch (error) {
    if (codeOf(error) !== "EPERM") throw error;
  }
}

function checkUnchanged({ change, target }: Staged): void {
  const { before, shown } = change;
  const now = statsOf(target, shown);
  if (!before && now) throw existsAlready(shown);
  if (before && !(now && isSame(before, now))) {
    throw new ToolError(
      "executionFailed",
      `${shown} was changed by somebody else meanwhile; nothing was written. Read it again and repeat the edit.`,
    );
  }
}

function isSame(before: BigIntStats, now: BigIntStats): boolean {
  return before.ino === now.ino && before.size === now.size && before.mtimeNs === now.mtimeNs;
}

function statsOf(path: string, shown: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw explain(shown, error, "written");
  }
}

function existsAlready(shown: string): ToolError {
  return new ToolError(
    "executionFailed",
    `${shown} came into being meanwhile; nothing was written. Look at it first.`,
  );
}

function exchangeAll(staged: readonly Staged[]): void {
  const done: Staged[] = [];
  try {
    if (staged.length > 1) staged.forEach(keepOld);
    for (const one of staged) {
      exchange(one);
      done.push(one);
    }
  } catch (error) {
    const stuck = undoAll(done.reverse());
    throw stuck.length > 0 ? halfDone(stuck, error) : error;
  }
}

/** Returns what could not be put back: its old content must then not be thrown away. */
function undoAll(done: readonly Staged[]): Staged[] {
  const stuck: Staged[] = [];
  for (const one of done) {
    try {
      undo(one);
    } catch {
      one.stuck = true;
      stuck.push(one);
    }
  }
  return stuck;
}

function halfDone(stuck: readonly Staged[], cause: unknown): ToolError {
  const names = stuck.map(({ change, kept }) => `${change.shown} (${basename(kept)} beside it)`);
  return new ToolError(
    "executionFailed",
    `The change failed halfway and could not be taken back everywhere. The old content was kept for: ${names.join(", ")}.`,
    {},
    { cause },
  );
}

/** Before anything is exchanged: from then on all of it can be taken back. */
function keepOld({ change, target, kept }: Staged): void {
  try {
    if (change.before) linkSync(target, kept);
  } catch (error) {
    throw explain(change.shown, error, "written");
  }
}

function exchange({ change, target, fresh }: Staged): void {
  try {
    if (change.after === undefined) unlinkSync(target);
    else if (change.before === undefined) putNew(fresh, target);
    else renameSync(fresh, target);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw existsAlready(change.shown);
    throw explain(change.shown, error, "written");
  }
}

/** A second name never replaces a file that has come into being since; a rename would. */
function putNew(fresh: string, target: string): void {
  try {
    linkSync(fresh, target);
  } catch (error) {
    // File systems without hard links: reserve the name, then rename over what was reserved.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(codeOf(error))) throw error;
    closeSync(openSync(target, "wx"));
    renameSync(fresh, target);
  }
}

function undo({ change, target, kept }: Staged): void {
  if (change.before) renameSync(kept, target);
  else unlinkSync(target);
}

function discard({ fresh, kept, stuck }: Staged): void {
  for (const leftover of stuck ? [fresh] : [fresh, kept]) {
    try {
      unlinkSync(leftover);
    } catch {
      // It was used, or never made.
    }
  }
}
