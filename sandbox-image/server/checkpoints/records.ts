import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import {
  CheckpointId,
  CheckpointInfo,
  UnfinishedRestore,
} from "../../../src/contract/workspace/checkpoints.ts";
import { readIfThere, replaceFile, syncFolder } from "../durable.ts";
import { Blobs } from "./blobs.ts";
import { decodeEntries, encodeEntries, type Tree } from "./entry.ts";
import type { StoreRoom } from "./store-room.ts";

const CheckpointRecord = CheckpointInfo.extend({ tree: z.string(), startedMs: z.number() });
export type CheckpointRecord = z.infer<typeof CheckpointRecord>;

const Journal = UnfinishedRestore.extend({ staging: z.string() });
/** Which restore is at work. It is on the disk before the first change and gone after the last. */
export type Journal = z.infer<typeof Journal>;

/** The store's files. Only root can reach them. */
export class Records {
  readonly blobs: Blobs;
  readonly claims: string;
  readonly trees: string;
  readonly #dir: string;
  readonly #checkpoints: string;
  readonly #aside: string;

  constructor(dir: string) {
    this.#dir = dir;
    this.#checkpoints = join(dir, "checkpoints");
    this.#aside = join(dir, "aside");
    this.trees = join(dir, "trees");
    this.claims = join(dir, "claims");
    this.blobs = new Blobs(join(dir, "blobs"), this.#aside);
    const folders = [this.#checkpoints, this.#aside, this.trees, this.claims, this.blobs.dir];
    for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Throws away what a killed process left half written. Only for whoever holds the lock. */
  clearAside(): void {
    for (const name of readdirSync(this.#aside)) rmSync(join(this.#aside, name));
  }

  /** Newest first. */
  list(): CheckpointRecord[] {
    return readdirSync(this.#checkpoints)
      .map((name) => name.replace(/\.json$/, ""))
      .filter((id) => CheckpointId.safeParse(id).success)
      .sort((a, b) => numberOf(b) - numberOf(a))
      .flatMap((id) => this.#read(id) ?? []);
  }

  find(id: string): CheckpointRecord {
    const found = this.#read(CheckpointId.parse(id));
    if (found) return found;
    const known = this.list()
      .slice(0, 5)
      .map(({ checkpoint }) => checkpoint);
    throw new ToolError(
      "executionFailed",
      `There is no checkpoint ${id}; it may have been removed. The newest are: ${known.join(", ") || "none"}.`,
    );
  }

  nextId(): string {
    const { randomBytes } = process.getBuiltinModule("node:crypto");
    const newest = this.list()[0];
    const number = newest ? numberOf(newest.checkpoint) + 1 : 1;
    return `c${number}-${randomBytes(4).toString("hex")}`;
  }

  /** Durable when it returns. */
  add(record: CheckpointRecord): void {
    this.#write(this.#pathOf(record.checkpoint), record);
    syncFolder(this.#checkpoints);
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) rmSync(this.#pathOf(id), { force: true });
    syncFolder(this.#checkpoints);
  }

  /** Returns the tree's name and how much it added: two checkpoints without a change between them share one. */
  addTree(tree: Tree, room: StoreRoom): { readonly tree: string; readonly bytes: number } {
    const { hash } = process.getBuiltinModule("node:crypto");
    const text = encodeEntries(tree.entries);
    const name = hash("sha256", text);
    const path = join(this.trees, name);
    if (existsSync(path)) return { tree: name, bytes: 0 };
    room.take(Buffer.byteLength(text));
    replaceFile(path, join(this.#aside, "tree"), text);
    syncFolder(this.trees);
    return { tree: name, bytes: Buffer.byteLength(text) };
  }

  treeOf(record: CheckpointRecord): Tree {
    const text = readFileSync(join(this.trees, record.tree), "utf8");
    return { entries: decodeEntries(text), startedMs: record.startedMs };
  }

  newestTree(): Tree | undefined {
    const newest = this.list()[0];
    return newest && this.treeOf(newest);
  }

  get journal(): Journal | undefined {
    const text = readIfThere(join(this.#dir, "restore.json"));
    return text === undefined ? undefined : Journal.parse(JSON.parse(text));
  }

  writeJournal(journal: Journal): void {
    this.#write(join(this.#dir, "restore.json"), journal);
    syncFolder(this.#dir);
  }

  removeJournal(): void {
    rmSync(join(this.#dir, "restore.json"), { force: true });
    syncFolder(this.#dir);
  }

  /** What the store costs its disk; undefined when it has to be counted. Never less than it does. */
  get usage(): number | undefined {
    const text = readIfThere(this.#usageFile);
    return text === undefined ? undefined : Number(text);
  }

  writeUsage(bytes: number): void {
    replaceFile(this.#usageFile, join(this.#aside, "usage"), String(bytes));
  }

  /** Before something is added: when that is cut off, the next use counts again. */
  forgetUsage(): void {
    rmSync(this.#usageFile, { force: true });
  }

  /** Not "usage": that held plain bytes in an earlier version. */
  get #usageFile(): string {
    return join(this.#dir, "usage-blocks");
  }

  #read(id: string): CheckpointRecord | undefined {
    const text = readIfThere(this.#pathOf(id));
    return text === undefined ? undefined : CheckpointRecord.parse(JSON.parse(text));
  }

  #write(path: string, value: object): void {
    replaceFile(path, join(this.#aside, "record"), JSON.stringify(value));
  }

  #pathOf(id: string): string {
    return join(this.#checkpoints, `${id}.json`);
  }
}

function numberOf(id: string): number {
  return Number(id.slice(1, id.indexOf("-")));
}
