import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { OperationResult } from "../../src/contract/tools/operation.ts";
import { UNKNOWN } from "./calls.ts";
import { createFile, readIfThere, replaceFile } from "./durable.ts";
import { codeOf } from "./error-code.ts";
import type { Ledger, LedgerEntry } from "./ledger.ts";
import { LATCH_LIMITS, type LatchLimits, pruneLatches } from "./prune-latches.ts";

const Latch = z.object({ digest: z.string(), pid: z.int(), born: z.string() });
const POLL_MS = 20;

/**
 * The ledger of calls that run as root. Each has a server process of its own, so the latch is a file
 * per call that only one of them can create; the others wait for the result file beside it.
 */
export class LatchLedger implements Ledger {
  readonly #dir: string;
  readonly #limits: LatchLimits;
  #fence: number;

  constructor(dir: string, limits: LatchLimits = LATCH_LIMITS) {
    this.#dir = dir;
    this.#limits = limits;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    this.#fence = Number(readIfThere(join(dir, "fence")) ?? 0);
  }

  get fence(): number {
    return this.#fence;
  }

  raiseFence(fence: number): void {
    if (fence <= this.#fence) return;
    this.#fence = fence;
    const path = join(this.#dir, "fence");
    replaceFile(path, asideOf(path), String(fence));
  }

  find(id: string): LedgerEntry | undefined {
    const latchText = readIfThere(this.#path(id, "call"));
    if (latchText === undefined) return undefined;
    const latch = Latch.safeParse(json(latchText));
    const digest = latch.success ? latch.data.digest : "";
    const result = this.#result(id);
    if (result) return { state: "finished", digest, result };
    if (!latch.success || !isAlive(latch.data)) return { state: "started", digest };
    const { pid } = latch.data;
    return {
      state: "elsewhere",
      digest,
      wait: () => this.#waitFor(id, latch.data),
      stop: () => process.kill(pid, "SIGTERM"),
    };
  }

  async start(id: string, digest: string): Promise<boolean> {
    const latch = JSON.stringify({ digest, pid: process.pid, born: bornAt(process.pid) });
    try {
      const call = this.#path(id, "call");
      createFile(call, asideOf(call), latch);
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
  }

  finish(id: string, digest: string, result: OperationResult): void {
    const call = this.#path(id, "call");
    if (!existsSync(call))
      createFile(call, asideOf(call), JSON.stringify({ digest, pid: 0, born: "" }));
    const path = this.#path(id, "result");
    const text = JSON.stringify(result);
    replaceFile(path, asideOf(path), text);
    const { calls, largeBytes } = this.#limits;
    const isLarge = text.length >= largeBytes;
    if (isLarge || readdirSync(this.#dir).length > 2 * calls) this.#prune();
  }

  #prune(): void {
    pruneLatches(this.#dir, this.#limits, (name) => {
      const latch = Latch.safeParse(json(readIfThere(join(this.#dir, `${name}.call`)) ?? ""));
      return latch.success && isAlive(latch.data) && latch.data.pid !== process.pid;
    });
  }

  async #waitFor(id: string, latch: z.infer<typeof Latch>): Promise<OperationResult> {
    while (isAlive(latch)) {
      const result = this.#result(id);
      if (result) return result;
      await sleep(POLL_MS);
    }
    return this.#result(id) ?? UNKNOWN;
  }

  #result(id: string): OperationResult | undefined {
    const text = readIfThere(this.#path(id, "result"));
    return text === undefined ? undefined : OperationResult.parse(json(text));
  }

  #path(id: string, kind: "call" | "result"): string {
    // Loaded here, because both servers are one bundle and only this one needs it.
    const { hash } = process.getBuiltinModule("node:crypto");
    return join(this.#dir, `${hash("sha256", id)}.${kind}`);
  }
}

/** Pid and birth together name a process: a pid alone may have been given to another one. */
function isAlive({ pid, born }: { pid: number; born: string }): boolean {
  return pid > 0 && bornAt(pid) === born;
}

function bornAt(pid: number): string {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "gone";
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // cut off by a crash: whoever parses it finds that it does not fit
  }
}

/** Of this process alone, so that two never write the same. */
function asideOf(path: string): string {
  return `${path}.${process.pid}`;
}
