import { readlinkSync, type Stats } from "node:fs";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import type { BlobIntake } from "./blobs.ts";
import { type Bytes, fromText, joined } from "./bytes.ts";
import { type CaptureOptions, capture } from "./capture.ts";
import { byPath, type Entry, entryOf, isUntouched, type Tree } from "./entry.ts";
import { isMoved } from "./errors.ts";
import { Folder } from "./folder.ts";
import type { CheckpointLimits } from "./limits.ts";
import type { Pace } from "./pace.ts";

/** Timestamps come from a clock that ticks every few milliseconds, up to ten. */
const CLOCK_SLACK_MS = 100;
const TRIES = 3;

export interface ScanOptions {
  readonly limits: CheckpointLimits;
  /** What was seen last time: untouched files are not read again. */
  readonly known?: Tree | undefined;
  readonly intake?: BlobIntake | undefined;
  /** A name directly below the workspace that is our own. */
  readonly ignore?: Bytes | undefined;
  readonly pace: Pace;
}

/** Everything below the workspace, as it is now. */
export async function scan(root: string, options: ScanOptions): Promise<Tree> {
  const startedMs = Date.now();
  using folder = Folder.open(root);
  const walk = new Walk(folder.stats().dev, options);
  await walk.visit(folder, "", 0);
  return { entries: walk.entries, startedMs };
}

class Walk {
  readonly entries: Entry[] = [];
  readonly #device: number;
  readonly #options: ScanOptions;
  readonly #known: ReadonlyMap<Bytes, Entry>;
  readonly #trustBeforeMs: number;
  readonly #exclude: ReadonlySet<Bytes>;
  readonly #capture: CaptureOptions;

  constructor(device: number, options: ScanOptions) {
    const { known, limits, intake, pace } = options;
    this.#device = device;
    this.#options = options;
    this.#known = byPath(known?.entries ?? []);
    this.#trustBeforeMs = (known?.startedMs ?? 0) - CLOCK_SLACK_MS;
    this.#exclude = new Set(limits.exclude.map(fromText));
    this.#capture = { maxFileBytes: limits.maxFileBytes, intake, pace };
  }

  async visit(folder: Folder, path: Bytes, depth: number): Promise<void> {
    const stats = folder.stats();
    const why = this.#refusal(stats, path, depth);
    this.#add(entryOf(path, stats, "", why));
    if (why) return;
    for (const name of folder.names()) {
      if (depth === 0 && name === this.#options.ignore) continue;
      if (this.#options.pace.isDue) await this.#options.pace.rest();
      await this.#look(folder, name, joined(path, name), depth + 1);
    }
  }

  #refusal(stats: Stats, path: Bytes, depth: number): string {
    if (this.#exclude.has(path)) return "the settings exclude it";
    if (stats.dev !== this.#device) return "it is on another file system";
    const { maxDepth } = this.#options.limits;
    return depth >= maxDepth ? `it is more than ${maxDepth} directories deep` : "";
  }

  /** What is exchanged for something else between two looks is looked at again. */
  async #look(folder: Folder, name: Bytes, path: Bytes, depth: number): Promise<void> {
    for (let tries = 1; ; tries++) {
      const stats = folder.lstat(name);
      if (!stats) return;
      if (tries > TRIES) return this.#add(entryOf(path, stats, "", "it kept being replaced"));
      const isSeen = stats.isDirectory()
        ? await this.#enter(folder, name, path, depth)
        : await this.#note(folder, name, path, stats);
      if (isSeen) return;
    }
  }

  async #enter(folder: Folder, name: Bytes, path: Bytes, depth: number): Promise<boolean> {
    using child = enterIfThere(folder, name);
    if (child) await this.visit(child, path, depth);
    return child !== undefined;
  }

  async #note(folder: Folder, name: Bytes, path: Bytes, stats: Stats): Promise<boolean> {
    const entry = this.#unread(path, stats) ?? (await this.#read(folder, name, path, stats));
    if (entry) this.#add(entry);
    return entry !== undefined;
  }

  /** What needs no reading: odd files, excluded ones, and those that are as they were last time. */
  #unread(path: Bytes, stats: Stats): Entry | undefined {
    if (this.#exclude.has(path)) return entryOf(path, stats, "", "the settings exclude it");
    if (stats.isSymbolicLink()) return undefined;
    if (!stats.isFile()) return entryOf(path, stats, "");
    const known = this.#known.get(path);
    if (known?.kind !== "file" || known.content === "") return undefined;
    const isTrusted = stats.ctimeMs < this.#trustBeforeMs && isUntouched(known, stats);
    return isTrusted ? entryOf(path, stats, known.content) : undefined;
  }

  async #read(folder: Folder, name: Bytes, path: Bytes, stats: Stats): Promise<Entry | undefined> {
    if (stats.isSymbolicLink()) {
      const target = linkTarget(folder, name);
      return target === undefined ? undefined : entryOf(path, stats, target);
    }
    const captured = await capture(folder, name, this.#capture);
    return captured && entryOf(path, captured.stats, captured.hash, captured.why);
  }

  #add(entry: Entry): void {
    const { maxEntries } = this.#options.limits;
    if (this.entries.length >= maxEntries) {
      throw new ToolError(
        "executionFailed",
        `The workspace has more than ${maxEntries} files, too many for a checkpoint. Delete files, or exclude a directory in the settings.`,
      );
    }
    this.entries.push(entry);
  }
}

function enterIfThere(folder: Folder, name: Bytes): Folder | undefined {
  try {
    return folder.enter(name);
  } catch (error) {
    if (isMoved(error)) return undefined;
    throw error;
  }
}

function linkTarget(folder: Folder, name: Bytes): Bytes | undefined {
  try {
    return readlinkSync(folder.at(name), "latin1");
  } catch (error) {
    if (isMoved(error)) return undefined;
    throw error;
  }
}
