import { type BigIntStats, close, closeSync, constants, openSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { raw } from "../../../src/lib/file-names.ts";
import { expectPath } from "./directory.ts";
import { explain } from "./fs-errors.ts";
import { endless, expectRegularAt, FILE_LIMIT_BYTES, readableStats } from "./regular-file.ts";
import { BorrowedMemory } from "./spare-memory.ts";
import { isText, lastBorder, TextCheck } from "./text-check.ts";

/** So much is there within a millisecond or two when the file was used lately. */
const SMALL_BYTES = 8 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
const LONGEST_CHAR_BYTES = 4;
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
      expectRegularAt(path, shown);
      fd = openSync(raw(path), OPEN_FILE);
      expectPath(fd, path);
      return new TextFile(fd, readableStats(fd, shown), shown);
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
  async *#readUnsized(): AsyncGenerator<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces()) pieces.push(Buffer.from(piece));
    this.#isWhole = true;
    yield Buffer.concat(pieces);
  }

  /**
   * The text in pieces of whole characters, each good until the next one is asked for: however large the file, it takes
   * the memory of one piece. Can be asked for more than once. Throws when it is no text.
   */
  async *pieces(): AsyncGenerator<Buffer> {
    try {
      const size = Number(this.stats.size) || PIECE_BYTES;
      const room = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size + LONGEST_CHAR_BYTES));
      let carried = 0;
      for (let at = 0; ; ) {
        const count = await this.#readInto(room.subarray(carried), at);
        const bytes = room.subarray(0, carried + count);
        at += count;
        const end = count === 0 ? bytes.length : lastBorder(bytes);
        if (!isText(bytes.subarray(0, end))) throw notText(this.#shown);
        if (end > 0) yield bytes.subarray(0, end);
        if (count === 0) return;
        carried = bytes.copy(room, 0, end);
      }
    } catch (error) {
      throw explain(this.#shown, error);
    }
  }

  /** Reads no more of a growing file than it had when it was opened. */
  async #readInto(room: Buffer, at: number): Promise<number> {
    const size = Number(this.stats.size);
    if (size === 0 && at >= FILE_LIMIT_BYTES) throw endless(this.#shown);
    const length = size > 0 ? Math.min(room.length, size - at) : room.length;
    if (length <= 0) return 0;
    if (size > 0 && size <= SMALL_BYTES) return readSync(this.#fd, room, 0, length, at);
    return (await readLater(this.#fd, room, 0, length, at)).bytesRead;
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

function notText(shown: string): ToolError {
  return new ToolError(
    "executionFailed",
    `${shown} is binary or not UTF-8 text. Look at it with a command such as file or xxd.`,
  );
}
