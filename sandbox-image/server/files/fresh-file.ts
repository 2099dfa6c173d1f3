import { closeSync, fdatasync, openSync, statfsSync, writev, writevSync } from "node:fs";
import { promisify } from "node:util";

/** Text, or its bytes, or the pieces that they consist of, or parts of those as they come. */
export type Content = string | Buffer | readonly Buffer[] | AsyncIterable<readonly Buffer[]>;

const MAX_PIECES = 64;
/** So much is in the kernel's hands within a millisecond or two; more is another thread's work. */
const SMALL_BYTES = 8 * 1024 * 1024;
/** Less is written before another thread would have heard of it. */
const WORTH_A_THREAD_BYTES = 1024 * 1024;
const writeLater = promisify(writev);
const syncLater = promisify(fdatasync);

/** A file that is written under a name nobody knows yet, to take another one's place. */
export class FreshFile implements Disposable {
  readonly fd: number;
  readonly #path: string | Buffer;

  constructor(path: string | Buffer, mode: number) {
    this.#path = path;
    this.fd = openSync(path, "wx", mode);
  }

  async write(content: Content): Promise<void> {
    const rest = isArriving(content) ? await this.#writeAhead(content) : piecesOf(content);
    const isSmall = bytesOf(rest) <= SMALL_BYTES;
    await this.#writeAll(rest, isSmall ? writeNow : writeLater);
  }

  /** Another thread writes what has come while more is being made. Resolves with what was not worth that. */
  async #writeAhead(parts: AsyncIterable<readonly Buffer[]>): Promise<readonly Buffer[]> {
    const waiting: (readonly Buffer[])[] = [];
    let writing: Promise<void> | undefined;
    try {
      for await (const part of parts) {
        waiting.push(part);
        if (writing || bytesOf(waiting.flat()) < WORTH_A_THREAD_BYTES) continue;
        writing = this.#writeAll(waiting.splice(0).flat(), writeLater);
        writing.catch(() => {}); // awaited below
      }
    } finally {
      await writing;
    }
    return waiting.flat();
  }

  async #writeAll(pieces: readonly Buffer[], write: Write): Promise<void> {
    let rest = fewPieces(pieces.filter(({ length }) => length > 0));
    while (rest.length > 0) rest = after(rest, (await write(this.fd, rest)).bytesWritten);
  }

  /**
   * To be called before it is renamed. A power cut must leave the old file or the new one, never an empty one. Most file
   * systems see to that themselves for a file that replaces another; waiting for the disk would take longer than the edit.
   */
  async secure({ replaces }: { replaces: boolean }): Promise<void> {
    if (replaces && ORDERING.has(statfsSync(this.#path).type)) return;
    await syncLater(this.fd);
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}

/** Write a file's content before the rename that puts it in another's place: ext4, btrfs, zfs; tmpfs has no disk. */
const ORDERING = new Set([0xef53, 0x9123683e, 0x2fc12fc1, 0x01021994]);

function isArriving(content: Content): content is AsyncIterable<readonly Buffer[]> {
  return typeof content === "object" && Symbol.asyncIterator in content;
}

function piecesOf(content: string | Buffer | readonly Buffer[]): readonly Buffer[] {
  if (typeof content === "string") return [Buffer.from(content)];
  return Buffer.isBuffer(content) ? [content] : content;
}

/** Many pieces are cheaper to copy together than to keep and hand over one by one. */
export function fewPieces(pieces: readonly Buffer[]): readonly Buffer[] {
  return pieces.length > MAX_PIECES ? [Buffer.concat(pieces)] : pieces;
}

function bytesOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

type Write = (
  fd: number,
  pieces: readonly Buffer[],
) => Promise<{ bytesWritten: number }> | { bytesWritten: number };

function writeNow(fd: number, pieces: readonly Buffer[]) {
  return { bytesWritten: writevSync(fd, pieces) };
}

/** What is left of the pieces after their first bytes. */
function after(pieces: readonly Buffer[], bytes: number): Buffer[] {
  let skip = bytes;
  return pieces.flatMap((piece) => {
    const rest = piece.subarray(skip);
    skip = Math.max(skip - piece.length, 0);
    return rest.length > 0 ? [rest] : [];
  });
}
