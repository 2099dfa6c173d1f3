import { randomUUID } from "node:crypto";
import type { Audit } from "../contract/audit.ts";
import type { JournalEnd, Store } from "../contract/store.ts";
import { JOURNAL } from "./journal.ts";

/** A line that is removed sooner is noticed only by the store's own note of the journal's end. */
const EVERY_MS = 10_000;
const LEASE_MS = 30_000;
const LEASE = "audit:journals";
const ENDS_PER_RECORD = 100;

export interface JournalCommitsOptions {
  readonly store: Store;
  readonly audit: Pick<Audit, "record">;
  readonly warn: (message: string) => void;
}

/**
 * Has the audit commit to the ends of all journals, also of conversations in which nothing is ever audited. Of several
 * replicas one does it. Ends that a crash left uncommitted follow after the next start. Disposing commits to the last ones.
 */
export class JournalCommits implements AsyncDisposable {
  readonly #options: JournalCommitsOptions;
  readonly #holder = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #committing: Promise<void> = Promise.resolve();

  constructor(options: JournalCommitsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.commit(), EVERY_MS).unref();
  }

  /** One commit at a time. A failed one is repeated by the next, because its ends stay uncommitted. */
  commit(): Promise<void> {
    this.#committing = this.#committing.then(async () => {
      try {
        await this.#commitAll();
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        this.#options.warn(`The audit could not commit to the journals: ${why}`);
      }
    });
    return this.#committing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.commit();
  }

  async #commitAll(): Promise<void> {
    const { store } = this.#options;
    const ends = (await store.uncommittedEnds()).filter(isConversation);
    if (ends.length === 0) return;
    const lease = await store.lease(LEASE, this.#holder, LEASE_MS);
    if (!lease) return; // another replica commits to the same ends
    for (let at = 0; at < ends.length; at += ENDS_PER_RECORD)
      await this.#commitTo(ends.slice(at, at + ENDS_PER_RECORD));
    await lease.release();
  }

  async #commitTo(ends: JournalEnd[]): Promise<void> {
    await this.#options.audit.record({ kind: "journals.committed", actor: "bot", ends });
    await this.#options.store.markCommitted(ends);
  }
}

/** The audit's own journal is the chain that commits. */
function isConversation({ conversation }: JournalEnd): boolean {
  return conversation !== JOURNAL;
}
