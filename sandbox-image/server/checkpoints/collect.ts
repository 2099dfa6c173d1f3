import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { encodeEntries, type Tree } from "./entry.ts";
import type { Pace } from "./pace.ts";
import type { CheckpointRecord, Records } from "./records.ts";
import { costOf, noRoom } from "./store-room.ts";

export interface Budget {
  readonly maxBytes: number;
  readonly maxCount: number;
}

export interface Collected {
  readonly removed: string[];
  readonly freedBytes: number;
  readonly bytes: number;
}

/** A checkpoint that is about to be made, for which others may have to go. */
export interface Wanted {
  readonly tree: Tree;
  readonly limitBytes: number;
  /** A checkpoint that must stay, because it is being restored. */
  readonly protect?: string | undefined;
}

/**
 * Lets the oldest checkpoints go until the rest fits the budget; those that an unfinished restore needs stay, and so does
 * the newest unless a newer one is wanted. Records go first and contents after: cut off in between, the next one sweeps
 * the rest.
 */
export async function collect(
  records: Records,
  budget: Budget,
  pace: Pace,
  wanted?: Wanted,
): Promise<Collected> {
  const marks = new Marks(records);
  const pinned = pinnedBy(records, wanted);
  const kept = records.list();
  for (const record of kept) if (pinned.has(record.checkpoint)) marks.keep(record);
  const wantedBytes = wanted ? marks.costOfTree(wanted.tree) : 0;
  if (wanted && marks.bytes + wantedBytes > wanted.limitBytes)
    throw noRoom(marks.bytes + wantedBytes, wanted.limitBytes);
  const removed: string[] = [];
  for (const [index, record] of kept.entries()) {
    await pace.rest();
    if (pinned.has(record.checkpoint)) continue;
    const cost = marks.cost(record) + wantedBytes;
    const fits = removed.length === 0 && index < budget.maxCount && cost <= budget.maxBytes;
    if (fits || (index === 0 && !wanted)) marks.keep(record);
    else removed.push(record.checkpoint);
  }
  if (removed.length > 0) records.remove(removed);
  const freedBytes = sweep(records, marks);
  records.writeUsage(marks.bytes);
  return { removed, freedBytes, bytes: marks.bytes };
}

function pinnedBy({ journal }: Records, wanted: Wanted | undefined): ReadonlySet<string> {
  const protect = wanted?.protect === undefined ? [] : [wanted.protect];
  return new Set(journal ? [journal.checkpoint, journal.before, ...protect] : protect);
}

/** What the checkpoints that stay refer to. */
class Marks {
  readonly trees = new Set<string>();
  readonly blobs = new Set<string>();
  bytes = 0;
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /** What the store would hold if this one stayed, too. */
  cost(record: CheckpointRecord): number {
    return this.bytes + costOf(0) + this.#treeBytes(record) + sum(this.#freshBlobs(record));
  }

  /** What a tree that is not in the store yet would add at most. */
  costOfTree({ entries }: Tree): number {
    const text = Buffer.byteLength(encodeEntries(entries));
    return costOf(0) + costOf(text) + sum(this.#blobsOf(entries));
  }

  keep(record: CheckpointRecord): void {
    this.bytes = this.cost(record);
    for (const hash of this.#freshBlobs(record).keys()) this.blobs.add(hash);
    this.trees.add(record.tree);
  }

  #treeBytes({ tree }: CheckpointRecord): number {
    return this.trees.has(tree) ? 0 : costOf(statSync(join(this.#records.trees, tree)).size);
  }

  #freshBlobs(record: CheckpointRecord): ReadonlyMap<string, number> {
    if (this.trees.has(record.tree)) return new Map();
    return this.#blobsOf(this.#records.treeOf(record).entries);
  }

  #blobsOf(entries: Tree["entries"]): ReadonlyMap<string, number> {
    const fresh = new Map<string, number>();
    for (const { kind, content, size } of entries) {
      if (kind !== "file" || content === "" || this.blobs.has(content)) continue;
      fresh.set(content, costOf(size));
    }
    return fresh;
  }
}

function sum(costs: ReadonlyMap<string, number>): number {
  let bytes = 0;
  for (const cost of costs.values()) bytes += cost;
  return bytes;
}

function sweep(records: Records, marks: Marks): number {
  let freed = sweepFolder(records.trees, marks.trees);
  for (const shard of readdirSync(records.blobs.dir)) {
    freed += sweepFolder(join(records.blobs.dir, shard), marks.blobs);
  }
  return freed;
}

function sweepFolder(folder: string, kept: ReadonlySet<string>): number {
  let freed = 0;
  for (const name of readdirSync(folder)) {
    if (kept.has(name)) continue;
    const path = join(folder, name);
    freed += statSync(path).size;
    rmSync(path);
  }
  return freed;
}
