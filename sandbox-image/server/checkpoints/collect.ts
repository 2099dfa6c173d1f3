import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Pace } from "./pace.ts";
import type { CheckpointRecord, Records } from "./records.ts";

export interface Budget {
  readonly maxBytes: number;
  readonly maxCount: number;
}

export interface Collected {
  readonly removed: string[];
  readonly freedBytes: number;
  readonly bytes: number;
}

/**
 * Lets the oldest checkpoints go until the rest fits the budget; the newest always stays, and so do those that an
 * unfinished restore needs. Records go first and contents after: cut off in between, the next one sweeps the rest.
 */
export async function collect(records: Records, budget: Budget, pace: Pace): Promise<Collected> {
  const marks = new Marks(records);
  const removed: string[] = [];
  const pinned = pinnedBy(records);
  for (const [index, record] of records.list().entries()) {
    await pace.rest();
    const fits =
      removed.length === 0 && index < budget.maxCount && marks.cost(record) <= budget.maxBytes;
    if (fits || index === 0 || pinned.has(record.checkpoint)) marks.keep(record);
    else removed.push(record.checkpoint);
  }
  if (removed.length > 0) records.remove(removed);
  const freedBytes = sweep(records, marks);
  records.writeUsage(marks.bytes);
  return { removed, freedBytes, bytes: marks.bytes };
}

function pinnedBy({ journal }: Records): ReadonlySet<string> {
  return new Set(journal ? [journal.checkpoint, journal.before] : []);
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
    let bytes = this.bytes + this.#treeBytes(record);
    for (const size of this.#freshBlobs(record).values()) bytes += size;
    return bytes;
  }

  keep(record: CheckpointRecord): void {
    this.bytes = this.cost(record);
    for (const hash of this.#freshBlobs(record).keys()) this.blobs.add(hash);
    this.trees.add(record.tree);
  }

  #treeBytes({ tree }: CheckpointRecord): number {
    return this.trees.has(tree) ? 0 : statSync(join(this.#records.trees, tree)).size;
  }

  #freshBlobs(record: CheckpointRecord): Map<string, number> {
    const fresh = new Map<string, number>();
    if (this.trees.has(record.tree)) return fresh;
    for (const { kind, content, size } of this.#records.treeOf(record).entries) {
      if (kind === "file" && content !== "" && !this.blobs.has(content)) fresh.set(content, size);
    }
    return fresh;
  }
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
