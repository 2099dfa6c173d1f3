import { constants, fstatSync, fsyncSync, futimesSync, rmdirSync, unlinkSync } from "node:fs";
import { codeOf } from "../error-code.ts";
import { type Bytes, nameOf, parentOf } from "./bytes.ts";
import type { Entry } from "./entry.ts";
import { isMoved } from "./errors.ts";
import { type Folder, OpenFile } from "./folder.ts";
import type { Pace } from "./pace.ts";
import type { Plan } from "./plan.ts";
import { DamagedBlobError, dress, type Staging } from "./staging.ts";

export interface ApplyParts {
  readonly root: Folder;
  readonly staging: Staging;
  /** Inodes of what the plan was made from. */
  readonly inodes: ReadonlyMap<Bytes, number>;
  readonly pace: Pace;
  /** Told before every change. */
  readonly onStep: (label: string) => void;
}

/** What was done, by path, and why the rest was not. */
export interface Done {
  readonly restored: Set<Bytes>;
  readonly deleted: Set<Bytes>;
  readonly failed: Map<Bytes, string>;
}

/**
 * Carries a plan out as far as the workspace lets it. Whatever somebody exchanges meanwhile is left for the next
 * pass; a full disk and the like are thrown.
 */
export async function applyPlan(plan: Plan, parts: ApplyParts, done: Done): Promise<void> {
  const work = new Application(parts, done);
  await work.removeAll(plan.remove);
  await work.makeAll(plan.make);
  await work.putAll(plan.put);
  await work.touchAll(plan.touch);
  await work.finishAll(plan.finish, new Set(plan.changedFolders));
}

class Application {
  readonly #parts: ApplyParts;
  readonly #done: Done;
  readonly #inodes: Map<Bytes, number>;

  constructor(parts: ApplyParts, done: Done) {
    this.#parts = parts;
    this.#done = done;
    this.#inodes = new Map(parts.inodes);
  }

  async removeAll(entries: readonly Entry[]): Promise<void> {
    await this.#each("remove", entries, (parent, { path, kind }) => {
      const target = parent.at(nameOf(path));
      if (kind === "directory") rmdirSync(target);
      else unlinkSync(target);
      this.#done.deleted.add(path);
    });
  }

  async makeAll(entries: readonly Entry[]): Promise<void> {
    await this.#each("make", entries, (parent, entry) => {
      this.#inodes.set(entry.path, this.#parts.staging.makeFolder(parent, entry));
      this.#done.restored.add(entry.path);
    });
  }

  async putAll(entries: readonly Entry[]): Promise<void> {
    await this.#each("put", entries, async (parent, entry) => {
      if (entry.kind === "file") return this.#putFile(parent, entry);
      this.#parts.staging.putLink(parent, entry);
      this.#done.restored.add(entry.path);
    });
  }

  #putFile(parent: Folder, entry: Entry): Promise<void> {
    return this.#parts.staging.putFile(parent, entry, this.#parts.pace, (failure) => {
      this.#parts.onStep(`placed ${entry.path}`);
      if (failure === undefined) this.#done.restored.add(entry.path);
      else this.#note(entry, failure);
    });
  }

  async touchAll(entries: readonly Entry[]): Promise<void> {
    await this.#each("touch", entries, (parent, entry) => {
      using file = new OpenFile(
        parent.at(nameOf(entry.path)),
        constants.O_RDONLY | constants.O_NONBLOCK,
      );
      if (!this.#isExpected(file.fd, entry)) return;
      futimesSync(file.fd, entry.mtimeMs / 1000, entry.mtimeMs / 1000);
      this.#done.restored.add(entry.path);
    });
  }

  async finishAll(entries: readonly Entry[], changed: ReadonlySet<Entry>): Promise<void> {
    for (const entry of entries) {
      await this.#step("finish", entry, () => {
        using folder = this.#parts.root.descend(entry.path);
        if (!this.#isExpected(folder.fd, entry)) return;
        dress(folder.fd, entry);
        fsyncSync(folder.fd);
        if (changed.has(entry)) this.#done.restored.add(entry.path);
      });
    }
  }

  /**
   * A directory that root keeps to itself must not be handed to the workload because somebody moved it to where
   * another one was expected.
   */
  #isExpected(fd: number, entry: Entry): boolean {
    if (fstatSync(fd).ino === this.#inodes.get(entry.path)) return true;
    this.#done.failed.set(entry.path, KEPT_CHANGING);
    return false;
  }

  /** Opens each parent once for neighbours; all of a parent's files are in place before it is closed. */
  async #each(
    label: string,
    entries: readonly Entry[],
    act: (parent: Folder, entry: Entry) => Promise<void> | void,
  ): Promise<void> {
    for (const [parentPath, group] of neighbours(entries)) {
      await this.#step("open", group[0], async () => {
        using parent = this.#parts.root.descend(parentPath);
        try {
          for (const entry of group) await this.#step(label, entry, () => act(parent, entry));
        } finally {
          await this.#parts.staging.settle();
        }
      });
    }
  }

  async #step(
    label: string,
    entry: Entry | undefined,
    act: () => Promise<void> | void,
  ): Promise<void> {
    if (!entry) return;
    if (this.#parts.pace.isDue) await this.#parts.pace.rest();
    this.#parts.onStep(`${label} ${entry.path}`);
    try {
      await act();
    } catch (error) {
      this.#note(entry, error);
    }
  }

  #note({ path }: Entry, error: unknown): void {
    if (error instanceof DamagedBlobError) this.#done.failed.set(path, error.message);
    else if (isMoved(error)) this.#done.failed.set(path, KEPT_CHANGING);
    else if (codeOf(error) === "EPERM" || codeOf(error) === "EACCES") {
      this.#done.failed.set(path, "the system does not allow it");
    } else throw error;
  }
}

export const KEPT_CHANGING = "a process in the workspace kept changing it";

/** Runs of entries with one parent, in their order. */
function neighbours(entries: readonly Entry[]): [Bytes, Entry[]][] {
  const groups: [Bytes, Entry[]][] = [];
  for (const entry of entries) {
    const parent = parentOf(entry.path);
    const last = groups.at(-1);
    if (last?.[0] === parent) last[1].push(entry);
    else groups.push([parent, [entry]]);
  }
  return groups;
}
