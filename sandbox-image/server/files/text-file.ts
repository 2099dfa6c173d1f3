import { isUtf8 } from "node:buffer";
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  read,
  readFileSync,
  readSync,
} from "node:fs";
import { lstat } from "node:fs/promises";
import { promisify } from "node:util";
import { ToolError } from "../../../src/contract/operation.ts";
import { expectPath } from "./directory.ts";
import { explain } from "./fs-errors.ts";
import { BorrowedMemory } from "./spare-memory.ts";

/** Larger files are for grep and for commands; reading one whole would fill the workspace's memory. */
const FILE_LIMIT_BYTES = 64 * 1024 * 1024;

const SMALL_BYTES = 1024 * 1024;
const readLater = promisify(read);

const OPEN_FILE = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** A text file as it was read, with what is needed to notice that somebody else has written it since. */
export interface TextFile extends Disposable {
  /** Good until this is disposed of. */
  readonly bytes: Buffer;
  readonly stats: BigIntStats;
}

/** Reads a whole text file. `path` must be resolved; `shown` is what errors call it. */
export async function readText(
  path: string,
  shown = path,
): Promise<{ text: string; stats: BigIntStats }> {
  using file = await readTextBytes(path, shown);
  return { text: file.bytes.toString("utf8"), stats: file.stats };
}

/** The same without decoding it: searching a large file's bytes takes half the time. */
export async function readTextBytes(path: string, shown = path): Promise<TextFile> {
  try {
    using file = openFile(path);
    expectPath(file.fd, path);
    const stats = regularFile(file.fd, shown);
    const content = await readWhole(file.fd, Number(stats.size));
    if (!isUtf8(content.bytes) || content.bytes.includes(0)) {
      throw new ToolError(
        "executionFailed",
        `${shown} is binary or not UTF-8 text. Look at it with a command such as file or xxd.`,
      );
    }
    return { bytes: content.bytes, stats, [Symbol.dispose]: () => content[Symbol.dispose]() };
  } catch (error) {
    throw explain(shown, error);
  }
}

function openFile(path: string): Disposable & { readonly fd: number } {
  const fd = openSync(path, OPEN_FILE);
  return { fd, [Symbol.dispose]: () => closeSync(fd) };
}

/** In one piece where the size is right; files of /proc say 0 and have more. */
async function readWhole(fd: number, size: number): Promise<Disposable & { bytes: Buffer }> {
  const memory =
    size > SMALL_BYTES ? new BorrowedMemory(size) : ownMemory(Buffer.allocUnsafe(size));
  if (size > 0 && (await readInto(fd, memory.bytes)) === size) return memory;
  return ownMemory(readFileSync(fd));
}

function ownMemory(bytes: Buffer): Disposable & { bytes: Buffer } {
  return { bytes, [Symbol.dispose]: () => {} };
}

/** A small file is read before another thread would have heard of it. */
async function readInto(fd: number, buffer: Buffer): Promise<number> {
  if (buffer.length <= SMALL_BYTES) return readSync(fd, buffer, 0, buffer.length, 0);
  return (await readLater(fd, buffer, 0, buffer.length, 0)).bytesRead;
}

/** The file's stats without its content. Throws for whatever is not a regular file. */
export async function regularStats(path: string, shown: string): Promise<BigIntStats> {
  try {
    const stats = await lstat(path, { bigint: true });
    checkRegular(stats, shown);
    return stats;
  } catch (error) {
    throw explain(shown, error);
  }
}

/** Devices and pipes have no end, or wait for somebody to write. */
function regularFile(fd: number, path: string): BigIntStats {
  const stats = fstatSync(fd, { bigint: true });
  checkRegular(stats, path);
  if (stats.size > FILE_LIMIT_BYTES) throw tooLarge(path, Number(stats.size));
  return stats;
}

function checkRegular(stats: BigIntStats, path: string): void {
  if (stats.isDirectory()) {
    throw new ToolError(
      "executionFailed",
      `${path} is a directory. Use list_dir to see what is in it.`,
    );
  }
  if (!stats.isFile()) {
    throw new ToolError(
      "executionFailed",
      `${path} is not a regular file. Look at it with a command.`,
    );
  }
}

function tooLarge(path: string, bytes: number): ToolError {
  const megabytes = Math.round(bytes / 1024 / 1024);
  return new ToolError(
    "executionFailed",
    `${path} has ${megabytes} MB, too much to read whole. Use run_command with sed -n or rg.`,
  );
}

/** A CRLF is one line end, and the newline at the end of a file begins no further line. Lines keep their ends. */
export function splitLines(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

/** Whether every line ends with CRLF; a file with both kinds counts as LF. */
export function usesCrlf(text: string): boolean {
  const first = text.indexOf("\n");
  return first > 0 && text[first - 1] === "\r" && !/(?<!\r)\n/.test(text);
}

/** Puts the file's own line ends on text that was written with plain newlines. */
export function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}
