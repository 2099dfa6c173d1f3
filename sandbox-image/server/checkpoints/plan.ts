import { type Bytes, isWithin, parentOf } from "./bytes.ts";
import { byPath, type Entry, isUntouched, type Tree } from "./entry.ts";

/** Node sets times as double seconds, which are good for about a quarter of a microsecond. */
const TIME_SLACK_MS = 0.001;

/** What has to happen so that the workspace becomes what the checkpoint says. */
export interface Plan {
  /** Present entries that must go, children before their parents. */
  readonly remove: Entry[];
  /** Directories to make, parents first. */
  readonly make: Entry[];
  /** Files and links to put in place. */
  readonly put: Entry[];
  /** Files that differ in their time only. */
  readonly touch: Entry[];
  /** Directories whose mode, owner and time must be set when all else is done, children first. */
  readonly finish: Entry[];
  /** Those of them that differed in mode or owner. */
  readonly changedFolders: Entry[];
  readonly skipped: Skip[];
}

export interface Skip {
  readonly path: Bytes;
  readonly why: string;
}

export function isEmpty({ remove, make, put, touch, finish }: Plan): boolean {
  return [remove, make, put, touch, finish].every((list) => list.length === 0);
}

/** Compares what is there with what should be, within `scope` ("" is everything). */
export function planRestore(present: Tree, target: Tree, scope: Bytes): Plan {
  const planner = new Planner(present, target, scope);
  planner.planRemovals();
  planner.planArrivals();
  planner.planFinish();
  return planner.plan;
}

class Planner {
  readonly plan: Plan = {
    remove: [],
    make: [],
    put: [],
    touch: [],
    finish: [],
    changedFolders: [],
    skipped: [],
  };
  readonly #present: ReadonlyMap<Bytes, Entry>;
  readonly #target: ReadonlyMap<Bytes, Entry>;
  readonly #scope: Bytes;
  /** Directories that cannot go, because something in them is not covered and would be lost. */
  readonly #held = new Set<Bytes>();
  readonly #uncoveredFolders: readonly Bytes[];

  constructor(present: Tree, target: Tree, scope: Bytes) {
    this.#present = byPath(present.entries);
    this.#target = byPath(target.entries);
    this.#scope = scope;
    this.#uncoveredFolders = target.entries
      .filter(({ kind, why }) => kind === "directory" && why !== "")
      .map(({ path }) => path);
  }

  planRemovals(): void {
    for (const entry of [...this.#present.values()].reverse()) {
      if (!isWithin(entry.path, this.#scope) || this.#stays(entry)) continue;
      if (entry.why === "" && !this.#held.has(entry.path)) this.plan.remove.push(entry);
      else this.#hold(entry);
    }
  }

  #stays({ path, kind }: Entry): boolean {
    const wanted = this.#target.get(path);
    if (wanted?.why) return true;
    // A file takes a link's place in one step, and the other way round.
    if (wanted) return (wanted.kind === "directory") === (kind === "directory");
    return this.#uncoveredFolders.some((folder) => isWithin(path, folder));
  }

  /** Deleting it could not be undone, so it stays and is named. */
  #hold({ path, why }: Entry): void {
    const reason =
      why === "" ? "part of its content was kept" : `${why}, so no checkpoint could restore it`;
    this.plan.skipped.push({ path, why: `not deleted: ${reason}` });
    this.#held.add(path);
    this.#held.add(parentOf(path));
  }

  planArrivals(): void {
    for (const wanted of this.#target.values()) {
      const present = this.#present.get(wanted.path);
      if (isWithin(wanted.path, this.#scope)) this.#arrive(wanted, present);
      // The way to a single path may have to be made again.
      else if (isWithin(this.#scope, wanted.path) && !present) this.plan.make.push(wanted);
    }
  }

  #arrive(wanted: Entry, present: Entry | undefined): void {
    const isHeld = present && present.kind !== wanted.kind && this.#held.has(wanted.path);
    if (isHeld) return;
    const counterpart = present?.kind === wanted.kind ? present : undefined;
    if (wanted.why !== "" || wanted.kind === "other") this.#leave(wanted, present);
    else if (wanted.kind === "directory") this.#arriveFolder(wanted, counterpart);
    else if (!counterpart || differs(counterpart, wanted)) this.plan.put.push(wanted);
    else if (wanted.kind === "file" && !isSameTime(counterpart, wanted))
      this.plan.touch.push(wanted);
  }

  #leave(wanted: Entry, present: Entry | undefined): void {
    const { path, kind } = wanted;
    if (present?.kind === kind && (kind !== "file" || isUntouched(present, wanted))) return;
    const why = wanted.why === "" ? "it is not a file, directory or link" : wanted.why;
    this.plan.skipped.push({ path, why: `not restored, because it was not saved: ${why}` });
  }

  #arriveFolder(wanted: Entry, present: Entry | undefined): void {
    if (!present) this.plan.make.push(wanted);
    else if (differs(present, wanted)) this.plan.changedFolders.push(wanted);
    else if (!isSameTime(present, wanted)) this.plan.finish.push(wanted);
  }

  /** Every change below a directory alters its time, too. */
  planFinish(): void {
    const { remove, make, put, finish, changedFolders } = this.plan;
    const touched = new Set([...finish, ...changedFolders, ...make].map(({ path }) => path));
    for (const { path } of [...remove, ...make, ...put]) {
      const parent = parentOf(path);
      if (path !== "" && isWithin(parent, this.#scope)) touched.add(parent);
    }
    const folders = [...touched].flatMap((path) => this.#target.get(path) ?? []);
    finish.length = 0;
    finish.push(...folders.filter(({ kind, why }) => kind === "directory" && why === ""));
    finish.sort((a, b) => b.path.length - a.path.length); // a child's path is longer than its parent's
  }
}

function differs(a: Entry, b: Entry): boolean {
  return a.content !== b.content || a.mode !== b.mode || a.uid !== b.uid || a.gid !== b.gid;
}

function isSameTime(a: Entry, b: Entry): boolean {
  return Math.abs(a.mtimeMs - b.mtimeMs) <= TIME_SLACK_MS;
}
