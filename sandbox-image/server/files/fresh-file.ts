import { closeSync, fdatasync, openSync, statfsSync, writev, writevSync } from "node:fs";
import { promisify } from "node:util";

/** Text, or its bytes, or the pieces that they consist of. */
export type Content = string | Buffer | readonly Buffer[];

/** More pieces than this are cheaper to copy together than to hand over one by one. */
const MAX_PIECES = 64;
/** So much is in the kernel's hands within a millisecond or two; more is another thread's work. */
const SMALL_BYTES = 8 * 1024 * 1024;
const writeLater = promisify(writev);
const syncLater = promisify(fdatasync);

/** A file that is written under a name nobody knows yet, to take another one's place. */
export class FreshFile implements Disposable {
  readonly fd: number;
  readonly #path: string;

  constructor(path: string, mode: number) {
    this.#path = path;
    this.fd = openSync(path, "wx", mode);
  }

  async write(content: Content): Promise<void> {
    let rest = piecesOf(content).filter(({ length }) => length > 0);
    const isSmall = rest.reduce((sum, { length }) => sum + length, 0) <= SMALL_BYTES;
    while (rest.length > 0) {
      const written = isSmall
        ? writevSync(this.fd, rest)
        : (await writeLater(this.fd, rest)).bytesWritten;
      rest = after(rest, written);
    }
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

function piecesOf(content: Content): readonly Buffer[] {
  if (typeof content === "string") return [Buffer.from(content)];
  if (Buffer.isBuffer(content)) return [content];
  return content.length > MAX_PIECES ? [Buffer.concat(content)] : content;
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
