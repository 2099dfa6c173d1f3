import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { ThreadId } from "../../../src/contract/platform/incoming.ts";
import { type Documents, type Json, StoreError } from "../../../src/contract/store.ts";
import { KeyedLock } from "../../../src/lib/keyed-lock.ts";
import type { Log } from "../../../src/lib/log.ts";
import { SlackError } from "./calls.ts";

/** So long Slack waits without anybody noticing. */
const SOON_MS = 100;
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** What could not be handed over for so long concerns nobody any more. */
const KEPT_MS = 24 * 60 * 60_000;
const PREFIX = "unread:";

const Timed = z.object({ ts: z.string() });

interface Told {
  readonly id: string;
  readonly thread: ThreadId;
  /** As Slack told it. */
  readonly event: Json;
}

/**
 * What cannot be understood at once, because Slack has to be asked first who somebody is and lets us wait: it is kept here, so
 * that Slack can be told that it has arrived, and handed over as soon as that can be done.
 */
export class Unread implements Disposable {
  readonly #documents: Documents;
  readonly #log: Log;
  /** The names of what is in the store. */
  readonly #kept = new Set<string>();
  readonly #lanes = new KeyedLock();
  readonly #end = new AbortController();

  constructor(documents: Documents, log: Log) {
    this.#documents = documents;
    this.#log = log;
  }

  /** Resolves once it is handed over, or kept. What comes after it in its thread waits for it. */
  async take({ id, thread, event }: Told, handOver: () => Promise<void>): Promise<void> {
    const name = `${PREFIX}${id}`;
    const work = this.#lanes.run(thread, () => this.#deliver(handOver));
    try {
      if (await isSoonDone(work)) return await this.#forget(id);
    } catch (error) {
      // What an earlier run has left was acknowledged then: Slack does not send it again.
      if (!this.#kept.has(name)) throw error;
      return this.#giveUp(id, error);
    }
    await this.#documents.set(name, event, { ttlMs: KEPT_MS });
    this.#kept.add(name);
    void work.then(() => this.#forget(id)).catch((error: unknown) => this.#giveUp(id, error));
  }

  /** What an earlier run has left, oldest first. */
  async left(): Promise<Json[]> {
    const names = await this.#documents.keys(PREFIX);
    for (const name of names) this.#kept.add(name);
    const events = await Promise.all(names.map((name) => this.#documents.get(name)));
    return events
      .filter((event) => event !== undefined)
      .sort((one, other) => timeOf(one) - timeOf(other));
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }

  /** Rejects for what will not become better, and when nobody is here any more. */
  async #deliver(handOver: () => Promise<void>): Promise<void> {
    const { signal } = this.#end;
    for (;;) {
      signal.throwIfAborted();
      try {
        return await handOver();
      } catch (error) {
        if (!isPassing(error)) throw error;
        const pauseMs = error instanceof SlackError ? error.retryAfterMs : undefined;
        await sleep(Math.min(pauseMs ?? PAUSE_MS, LONGEST_PAUSE_MS), undefined, { signal });
      }
    }
  }

  async #forget(id: string): Promise<void> {
    const name = `${PREFIX}${id}`;
    if (!this.#kept.has(name)) return;
    await this.#documents.delete(name);
    this.#kept.delete(name);
  }

  /** What can never be understood is told to the operator, and over. Else whoever starts next goes on with it. */
  async #giveUp(id: string, error: unknown): Promise<void> {
    if (this.#end.signal.aborted || isPassing(error)) return;
    this.#log("error", "Dropped a Slack event that cannot be processed.", { id, error });
    await this.#forget(id).catch(() => undefined);
  }
}

function timeOf(event: Json): number {
  const read = Timed.safeParse(event);
  return read.success ? Number(read.data.ts) : 0;
}

function isPassing(error: unknown): boolean {
  return error instanceof StoreError || (error instanceof SlackError && error.when === "later");
}

/** False: it takes longer. */
async function isSoonDone(work: Promise<void>): Promise<boolean> {
  const waiting = new AbortController();
  const late = sleep(SOON_MS, false, { signal: waiting.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}
