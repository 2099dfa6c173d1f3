import { z } from "zod";
import { Incoming } from "../contract/platform/incoming.ts";
import { type InboxRow, type Store, StoreError } from "../contract/store.ts";
import type { Log } from "../lib/log.ts";

export interface WorkerParts {
  readonly store: Pick<Store, "inbox">;
  /** What has to be done about a row. "later": it must be looked at again. */
  readonly handle: (event: InboxEvent, row: InboxRow) => Promise<"done" | "later">;
  readonly log: Log;
  /** Another for every process. */
  readonly name: string;
  /** For how long a row is nobody else's. */
  readonly holdMs?: number;
}

/** Something that a row is about: what people did, a time that has come, or a conversation that has to be woken. */
export type InboxEvent = z.infer<typeof InboxEvent>;
const Expiry = z.object({ type: z.literal("expiry"), approval: z.string() });
const Wake = z.object({ type: z.literal("wake") });
const InboxEvent = z.union([Incoming, Expiry, Wake]);

const ROWS = 50;
const HOLD_MS = 20_000;
/** How often rows are looked for that nobody here has brought, or whose time comes. */
const LOOK_MS = 1_000;
const LATER_MS = 1_000;
const MOST_LATER_MS = 60_000;

/** Takes what has come in and sees to it, row by row within a conversation. What fails is tried again, for good. */
export class InboxWorker implements AsyncDisposable {
  readonly #parts: WorkerParts;
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #held = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isWanted = false;
  #isClosed = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_MS);
    this.#timer.unref();
    this.look();
  }

  /** There may be something to take. */
  look(): void {
    this.#isWanted = true;
    this.#looking ??= this.#take().finally(() => {
      this.#looking = undefined;
      if (this.#isWanted && !this.#isClosed) this.look();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all(this.#lanes.values());
  }

  async #take(): Promise<void> {
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      try {
        const { store, name, holdMs = HOLD_MS } = this.#parts;
        const rows = await store.inbox.take(name, { limit: ROWS, holdMs });
        for (const row of rows) this.#queue(row);
        if (rows.length === ROWS) this.#isWanted = true;
      } catch (error) {
        // The next look tries again; nothing that was kept is lost.
        this.#parts.log("error", "Failed to read the inbox; retrying.", { error });
      }
    }
  }

  /** People expect to be heard in order; other conversations do not wait. */
  #queue(row: InboxRow): void {
    if (this.#held.has(row.id)) return;
    this.#held.add(row.id);
    const { conversation } = row;
    const before = this.#lanes.get(conversation) ?? Promise.resolve();
    const mine = before
      .then(() => this.#see(row))
      .finally(() => {
        this.#held.delete(row.id);
        if (this.#lanes.get(conversation) === mine) this.#lanes.delete(conversation);
      });
    this.#lanes.set(conversation, mine);
  }

  async #see(row: InboxRow): Promise<void> {
    const { store, name, handle, log } = this.#parts;
    try {
      const known = InboxEvent.safeParse(row.data);
      if (!known.success) {
        log("error", "Dropped an inbox row that cannot be parsed.", { row: row.id });
        await store.inbox.finish(row.id, name);
        return;
      }
      if (this.#isClosed) return;
      const outcome = await handle(known.data, row);
      if (outcome === "done") await store.inbox.finish(row.id, name);
      else await this.#defer(row, LATER_MS);
    } catch (error) {
      log("error", "Failed to process an inbox row; retrying.", {
        row: row.id,
        error,
      });
      await this.#defer(row, Math.min(MOST_LATER_MS, LATER_MS * 2 ** Math.min(row.tries, 6)));
    }
  }

  async #defer({ id }: InboxRow, waitMs: number): Promise<void> {
    const { store, name, log } = this.#parts;
    try {
      await store.inbox.defer(id, name, new Date(Date.now() + waitMs).toISOString());
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // Its hold runs out, and then it is taken again.
      log("error", "Failed to release an inbox row.", { row: id, error });
    }
  }
}
