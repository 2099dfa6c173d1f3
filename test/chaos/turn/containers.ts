import { readdir, readFile } from "node:fs/promises";
import { conversationKey, Names } from "../../../src/workspace/names.ts";
import { docker } from "../../support/engine.ts";

/** Where effects are left: one file in the workspace, and any outside of it. */
const INSIDE = "workspace/effects";
const OUTSIDE = "srv";

/** The containers of a bot, seen from the machine they run on. */
export class Containers {
  readonly #names: Names;
  readonly #roots = new Map<string, { readonly path: string; readonly born: string }>();

  constructor(instance: string) {
    this.#names = new Names(instance);
  }

  /** Every line that commands have left there. No container yet: none. */
  async effects(thread: string): Promise<string[]> {
    const name = this.#nameOf(thread);
    const root = await this.#rootOf(name);
    const text = root === undefined ? "" : await this.#read(name, root);
    return text.split("\n");
  }

  processes(thread: string): Promise<string> {
    return docker("top", this.#nameOf(thread), "-eo", "pid,args").catch(() => "");
  }

  async remove(thread: string): Promise<void> {
    // There may be none.
    await docker("rm", "--force", this.#nameOf(thread)).catch(() => undefined);
  }

  #nameOf(thread: string): string {
    return this.#names.claimed(conversationKey(thread));
  }

  /** The container's files as its first process sees them: looking there is a hundred times cheaper than to run `cat` in it. */
  async #rootOf(name: string): Promise<string | undefined> {
    const known = this.#roots.get(name);
    if (known && (await birthOf(known.path)) === known.born) return known.path;
    const pid = await docker("inspect", "--format", "{{.State.Pid}}", name).catch(() => "0");
    if (pid === "0") return undefined;
    const path = `/proc/${pid}/root`;
    this.#roots.set(name, { path, born: await birthOf(path) });
    return path;
  }

  async #read(name: string, root: string): Promise<string> {
    try {
      const outside = await readdir(`${root}/${OUTSIDE}`);
      const files = [INSIDE, ...outside.map((file) => `${OUTSIDE}/${file}`)];
      const texts = files.map((file) => readFile(`${root}/${file}`, "utf8").catch(ifMissing));
      return (await Promise.all(texts)).join("\n");
    } catch {
      // Whoever is not root, or has the engine elsewhere, has to ask it.
      const read = `cat /${INSIDE} /${OUTSIDE}/* 2>/dev/null || true`;
      return docker("exec", name, "sh", "-c", read).catch(() => "");
    }
  }
}

/** Tells a process from a later one of the same number. */
async function birthOf(root: string): Promise<string> {
  const stat = await readFile(root.replace(/root$/, "stat"), "utf8").catch(ifMissing);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "gone";
}

function ifMissing(error: NodeJS.ErrnoException): string {
  if (error.code === "ENOENT" || error.code === "ESRCH") return "";
  throw error;
}
