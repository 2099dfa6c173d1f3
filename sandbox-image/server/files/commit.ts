import { type BigIntStats, constants } from "node:fs";
import { access, type FileHandle, link, lstat, open, rename, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { ToolError } from "../../../src/contract/operation.ts";
import { Directory } from "./directory.ts";
import { codeOf, explain } from "./fs-errors.ts";

/** Text, or its bytes, or the pieces that they consist of. */
type Content = string | Buffer | readonly Buffer[];

/** More pieces than this are cheaper to copy together than to write one by one. */
const MAX_PIECES = 8;

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

/** Puts all the changes into effect, or none and throws. Each file is old or new at any moment, never half. */
export async function commit(changes: readonly Change[]): Promise<void> {
  const staged: Staged[] = [];
  try {
    for (const change of changes) staged.push(await stage(change));
    for (const one of staged) await checkUnchanged(one);
    await exchangeAll(staged);
  } catch (error) {
    await Promise.all(staged.map(discard));
    for (const { directory } of staged.toReversed()) await directory.unmake();
    throw error;
  } finally {
    for (const { directory } of staged) await directory[Symbol.asyncDispose]();
  }
}

/** A change whose new content waits under another name in the same directory. */
interface Staged {
  readonly change: Change;
  readonly directory: Directory;
  readonly target: string;
  readonly fresh: string;
  /** A second name for the old file while the exchange may still have to be undone. */
  readonly kept: string;
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
    if (change.before) await access(staged.target, constants.W_OK);
    if (change.after !== undefined) await writeFresh(staged, change.after);
    return staged;
  } catch (error) {
    await discard(staged);
    await directory.unmake();
    await directory[Symbol.asyncDispose]();
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

async function writeFresh({ change, fresh }: Staged, content: Content): Promise<void> {
  await using file = await open(fresh, "wx", change.executable ? 0o777 : 0o666);
  const mode = change.mode ?? (change.before && Number(change.before.mode) & 0o7777);
  if (change.before) await keepOwner(file, change.before);
  if (mode !== undefined) await file.chmod(mode);
  await writeWhole(file, piecesOf(content));
  await file.datasync();
}

/** In one piece: `writeFile` would cut it into many. */
async function writeWhole(file: FileHandle, pieces: readonly Buffer[]): Promise<void> {
  const whole = pieces.length > MAX_PIECES ? [Buffer.concat(pieces)] : pieces;
  for (const piece of whole) {
    for (let done = 0; done < piece.length; ) {
      done += (await file.write(piece, done)).bytesWritten;
    }
  }
}

function piecesOf(content: Content): readonly Buffer[] {
  if (typeof content === "string") return [Buffer.from(content)];
  return Buffer.isBuffer(content) ? [content] : content;
}

/** Root writes files of others and must leave them theirs; nobody else can give a file away. */
async function keepOwner(
  file: { chown(uid: number, gid: number): Promise<void> },
  { uid, gid }: BigIntStats,
): Promise<void> {
  try {
    if (process.geteuid?.() === 0) await file.chown(Number(uid), Number(gid));
  } catch (error) {
    if (codeOf(error) !== "EPERM") throw error;
  }
}

async function checkUnchanged({ change, target }: Staged): Promise<void> {
  const { before, shown } = change;
  const now = await statsOf(target, shown);
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

async function statsOf(path: string, shown: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
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

async function exchangeAll(staged: readonly Staged[]): Promise<void> {
  const done: Staged[] = [];
  const undoable = staged.length > 1;
  try {
    for (const one of staged) {
      await exchange(one, undoable);
      done.push(one);
    }
  } catch (error) {
    const stuck = await undoAll(done.reverse());
    throw stuck.length > 0 ? halfDone(stuck, error) : error;
  }
  await Promise.all(staged.map(discard));
}

/** Returns what could not be put back: its old content must then not be thrown away. */
async function undoAll(done: readonly Staged[]): Promise<Staged[]> {
  const stuck: Staged[] = [];
  for (const one of done) {
    try {
      await undo(one);
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

async function exchange(staged: Staged, undoable: boolean): Promise<void> {
  const { change, target, fresh, kept } = staged;
  try {
    if (change.after === undefined) await rename(target, kept);
    else if (change.before === undefined) await putNew(fresh, target);
    else {
      if (undoable) await link(target, kept);
      await rename(fresh, target);
    }
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw existsAlready(change.shown);
    throw explain(change.shown, error, "written");
  }
}

/** A second name never replaces a file that has come into being since; a rename would. */
async function putNew(fresh: string, target: string): Promise<void> {
  try {
    await link(fresh, target);
  } catch (error) {
    // File systems without hard links: reserve the name, then rename over what was reserved.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(codeOf(error))) throw error;
    await (await open(target, "wx")).close();
    await rename(fresh, target);
  }
}

async function undo({ change, target, kept }: Staged): Promise<void> {
  if (change.before) await rename(kept, target);
  else await unlink(target);
}

async function discard({ fresh, kept, stuck }: Staged): Promise<void> {
  for (const leftover of stuck ? [fresh] : [fresh, kept]) {
    try {
      await unlink(leftover);
    } catch {
      // It was used, or never made.
    }
  }
}
