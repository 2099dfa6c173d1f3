import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  futimesSync,
  lchownSync,
  lutimesSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { codeOf } from "../error-code.ts";
import { type Blobs, writeAll } from "./blobs.ts";
import { type Bytes, nameOf, raw } from "./bytes.ts";
import { piecesOf } from "./capture.ts";
import type { Entry } from "./entry.ts";
import { isMoved } from "./errors.ts";
import { Flushes } from "./flushes.ts";
import type { Folder } from "./folder.ts";
import type { Pace } from "./pace.ts";

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const TRIES = 10;

/**
 * A directory in the workspace that only root can enter. Everything is made complete in it, owner and mode included,
 * and then moved to its place in one step. So no file is ever half there, nobody can touch what is being made, and
 * what a killed restore leaves behind is all in one place.
 */
export class Staging implements Disposable {
  readonly #folder: Folder;
  readonly #blobs: Blobs;
  readonly #flushes = new Flushes();
  #count = 0;

  private constructor(folder: Folder, blobs: Blobs) {
    this.#folder = folder;
    this.#blobs = blobs;
  }

  static make(root: Folder, name: Bytes, blobs: Blobs): Staging {
    for (let tries = 0; tries < TRIES; tries++) {
      removeStaging(root, name);
      const folder = makeOwn(root, name);
      if (folder) return new Staging(folder, blobs);
    }
    throw new ToolError(
      "executionFailed",
      "A process in the workspace interferes with the restore. Stop it first.",
    );
  }

  /** Resolves when there is room for the next; `settle` waits for all, and `onPlaced` tells of each. */
  async putFile(parent: Folder, entry: Entry, pace: Pace, onPlaced: OnPlaced): Promise<void> {
    const name = this.#next();
    const fd = openSync(this.#folder.at(name), NEW, 0o600);
    try {
      await copyBlob(this.#blobs, entry, fd, pace);
      dress(fd, entry);
    } catch (error) {
      closeSync(fd);
      unlinkSync(this.#folder.at(name));
      throw error;
    }
    await this.#flushes.add(fd, () => onPlaced(this.#place(name, parent, entry)));
  }

  putLink(parent: Folder, entry: Entry): void {
    const name = this.#next();
    const path = this.#folder.at(name);
    symlinkSync(raw(entry.content), path);
    lchownSync(path, entry.uid, entry.gid);
    lutimesSync(path, entry.mtimeMs / 1000, entry.mtimeMs / 1000);
    rethrow(this.#place(name, parent, entry));
  }

  /** Returns the new directory's inode: whoever completes it later must not take another one for it. */
  makeFolder(parent: Folder, entry: Entry): number {
    const name = this.#next();
    mkdirSync(this.#folder.at(name), 0o700);
    const { ino } = this.#folder.lstat(name) ?? { ino: 0 };
    rethrow(this.#place(name, parent, entry));
    return ino;
  }

  async settle(): Promise<void> {
    await this.#flushes.settle();
  }

  #next(): Bytes {
    this.#count += 1;
    return String(this.#count);
  }

  /** A workload that moved the place away is no failure of the restore: it is told, and the next pass sees to it. */
  #place(name: Bytes, parent: Folder, entry: Entry): unknown {
    try {
      renameSync(this.#folder.at(name), parent.at(nameOf(entry.path)));
      return undefined;
    } catch (error) {
      removeOne(this.#folder, name);
      return error;
    }
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

/** Undefined when somebody put something else in its place before it could be opened. */
function makeOwn(root: Folder, name: Bytes): Folder | undefined {
  try {
    mkdirSync(root.at(name), 0o700);
    const folder = root.enter(name);
    const { uid, mode } = folder.stats();
    if (uid === process.geteuid?.() && (mode & 0o077) === 0) return folder;
    folder[Symbol.dispose]();
    return undefined;
  } catch (error) {
    if (isMoved(error)) return undefined;
    throw error;
  }
}

export type OnPlaced = (failure: unknown) => void;

function rethrow(failure: unknown): void {
  if (failure !== undefined) throw failure;
}

/** Takes the staging directory away, whatever is in it. False when somebody keeps filling it. */
export function removeStaging(root: Folder, name: Bytes): boolean {
  try {
    using folder = root.enter(name);
    for (const child of folder.names()) removeOne(folder, child);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return true;
    if (!isMoved(error)) throw error;
  }
  removeOne(root, name);
  return root.lstat(name) === undefined;
}

function removeOne(folder: Folder, name: Bytes): void {
  try {
    if (folder.lstat(name)?.isDirectory()) rmdirSync(folder.at(name));
    else unlinkSync(folder.at(name));
  } catch (error) {
    if (!isMoved(error)) throw error;
  }
}

async function copyBlob(blobs: Blobs, entry: Entry, to: number, pace: Pace): Promise<void> {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const hash = createHash("sha256");
  using blob = openBlob(blobs, entry);
  for (const piece of piecesOf(blob.fd, entry.size)) {
    hash.update(piece);
    writeAll(to, piece);
    if (pace.isDue) await pace.rest();
  }
  if (hash.digest("hex") !== entry.content) throw new DamagedBlobError();
}

function openBlob(blobs: Blobs, { content }: Entry) {
  try {
    return blobs.open(content);
  } catch (error) {
    throw codeOf(error) === "ENOENT" ? new DamagedBlobError({ cause: error }) : error;
  }
}

/** The store no longer has what it took in. */
export class DamagedBlobError extends Error {
  constructor(options?: ErrorOptions) {
    super("its stored content is damaged or missing", options);
    this.name = "DamagedBlobError";
  }
}

/** Owner before mode: changing the owner clears setuid and setgid. Time last. */
export function dress(fd: number, { uid, gid, mode, mtimeMs }: Entry): void {
  fchownSync(fd, uid, gid);
  if (mode & 0o2000) chmodAsGroup(fd, mode, gid);
  else fchmodSync(fd, mode);
  futimesSync(fd, mtimeMs / 1000, mtimeMs / 1000);
}

/** Without CAP_FSETID the kernel drops setgid in silence unless the file's group is one's own. */
function chmodAsGroup(fd: number, mode: number, gid: number): void {
  const own = process.getegid?.() ?? 0;
  if (own !== gid) process.setegid?.(gid);
  try {
    fchmodSync(fd, mode);
  } finally {
    if (own !== gid) process.setegid?.(own);
  }
}
