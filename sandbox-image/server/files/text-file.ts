import { isUtf8 } from "node:buffer";
import {
  type BigIntStats,
  close,
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
const LARGE_BYTES = 1024 * 1024;
const readLater = promisify(read);

const OPEN_FILE = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Reads a whole text file. `path` must be resolved; `shown` is what errors call it. */
export async function readText(
  path: string,
  shown = path,
): Promise<{ text: string; stats: BigIntStats }> {
  using file = TextFile.open(path, shown);
  const bytes = await file.whole();
  return { text: bytes.toString("utf8"), stats: file.stats };
}

/**
 * A text file, read piece by piece and not decoded: searching a large file's bytes takes half the time. Its stats tell
 * whether somebody else has written it since.
 */
export class TextFile implements Disposable {
  readonly stats: BigIntStats;
  readonly #shown: string;
  readonly #fd: number;
  #memory: BorrowedMemory | undefined;
  #isWhole = false;

  private constructor(fd: number, stats: BigIntStats, shown: string) {
    this.#fd = fd;
    this.stats = stats;
    this.#shown = shown;
  }

  static open(path: string, shown: string): TextFile {
    let fd: number | undefined;
    try {
      fd = openSync(path, OPEN_FILE);
      expectPath(fd, path);
      return new TextFile(fd, regularFile(fd, shown), shown);
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      throw explain(shown, error);
    }
  }

  /** Whether nothing follows what was read last. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** The text so far, longer each time until it is whole; good until this is disposed of. Throws when it is no text. */
  async *read(): AsyncGenerator<Buffer> {
    try {
      const check = new TextCheck();
      for await (const bytes of this.stats.size > 0 ? this.#readPieces() : this.#readUnsized()) {
        if (!check.isText(bytes, this)) throw notText(this.#shown);
        yield bytes;
      }
    } catch (error) {
      throw explain(this.#shown, error);
    }
  }

  async whole(): Promise<Buffer> {
    let bytes: Buffer = Buffer.alloc(0);
    for await (const more of this.read()) bytes = more;
    return bytes;
  }

  async *#readPieces(): AsyncGenerator<Buffer> {
    const bytes = this.#makeRoom(Number(this.stats.size));
    for (let end = 0; !this.#isWhole; ) {
      const count = await this.#readPiece(bytes, end);
      end += count;
      // Nothing more although there should be: it was cut meanwhile.
      this.#isWhole = count === 0 || end === bytes.length;
      yield bytes.subarray(0, end);
    }
  }

  /** Files of /proc say that they are empty and have more. */
  *#readUnsized(): Generator<Buffer> {
    this.#isWhole = true;
    yield readFileSync(this.#fd);
  }

  /** What comes from memory is read before another thread would have heard of it. */
  async #readPiece(bytes: Buffer, end: number): Promise<number> {
    const length = Math.min(PIECE_BYTES, bytes.length - end);
    if (bytes.length <= SMALL_BYTES) return readSync(this.#fd, bytes, end, length, end);
    return (await readLater(this.#fd, bytes, end, length, end)).bytesRead;
  }

  #makeRoom(size: number): Buffer {
    if (!this.#isLarge) return Buffer.allocUnsafe(size);
    this.#memory = new BorrowedMemory(size);
    return this.#memory.bytes;
  }

  /**
   * When the file has been replaced meanwhile, closing it makes the kernel throw its old content away. For a large one
   * that takes a while, and nobody has to wait for it.
   */
  [Symbol.dispose](): void {
    this.#memory?.[Symbol.dispose]();
    if (this.#isLarge) close(this.#fd);
    else closeSync(this.#fd);
  }

  get #isLarge(): boolean {
    return this.stats.size > LARGE_BYTES;
  }
}

/** Looks at each piece while the processor still has it at hand: a large file passes through memory once. */
class TextCheck {
  #checked = 0;

  /** `bytes` begin with those that were looked at before. */
  isText(bytes: Buffer, { isWhole }: { isWhole: boolean }): boolean {
    const end = isWhole ? bytes.length : lastBorder(bytes);
    const piece = bytes.subarray(this.#checked, end);
    this.#checked = end;
    return isUtf8(piece) && !piece.includes(0);
  }
}

/** Where the last character begins: the rest of it may still be to come. */
function lastBorder(bytes: Buffer): number {
  let start = bytes.length - 1;
  while (start > 0 && bytes.length - start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}

function notText(shown: string): ToolError {
  return new ToolError(
    "executionFailed",
    `${shown} is binary or not UTF-8 text. Look at it with a command such as file or xxd.`,
  );
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
