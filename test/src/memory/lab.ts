import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Memories, NewMemory } from "../../../src/contract/conversation/memory.ts";
import type { Store } from "../../../src/contract/store.ts";
import { createMemories } from "../../../src/memory/memories.ts";
import { openStore } from "../../../src/store/open-store.ts";

/** Memories in a store of their own, and a clock that stands still until a test moves it. */
export interface MemoryLab extends AsyncDisposable {
  readonly file: string;
  readonly memories: Memories;
  wait(ms: number): void;
  /** Another process on the same store. */
  reopen(): Promise<Memories>;
}

export async function memoryLab({ scopeLimit }: { scopeLimit?: number } = {}): Promise<MemoryLab> {
  const directory = mkdtempSync(join(tmpdir(), "memory-"));
  const file = join(directory, "store.db");
  const stores: Store[] = [];
  let time = Date.parse("2030-01-01T00:00:00Z");
  const open = async () => {
    const store = await openStore({ kind: "sqlite", file });
    stores.push(store);
    return createMemories({
      documents: store.documents("memory"),
      now: () => time,
      ...(scopeLimit === undefined ? {} : { scopeLimit }),
    });
  };
  return {
    file,
    memories: await open(),
    wait: (ms) => {
      time += ms;
    },
    reopen: open,
    [Symbol.asyncDispose]: async () => {
      for (const store of stores) await store[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export function fact(content: string, more: Partial<NewMemory> = {}): NewMemory {
  return { conversation: "A", content, contentType: "fact", ...more };
}

export const ALL = { limit: 50, threshold: 0 };
