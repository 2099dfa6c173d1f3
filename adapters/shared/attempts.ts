import { createHash } from "node:crypto";
import { z } from "zod";
import type { PostId } from "../../src/contract/platform/adapter.ts";
import type { Documents } from "../../src/contract/store.ts";
import { BoundedMap } from "../../src/lib/bounded.ts";
import { retriedLater } from "./store-outage.ts";

const Written = z.object({ atMs: z.number(), file: z.string().optional() });

/** A view or file that is posted under a key, and what is known of its post. */
export interface Attempt {
  /** Stands for the key in the message itself. */
  readonly digest: string;
  /** When it was first tried, by our clock. */
  readonly atMs: number;
  /** The platform's id of the file that was announced. */
  file?: string;
  /** Where it stands. */
  post?: PostId | undefined;
  /** It was sent, and its outcome is unknown. */
  isInDoubt: boolean;
  /** How often its message was deleted: a platform may remember the key of what is gone. */
  deletions: number;
}

export const ATTEMPT_KEPT_MS = 14 * 24 * 60 * 60_000;
const MOST_KNOWN = 5_000;

/**
 * What was tried, written down before it is sent. An attempt in doubt is looked for on the platform before it is sent again,
 * also after a restart and in another process.
 */
export class Attempts {
  readonly #documents: Documents;
  readonly #known = new BoundedMap<string, Attempt>(MOST_KNOWN);

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  async begin(thread: string, key: string): Promise<Attempt> {
    const digest = createHash("sha256").update(`${thread}\n${key}`).digest("base64url");
    const known = this.#known.get(digest);
    if (known) return known;
    const { success, data } = Written.safeParse(
      await retriedLater(this.#documents.get(`attempt:${digest}`)),
    );
    const attempt: Attempt = {
      digest,
      atMs: data?.atMs ?? Date.now(),
      ...(data?.file !== undefined && { file: data.file }),
      isInDoubt: success,
      deletions: 0,
    };
    if (!success) await this.#write(attempt);
    this.#known.set(digest, attempt);
    return attempt;
  }

  /** To be called before the file is shown. */
  async announced(attempt: Attempt, file: string): Promise<void> {
    attempt.file = file;
    await this.#write(attempt);
  }

  async #write({ digest, atMs, file }: Attempt): Promise<void> {
    const written = { atMs, ...(file === undefined ? {} : { file }) };
    const ttlMs = ATTEMPT_KEPT_MS;
    await retriedLater(this.#documents.set(`attempt:${digest}`, written, { ttlMs }));
  }
}
