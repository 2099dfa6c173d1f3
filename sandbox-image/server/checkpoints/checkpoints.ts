import { ToolError } from "../../../src/contract/tools/operation.ts";
import type {
  CheckpointDiff,
  CheckpointInfo,
  CheckpointList,
  RestoreReport,
} from "../../../src/contract/workspace/checkpoints.ts";
import { type Bytes, parentOf, toText } from "./bytes.ts";
import { type Budget, type Collected, collect } from "./collect.ts";
import { diffTrees, type Side } from "./diff.ts";
import type { Entry, Tree } from "./entry.ts";
import { byPath } from "./entry.ts";
import { explained, keptGrowing } from "./errors.ts";
import { Folder } from "./folder.ts";
import { type CheckpointLimits, DEFAULT_LIMITS } from "./limits.ts";
import { withLock } from "./lock.ts";
import { Pace } from "./pace.ts";
import { type CheckpointRecord, type Journal, Records } from "./records.ts";
import { carryOut } from "./restore.ts";
import { scan } from "./scan.ts";
import { keptSide, presentSide } from "./sides.ts";
import { removeStaging } from "./staging.ts";
import { StoreFullError, StoreRoom } from "./store-room.ts";
import { pathWithin } from "./where.ts";

/** Down to this share, so that the store is not counted through at every checkpoint. */
const KEPT_SHARE = 0.75;
const UNLIMITED: Budget = {
  maxBytes: Number.POSITIVE_INFINITY,
  maxCount: Number.POSITIVE_INFINITY,
};

export interface CheckpointsOptions {
  /** The workspace. */
  readonly root: string;
  /** Outside of it, for root only. */
  readonly store: string;
  readonly limits?: Partial<CheckpointLimits>;
  /** Told before every change of a restore; tests cut it off there. */
  readonly onStep?: (label: string) => void;
}

interface Stoppable {
  readonly signal?: AbortSignal | undefined;
}

/** Kept states of a workspace that may be running, and hostile, meanwhile. */
export class Checkpoints {
  readonly #root: string;
  readonly #records: Records;
  readonly #limits: CheckpointLimits;
  readonly #onStep: (label: string) => void;

  constructor({ root, store, limits, onStep = () => {} }: CheckpointsOptions) {
    this.#root = root;
    this.#records = new Records(store);
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#onStep = onStep;
  }

  /** Durable when it resolves. Afterwards lets old ones go if there are too many. */
  async create({
    label = "",
    signal,
  }: { label?: string } & Stoppable = {}): Promise<CheckpointInfo> {
    return this.#alone(signal, async (pace) => {
      const { record, evicted } = await this.#create(label, pace, { automatic: false });
      const gone = evicted + (await this.#collectIfNeeded(pace));
      return { ...infoOf(record), ...(gone > 0 ? { evicted: gone } : {}) };
    });
  }

  list(): CheckpointList {
    const { journal } = this.#records;
    const { staging: _, ...unfinished } = journal ?? {};
    return {
      checkpoints: this.#records.list().map(infoOf),
      unfinished: journal ? (unfinished as CheckpointList["unfinished"]) : null,
    };
  }

  /** What happened since, up to now or to another checkpoint. */
  async diff(
    id: string,
    { against = "now", paths = ["."], signal }: DiffOptions = {},
  ): Promise<CheckpointDiff> {
    const pace = new Pace(signal);
    const tops = paths.map((path) => pathWithin(this.#root, path));
    const from = this.#kept(id);
    const to = against === "now" ? await this.#present(pace) : this.#kept(against);
    const difference = await diffTrees(from, to, { paths: tops, pace });
    return { checkpoint: id, against, ...difference };
  }

  /** Cut off anywhere, the same restore again completes it. */
  async restore(
    id: string,
    { path = ".", signal }: { path?: string | undefined } & Stoppable = {},
  ): Promise<RestoreReport> {
    const scope = pathWithin(this.#root, path);
    return this.#alone(signal, async (pace) => {
      const resumed = this.#resume(id, scope);
      const { journal, evicted } = resumed
        ? { journal: resumed, evicted: 0 }
        : await this.#begin(id, scope, pace);
      const parts = { root: this.#root, records: this.#records, limits: this.#limits };
      const report = await carryOut({ ...parts, pace, onStep: this.#onStep }, journal, scope);
      return { ...report, ...(evicted > 0 ? { evicted } : {}) };
    });
  }

  /** For a store that is over its limit, as that of an older version may be. */
  async trim(signal?: AbortSignal): Promise<{ evicted: number }> {
    const { maxStoreBytes, maxCheckpoints } = this.#limits;
    const budget = { maxBytes: maxStoreBytes * KEPT_SHARE, maxCount: maxCheckpoints };
    return { evicted: (await this.collect(budget, { signal })).removed.length };
  }

  async collect(budget: Budget, { signal }: Stoppable = {}): Promise<Collected> {
    return this.#alone(signal, (pace) => collect(this.#records, budget, pace));
  }

  async #alone<T>(signal: AbortSignal | undefined, work: (pace: Pace) => Promise<T>): Promise<T> {
    const pace = new Pace(signal);
    try {
      return await withLock(this.#records.claims, pace, async () => {
        this.#records.clearAside();
        return work(pace);
      });
    } catch (error) {
      throw explained(error);
    }
  }

  async #create(
    label: string,
    pace: Pace,
    { automatic, protect }: { automatic: boolean; protect?: string },
  ): Promise<{ record: CheckpointRecord; evicted: number }> {
    try {
      return { record: await this.#keep(label, pace, automatic), evicted: 0 };
    } catch (error) {
      if (!(error instanceof StoreFullError)) throw error;
    }
    const evicted = await this.#makeRoom(pace, protect);
    try {
      return { record: await this.#keep(label, pace, automatic), evicted };
    } catch (error) {
      throw error instanceof StoreFullError ? keptGrowing(error, evicted) : error;
    }
  }

  async #keep(label: string, pace: Pace, automatic: boolean): Promise<CheckpointRecord> {
    const records = this.#records;
    const usage = records.usage ?? (await collect(records, UNLIMITED, pace)).bytes;
    records.forgetUsage();
    const room = new StoreRoom(this.#limits.maxStoreBytes - usage);
    room.take(0); // the record itself
    const { tree, contentBytes } = await this.#takeIn(pace, room);
    const added = records.addTree(tree, room);
    const addedBytes = contentBytes + added.bytes;
    const record: CheckpointRecord = {
      checkpoint: records.nextId(),
      label,
      automatic,
      created: new Date().toISOString(),
      ...countsOf(tree),
      added_bytes: addedBytes,
      tree: added.tree,
      startedMs: tree.startedMs,
    };
    records.add(record);
    records.writeUsage(usage + room.taken);
    return record;
  }

  /** Looks first how much the workspace needs: nothing is evicted for a checkpoint that would not fit even then. */
  async #makeRoom(pace: Pace, protect: string | undefined): Promise<number> {
    const { maxStoreBytes, maxCheckpoints } = this.#limits;
    const known = this.#records.newestTree();
    const ignore = this.#records.journal?.staging;
    const tree = await scan(this.#root, { limits: this.#limits, known, ignore, pace });
    const budget = { maxBytes: maxStoreBytes * KEPT_SHARE, maxCount: maxCheckpoints };
    const wanted = { tree, limitBytes: maxStoreBytes, protect };
    return (await collect(this.#records, budget, pace, wanted)).removed.length;
  }

  async #takeIn(pace: Pace, room: StoreRoom): Promise<{ tree: Tree; contentBytes: number }> {
    const intake = this.#records.blobs.intake(room);
    const known = this.#records.newestTree();
    const ignore = this.#records.journal?.staging;
    try {
      const tree = await scan(this.#root, { limits: this.#limits, known, intake, ignore, pace });
      await intake.settle();
      return { tree, contentBytes: intake.addedBytes };
    } catch (error) {
      await intake.abandon();
      throw error;
    }
  }

  /** Returns how many it evicted because there were too many. */
  async #collectIfNeeded(pace: Pace): Promise<number> {
    const { maxStoreBytes, maxCheckpoints } = this.#limits;
    if (this.#records.list().length <= maxCheckpoints) return 0;
    const budget = { maxBytes: maxStoreBytes, maxCount: Math.ceil(maxCheckpoints * KEPT_SHARE) };
    return (await collect(this.#records, budget, pace)).removed.length;
  }

  /** The journal of this very restore, if it was cut off. */
  #resume(id: string, scope: Bytes): Journal | undefined {
    const { journal } = this.#records;
    if (!journal) return undefined;
    const { checkpoint, path, before } = journal;
    if (checkpoint === id && (path ?? "") === toText(scope)) return journal;
    if (scope === "") return undefined;
    throw new ToolError(
      "executionFailed",
      `A restore of ${path ?? "everything"} from ${checkpoint} was interrupted. Restore it again to finish, or restore all of ${before} to go back.`,
    );
  }

  async #begin(
    id: string,
    scope: Bytes,
    pace: Pace,
  ): Promise<{ journal: Journal; evicted: number }> {
    const target = this.#records.treeOf(this.#records.find(id));
    const abandoned = this.#records.journal;
    if (abandoned) this.#clearStaging(abandoned);
    const label = `before restoring ${id}`;
    const how = { automatic: true, protect: id };
    const { record: before, evicted } = await this.#create(label, pace, how);
    expectPath(scope, this.#records.treeOf(before), target);
    const journal: Journal = {
      checkpoint: id,
      path: scope === "" ? null : toText(scope),
      before: before.checkpoint,
      started: before.created,
      staging: `.deckhand-restore-${crypto.randomUUID()}`,
    };
    this.#records.writeJournal(journal);
    return { journal, evicted };
  }

  #clearStaging({ staging }: Journal): void {
    using root = Folder.open(this.#root);
    removeStaging(root, staging);
  }

  #kept(id: string): Side {
    return keptSide(this.#records, id);
  }

  async #present(pace: Pace): Promise<Side> {
    const { journal } = this.#records;
    const known = this.#records.newestTree();
    const options = { limits: this.#limits, known, pace, ignore: journal?.staging };
    return presentSide(this.#root, await scan(this.#root, options));
  }
}

export interface DiffOptions extends Stoppable {
  readonly against?: string;
  readonly paths?: readonly string[] | undefined;
}

function infoOf({ tree: _, startedMs: __, ...info }: CheckpointRecord): CheckpointInfo {
  return info;
}

function countsOf({ entries }: Tree): Pick<CheckpointInfo, "files" | "bytes" | "not_covered"> {
  const files = entries.filter(({ kind }) => kind === "file");
  return {
    files: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    not_covered: entries.filter(({ why }) => why !== "").length,
  };
}

/** A single path must be known to either side, and the way to it must not lead over a file. */
function expectPath(scope: Bytes, present: Tree, target: Tree): void {
  const [now, then] = [byPath(present.entries), byPath(target.entries)];
  if (!now.has(scope) && !then.has(scope)) {
    throw new ToolError(
      "executionFailed",
      `${toText(scope)} is neither in the checkpoint nor in the workspace. Paths are relative to the workspace.`,
    );
  }
  for (let up = parentOf(scope); up !== ""; up = parentOf(up)) refuseObstacle(up, now.get(up));
}

function refuseObstacle(path: Bytes, entry: Entry | undefined): void {
  if (!entry || entry.kind === "directory") return;
  throw new ToolError(
    "executionFailed",
    `${toText(path)} is a ${entry.kind} now, not a directory. Restore ${toText(path)} itself instead.`,
  );
}
