import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { syncFolder } from "../durable.ts";
import { Flushes } from "./flushes.ts";
import { OpenFile } from "./folder.ts";
import { StoreFullError, type StoreRoom } from "./store-room.ts";

const { O_RDONLY } = constants;

/** Contents by their SHA-256, below 256 directories. */
export class Blobs {
  readonly dir: string;
  readonly #aside: string;

  constructor(dir: string, aside: string) {
    this.dir = dir;
    this.#aside = aside;
  }

  pathOf(hash: string): string {
    return join(this.dir, hash.slice(0, 2), hash);
  }

  open(hash: string): OpenFile {
    return new OpenFile(this.pathOf(hash), O_RDONLY);
  }

  /** For one checkpoint; only one may be at work at a time. */
  intake(room: StoreRoom): BlobIntake {
    return new BlobIntake(this, this.#aside, room);
  }
}

/** Takes in what a checkpoint finds. Nothing counts as kept before `settle` has resolved. */
export class BlobIntake {
  readonly #blobs: Blobs;
  readonly #aside: string;
  readonly #room: StoreRoom;
  readonly #flushes = new Flushes();
  readonly #fresh = new Set<string>();
  readonly #shards = new Set<string>();
  addedBytes = 0;

  constructor(blobs: Blobs, aside: string, room: StoreRoom) {
    this.#blobs = blobs;
    this.#aside = aside;
    this.#room = room;
  }

  has(hash: string): boolean {
    return this.#fresh.has(hash) || existsSync(this.#blobs.pathOf(hash));
  }

  async put(hash: string, bytes: Buffer): Promise<void> {
    if (this.has(hash)) return;
    const writer = this.begin(bytes.length);
    if (!writer) throw new StoreFullError();
    writer.write(bytes);
    await writer.keep(hash);
  }

  /** For content that comes in pieces and whose hash is known only at the end. Undefined: the store has no room for it. */
  begin(size: number): BlobWriter | undefined {
    if (!this.#room.has(size)) return undefined;
    this.#room.take(size);
    const path = join(this.#aside, crypto.randomUUID());
    const fd = openSync(path, "wx", 0o600);
    const drop = () => {
      closeSync(fd);
      unlinkSync(path);
      this.#room.giveBack(size);
    };
    return {
      write: (bytes) => writeAll(fd, bytes),
      drop,
      keep: async (hash) => {
        if (this.has(hash)) return drop();
        this.addedBytes += size;
        await this.#flushes.add(fd, this.#placing(path, hash));
      },
    };
  }

  #placing(path: string, hash: string): () => void {
    this.#fresh.add(hash);
    const shard = join(this.#blobs.dir, hash.slice(0, 2));
    if (!this.#shards.has(shard)) mkdirSync(shard, { recursive: true, mode: 0o700 });
    this.#shards.add(shard);
    return () => renameSync(path, this.#blobs.pathOf(hash));
  }

  /** When the checkpoint has failed: waits until nothing is under way any more. */
  async abandon(): Promise<void> {
    try {
      await this.#flushes.settle();
    } catch {
      // The checkpoint has failed for a reason of its own.
    }
  }

  async settle(): Promise<void> {
    await this.#flushes.settle();
    if (this.#shards.size === 0) return;
    for (const shard of this.#shards) syncFolder(shard);
    syncFolder(this.#blobs.dir);
  }
}

/** Ends with either `keep` or `drop`. */
export interface BlobWriter {
  write(bytes: Buffer): void;
  keep(hash: string): Promise<void>;
  drop(): void;
}

export function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}
