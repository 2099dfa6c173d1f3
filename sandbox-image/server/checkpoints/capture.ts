import { constants, fstatSync, readSync, type Stats } from "node:fs";
import type { BlobIntake } from "./blobs.ts";
import type { Bytes } from "./bytes.ts";
import { isUntouched } from "./entry.ts";
import { isMoved } from "./errors.ts";
import { type Folder, OpenFile } from "./folder.ts";
import type { Pace } from "./pace.ts";
import { StoreFullError } from "./store-room.ts";

// A fifo put in the file's place would block an ordinary open.
const { O_RDONLY, O_NONBLOCK } = constants;
const PIECE_BYTES = 1024 * 1024;
const TRIES = 3;

export interface CaptureOptions {
  readonly maxFileBytes: number;
  /** Where content is kept; without it, files are only hashed. */
  readonly intake?: BlobIntake | undefined;
  readonly pace: Pace;
}

/** A file's hash and what the file was while it was read, or why it could not be read. */
export type Captured =
  | { readonly stats: Stats; readonly hash: string; readonly why: "" }
  | { readonly stats: Stats; readonly hash: ""; readonly why: string };

/** Undefined when there is no regular file of that name any more. */
export async function capture(
  folder: Folder,
  name: Bytes,
  options: CaptureOptions,
): Promise<Captured | undefined> {
  for (let tries = 1; ; tries++) {
    using file = openIfFile(folder, name);
    if (!file) return undefined;
    const stats = fstatSync(file.fd);
    const refused = refusal(stats, options.maxFileBytes);
    if (refused) return { stats, hash: "", why: refused };
    const hash = await readStill(file.fd, stats, options);
    if (hash) return { stats, hash, why: "" };
    if (tries === TRIES) return { stats, hash: "", why: "it kept changing while being read" };
  }
}

function openIfFile(folder: Folder, name: Bytes): OpenFile | undefined {
  try {
    const file = new OpenFile(folder.at(name), O_RDONLY | O_NONBLOCK);
    if (fstatSync(file.fd).isFile()) return file;
    file[Symbol.dispose]();
    return undefined;
  } catch (error) {
    if (isMoved(error)) return undefined;
    throw error;
  }
}

function refusal(stats: Stats, maxFileBytes: number): string | undefined {
  if (stats.size <= maxFileBytes) return undefined;
  return `it is larger than ${Math.floor(maxFileBytes / 1024 / 1024)} MB`;
}

/** The hash of the content, which is kept too; undefined when somebody wrote to the file meanwhile. */
async function readStill(
  fd: number,
  stats: Stats,
  { intake, pace }: CaptureOptions,
): Promise<string | undefined> {
  if (stats.size < PIECE_BYTES) return readSmall(fd, stats, intake);
  const { createHash } = process.getBuiltinModule("node:crypto");
  const hash = createHash("sha256");
  const writer = intake?.begin(stats.size);
  try {
    for (const piece of piecesOf(fd, stats.size)) {
      hash.update(piece);
      writer?.write(piece);
      if (pace.isDue) await pace.rest();
    }
  } catch (error) {
    writer?.drop();
    throw error;
  }
  if (!isUntouched(stats, fstatSync(fd))) {
    writer?.drop();
    return undefined;
  }
  const digest = hash.digest("hex");
  if (intake && !writer && !intake.has(digest)) throw new StoreFullError();
  await writer?.keep(digest);
  return digest;
}

async function readSmall(
  fd: number,
  stats: Stats,
  intake: BlobIntake | undefined,
): Promise<string | undefined> {
  const bytes = readUpTo(fd, stats.size);
  if (bytes.length !== stats.size || !isUntouched(stats, fstatSync(fd))) return undefined;
  const { hash } = process.getBuiltinModule("node:crypto");
  const digest = hash("sha256", bytes);
  await intake?.put(digest, bytes);
  return digest;
}

/** The file's content, or its first `limit` bytes. */
export function readUpTo(fd: number, limit: number): Buffer {
  const bytes = Buffer.allocUnsafe(limit);
  for (let at = 0; at < limit; ) {
    const length = readSync(fd, bytes, at, limit - at, at);
    if (length === 0) return bytes.subarray(0, at);
    at += length;
  }
  return bytes;
}

/** The file's content, at most `limit` bytes. Each piece is good until the next one is asked for. */
export function* piecesOf(fd: number, limit: number): Generator<Buffer> {
  const piece = Buffer.allocUnsafe(Math.min(limit, PIECE_BYTES));
  for (let at = 0; at < limit; ) {
    const length = readSync(fd, piece, 0, Math.min(piece.length, limit - at), at);
    if (length === 0) return;
    yield piece.subarray(0, length);
    at += length;
  }
}
