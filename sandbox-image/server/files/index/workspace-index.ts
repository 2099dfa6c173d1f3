import { isStale, type ScannedDirectory, scanDirectory } from "./scan.ts";

/** One file or directory of the index; `path` is relative to the workspace. */
export interface IndexEntry {
  readonly path: string;
  readonly isDirectory: boolean;
  readonly size: number;
}

export interface IndexStats {
  readonly files: number;
  readonly directories: number;
  readonly totalBytes: number;
  /** Files per extension, the most frequent first; "" are files without one. */
  readonly extensions: readonly {
    readonly extension: string;
    readonly files: number;
    readonly bytes: number;
  }[];
  /** The workspace has more files than the index can hold. */
  readonly truncated: boolean;
}

export interface Refreshed {
  readonly files: number;
  readonly directories: number;
  readonly durationMs: number;
}

export interface IndexLimits {
  readonly maxEntries: number;
  readonly maxDepth: number;
}

const DEFAULT_LIMITS: IndexLimits = { maxEntries: 200_000, maxDepth: 40 };

/**
 * The names of a workspace's files, without hidden ones, build results and other people's code. Refreshing reads again
 * only directories whose time has changed, a few at a time, so that the server goes on answering meanwhile.
 */
export class WorkspaceIndex {
  readonly #root: string;
  readonly #limits: IndexLimits;
  #directories = new Map<string, ScannedDirectory>();
  #truncated = false;
  #refreshing: Promise<Refreshed> | undefined;

  constructor(root: string, limits: IndexLimits = DEFAULT_LIMITS) {
    this.#root = root;
    this.#limits = limits;
  }

  /** Brings the index up to date. `full` reads everything again, for the sizes of files that were changed in place. */
  async refresh({ full = false } = {}): Promise<Refreshed> {
    // One that is under way may have passed a directory before it changed, so it cannot be joined.
    const before = this.#refreshing;
    const mine = (async () => {
      await before;
      return this.#walk(full);
    })();
    this.#refreshing = mine;
    try {
      return await mine;
    } finally {
      if (this.#refreshing === mine) this.#refreshing = undefined;
    }
  }

  /** Everything in the index, directory by directory, each with its files; sorted by name. */
  *entries(): Generator<IndexEntry> {
    for (const [path, { files }] of this.#directories) {
      if (path !== "") yield { path, isDirectory: true, size: 0 };
      for (const { name, size } of files) {
        yield { path: path === "" ? name : `${path}/${name}`, isDirectory: false, size };
      }
    }
  }

  stats(): IndexStats {
    const byExtension = new Map<string, { files: number; bytes: number }>();
    for (const { files } of this.#directories.values()) {
      for (const { name, size } of files) {
        const extension = extensionOf(name);
        const sum = byExtension.get(extension) ?? { files: 0, bytes: 0 };
        byExtension.set(extension, { files: sum.files + 1, bytes: sum.bytes + size });
      }
    }
    const extensions = [...byExtension].map(([extension, sum]) => ({ extension, ...sum }));
    return {
      files: extensions.reduce((sum, { files }) => sum + files, 0),
      directories: Math.max(0, this.#directories.size - 1),
      totalBytes: extensions.reduce((sum, { bytes }) => sum + bytes, 0),
      extensions: extensions.sort(
        (a, b) => b.files - a.files || (a.extension < b.extension ? -1 : 1),
      ),
      truncated: this.#truncated,
    };
  }

  async #walk(full: boolean): Promise<Refreshed> {
    const began = performance.now();
    const fresh = new Map<string, ScannedDirectory>();
    let left = this.#limits.maxEntries;
    let level = [""];
    for (let depth = 0; level.length > 0 && depth < this.#limits.maxDepth && left > 0; depth++) {
      const next: string[] = [];
      for (const batch of batches(level)) {
        const scanned = await Promise.all(batch.map((path) => this.#scan(path, full, left)));
        scanned.forEach((directory, index) => {
          if (!directory || left <= 0) return;
          const path = batch[index] ?? "";
          fresh.set(path, directory);
          left -= directory.files.length + 1;
          next.push(
            ...directory.directories.map((name) => (path === "" ? name : `${path}/${name}`)),
          );
        });
      }
      level = next;
    }
    this.#directories = new Map([...fresh].sort(([a], [b]) => (a < b ? -1 : 1)));
    this.#truncated = left <= 0 || level.length > 0;
    const { files, directories } = this.stats();
    return { files, directories, durationMs: Math.round(performance.now() - began) };
  }

  async #scan(path: string, full: boolean, left: number): Promise<ScannedDirectory | undefined> {
    const absolute = path === "" ? `${this.#root}/.` : `${this.#root}/${path}`;
    const known = this.#directories.get(path);
    if (known && !full && !(await isStale(absolute, known))) return known;
    return scanDirectory(absolute, left);
  }
}

/** Few enough at a time to leave the file system's threads to others. */
const AT_ONCE = 8;

function* batches(paths: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < paths.length; from += AT_ONCE) yield paths.slice(from, from + AT_ONCE);
}

/** In lower case, without the dot; a leading dot begins a hidden name and no extension. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : "";
}
