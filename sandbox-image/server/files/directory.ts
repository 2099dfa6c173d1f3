import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { mkdir, rmdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { exactly, raw } from "../../../src/lib/file-names.ts";
import { codeOf } from "../error-code.ts";

const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * An open directory, opened and closed without a trip through the thread pool. Names are looked up in the directory that was opened, so nobody can lead a write elsewhere by
 * putting a link in the place of one of its parents meanwhile.
 */
export class Directory implements Disposable {
  readonly #fd: number;
  readonly #path: string;
  /** Directories that had to be made, outermost first. */
  readonly #made: readonly Made[];

  private constructor(fd: number, path: string, made: readonly Made[] = []) {
    this.#fd = fd;
    this.#path = path;
    this.#made = made;
  }

  /** `path` must be resolved. */
  static open(path: string): Directory {
    const fd = openSync(raw(path), OPEN_DIRECTORY);
    try {
      expectPath(fd, path);
      return new Directory(fd, path);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** Opens the directory and makes what is missing of it. */
  static async make(path: string): Promise<Directory> {
    const missing: string[] = [];
    for (let next = path; ; next = dirname(next)) {
      const found = Directory.#find(next);
      if (found) return found.#descend(missing.reverse());
      missing.push(basename(next));
    }
  }

  static #find(path: string): Directory | undefined {
    try {
      return Directory.open(path);
    } catch (error) {
      if (codeOf(error) === "ENOENT" && path !== "/") return undefined;
      throw error;
    }
  }

  async #descend(names: readonly string[]): Promise<Directory> {
    const made: Made[] = [];
    let current: Directory = this;
    try {
      for (const name of names) {
        if (await makeOne(current.at(name))) made.push({ parent: current.#path, name });
        const fd = openSync(current.at(name), OPEN_DIRECTORY);
        const path = `${current.#path === "/" ? "" : current.#path}/${name}`;
        current[Symbol.dispose]();
        current = new Directory(fd, path, [...made]);
      }
      return current;
    } catch (error) {
      current[Symbol.dispose]();
      await removeMade(made);
      throw error;
    }
  }

  /** A path that leads to this name in exactly this directory. */
  at(name: string): string | Buffer {
    return raw(`/proc/self/fd/${this.#fd}/${name}`);
  }

  /** Takes back the directories that were made, as far as they are still empty. */
  async unmake(): Promise<void> {
    await removeMade(this.#made);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

interface Made {
  readonly parent: string;
  readonly name: string;
}

/** Whether it was made now. */
async function makeOne(path: string | Buffer): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function removeMade(made: readonly Made[]): Promise<void> {
  for (const { parent, name } of made.toReversed()) {
    try {
      using directory = Directory.open(parent);
      await rmdir(directory.at(name));
    } catch {
      // Somebody has put something into it meanwhile: then it stays.
      return;
    }
  }
}

/** Throws when the file that was opened is not at `path`: a link was put in the way since it was resolved. */
export function expectPath(fd: number, path: string): void {
  const link = `/proc/self/fd/${fd}`;
  if (exactly(readlinkSync(link), () => readlinkSync(link, "buffer")) === path) return;
  throw new ToolError(
    "executionFailed",
    `${path.slice(0, 200)} changed while it was being opened. Nothing was done; try again.`,
  );
}
