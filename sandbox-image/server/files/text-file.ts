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

/** So much is there within a millisecond or two when the file was used lately. */
const SMALL_BYTES = 8 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
const BORROW_BYTES = 1024 * 1024;
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
    if (!content.isText) {
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

interface Content extends Disposable {
  readonly bytes: Buffer;
  readonly isText: boolean;
}

async function readWhole(fd: number, size: number): Promise<Content> {
  const memory =
    size > BORROW_BYTES ? new BorrowedMemory(size) : { bytes: Buffer.allocUnsafe(size) };
  const check = new TextCheck(memory.bytes);
  const letGo = () => (memory instanceof BorrowedMemory ? memory[Symbol.dispose]() : undefined);
  for (let end = 0; end < size; ) {
    const length = Math.min(PIECE_BYTES, size - end);
    const count = await readPiece(fd, memory.bytes, { end, length, isSmall: size <= SMALL_BYTES });
    if (count === 0) break;
    end += count;
    check.upTo(end);
  }
  if (size > 0 && check.isComplete) {
    return { bytes: memory.bytes, isText: check.isText, [Symbol.dispose]: letGo };
  }
  letGo();
  return readUnsized(fd);
}

/** Files of /proc say that they are empty and have more; others were cut while they were read. */
function readUnsized(fd: number): Content {
  const bytes = readFileSync(fd);
  return { bytes, isText: isUtf8(bytes) && !bytes.includes(0), [Symbol.dispose]: () => {} };
}

/** What comes from memory is read before another thread would have heard of it. */
async function readPiece(
  fd: number,
  bytes: Buffer,
  { end, length, isSmall }: { end: number; length: number; isSmall: boolean },
): Promise<number> {
  if (isSmall) return readSync(fd, bytes, end, length, end);
  return (await readLater(fd, bytes, end, length, end)).bytesRead;
}

/** Looks at each piece while the processor still has it at hand: a large file passes through memory once. */
class TextCheck {
  isText = true;
  readonly #bytes: Buffer;
  #checked = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isComplete(): boolean {
    return this.#checked === this.#bytes.length || !this.isText;
  }

  upTo(end: number): void {
    const border = end === this.#bytes.length ? end : characterStart(this.#bytes, end);
    const piece = this.#bytes.subarray(this.#checked, border);
    this.isText &&= isUtf8(piece) && !piece.includes(0);
    this.#checked = border;
  }
}

/** Where the character begins that a cut at `end` would fall into. */
function characterStart(bytes: Buffer, end: number): number {
  let start = end;
  while (end - start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
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
