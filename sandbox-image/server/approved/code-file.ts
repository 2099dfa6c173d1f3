import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import {
  CODE_FILE_LIMIT_BYTES,
  type CodeFile,
  DATA_LIMIT_BYTES,
  type InspectedFile,
} from "../../../src/contract/workspace/approved-run.ts";
import { codeOf } from "../error-code.ts";
import { replaceablePart } from "./route.ts";

/** A file as it was while its digest was made, through one descriptor. */
export interface DigestedFile {
  readonly file: CodeFile;
  readonly owner: { readonly uid: number; readonly gid: number };
  readonly modified: Date;
}

interface UnfitFileError {
  readonly path: string;
  /** Undefined when there is no file. */
  readonly why: string | undefined;
  readonly isDirectory: boolean;
}

export interface DigestOptions {
  readonly followLink: boolean;
  readonly limitBytes?: number;
  /** Gets the bytes that are digested; the piece is reused afterwards. */
  readonly onBytes?: (piece: Buffer) => void;
}

/** Looks at a path as root. Links are followed: the guard binds where they lead. */
export function inspectFile(asked: string, limitBytes = DATA_LIMIT_BYTES): InspectedFile {
  const system = systemFileAt(asked);
  if (system) return system;
  const found = digestFile(asked, { followLink: true, limitBytes });
  if ("file" in found) return { kind: "file", asked, file: found.file };
  const { path, why, isDirectory } = found;
  if (why === undefined) {
    const route = replaceablePart({ path: asked, isRemoved: false });
    return { kind: "missing", asked, path, isWorkloads: route !== undefined };
  }
  if (isDirectory) return { kind: "directory", asked, path };
  return { kind: "unfit", asked, path, why, isWorkloads: isWorkloads(asked) };
}

/** A file that the agent can neither change nor put another in the place of; undefined for all others. */
export function systemFileAt(asked: string): InspectedFile | undefined {
  const path = realPathOf(asked);
  if (path === undefined || !isSystemPath(path)) return undefined;
  const replaceable = replaceablePart({ path: asked, isRemoved: false });
  if (replaceable === undefined) return { kind: "system", asked, path };
  const why = `is reached through ${replaceable}, which the workload could replace with a link`;
  return { kind: "unfit", asked, path: asked, why, isWorkloads: true };
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // missing or hidden: opening it says which
  }
}

/** Whether the workload can replace what a path leads to, or has it for its own. */
function isWorkloads(asked: string): boolean {
  if (replaceablePart({ path: asked, isRemoved: false }) !== undefined) return true;
  return statSync(asked, { throwIfNoEntry: false })?.uid !== 0;
}

/** Reads a whole regular file through one descriptor, so that type, path, size and bytes are those of one file. */
export function digestFile(
  path: string,
  { followLink, limitBytes = DATA_LIMIT_BYTES, onBytes }: DigestOptions,
): DigestedFile | UnfitFileError {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let descriptor: number;
  try {
    // Without waiting: a pipe that no process writes to would keep root here for ever.
    descriptor = openSync(path, O_RDONLY | O_NONBLOCK | (followLink ? 0 : O_NOFOLLOW));
  } catch (error) {
    const isMissing = codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
    const why = isMissing ? undefined : kindOf(path);
    return { path, why, isDirectory: false };
  }
  try {
    return digestOpen(descriptor, limitBytes, onBytes);
  } finally {
    closeSync(descriptor);
  }
}

/** A file that is no larger than code may be, with its bytes. */
export function readSmallFile(
  path: string,
): (DigestedFile & { readonly bytes: Buffer }) | UnfitFileError {
  const pieces: Buffer[] = [];
  const onBytes = (piece: Buffer) => void pieces.push(Buffer.from(piece));
  const found = digestFile(path, { followLink: true, limitBytes: CODE_FILE_LIMIT_BYTES, onBytes });
  return "file" in found ? { ...found, bytes: Buffer.concat(pieces) } : found;
}

const PIECE_BYTES = 64 * 1024;

function digestOpen(
  descriptor: number,
  limitBytes: number,
  onBytes: DigestOptions["onBytes"],
): DigestedFile | UnfitFileError {
  const path = readlinkSync(`/proc/self/fd/${descriptor}`);
  const found = fstatSync(descriptor);
  if (!found.isFile()) {
    return { path, why: notRegular(found), isDirectory: found.isDirectory() };
  }
  const unfit = (why: string) => ({ path, why, isDirectory: false });
  if (found.size > limitBytes) return unfit(tooLarge(found.size));
  // Loaded here, because the workspace's own server starts from the same bundle without it.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const digest = createHash("sha256");
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  let size = 0;
  for (let count = -1; count !== 0; size += count) {
    count = readSync(descriptor, piece, 0, PIECE_BYTES, null);
    if (size + count > limitBytes) return unfit("is being written to");
    digest.update(piece.subarray(0, count));
    onBytes?.(piece.subarray(0, count));
  }
  const { uid, gid, mtime } = found;
  return {
    file: { path, sha256: digest.digest("hex"), size, mode: found.mode & 0o777 },
    owner: { uid, gid },
    modified: mtime,
  };
}

function tooLarge(size: number): string {
  const limit = `${DATA_LIMIT_BYTES / 1024 / 1024} MB`;
  return size > DATA_LIMIT_BYTES
    ? `is larger than ${limit}`
    : `exceeds ${limit} together with the command's other files`;
}

/** What cannot be opened at all: a socket, or something hidden. */
function kindOf(path: string): string {
  try {
    return lstatSync(path).isSocket() ? "is a socket, not a regular file" : "cannot be opened";
  } catch {
    return "cannot be opened";
  }
}

function notRegular(found: Stats): string {
  if (found.isDirectory()) return "is a directory, not a regular file";
  if (found.isFIFO()) return "is a named pipe, not a regular file";
  return "is a device, not a regular file";
}

/** What the server keeps there, copies and checkpoints, holds the workload's bytes although it is root's. */
const HOLDS_WORKLOADS = /^\/(?:run|var\/lib)\/deckhand\//;

/** Whether only root can change what this real path leads to: each part of it is root's and writable by no one else. */
function isSystemPath(path: string): boolean {
  if (HOLDS_WORKLOADS.test(path)) return false;
  for (let part = path; ; part = dirname(part)) {
    const found = lstatSync(part, { throwIfNoEntry: false });
    if (!found || found.isSymbolicLink() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
      return false;
    }
    if (part === "/") return true;
  }
}
