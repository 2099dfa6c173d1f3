import { createHash } from "node:crypto";
import { z } from "zod";
import { DeliveryError } from "../../../src/contract/platform/adapter.ts";
import { type Documents, StoreError } from "../../../src/contract/store.ts";
import { NONCE_CHARS } from "../connection/calls.ts";

const Written = z.object({ atMs: z.number() });

/** Something that is shown under a key, and what is known of it. */
export interface Attempt {
  readonly digest: string;
  /** Stands for the key in the message itself, where it is found again however late. */
  readonly mark: number;
  /** When it was first tried, by our clock. */
  readonly atMs: number;
  /** Where it stands. */
  post?: string;
  /** It was sent, and nobody knows what became of it. */
  isInDoubt: boolean;
  /** How often it was deleted: Discord remembers the nonce of what is gone. */
  deletions: number;
}

const KEPT_MS = 14 * 24 * 60 * 60_000;
const MOST_KNOWN = 5_000;

/**
 * What was tried, written down before it is sent. Whoever is to show something under a key that stands here, and does not
 * know what became of it, looks for it on Discord first: also after a restart, and in another process.
 */
export class Attempts {
  readonly #documents: Documents;
  readonly #known = new Map<string, Attempt>();
  readonly #marks = new Map<string, number>();

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  async begin(thread: string, key: string): Promise<Attempt> {
    const hash = createHash("sha256").update(`${thread}\n${key}`).digest();
    const digest = hash.toString("base64url");
    const known = this.#known.get(digest);
    if (known) return known;
    const name = `attempt:${digest}`;
    const written = Written.safeParse(await later(this.#documents.get(name)));
    const atMs = written.success ? written.data.atMs : Date.now();
    if (!written.success) await later(this.#documents.set(name, { atMs }, { ttlMs: KEPT_MS }));
    // Small numbers are those that Discord itself gives to components.
    const mark = 1_000 + (hash.readUInt32BE(0) % 2_147_000_000);
    const attempt = { digest, mark, atMs, isInDoubt: written.success, deletions: 0 };
    keep(this.#known, digest, attempt);
    return attempt;
  }

  shown(attempt: Attempt, post: string): void {
    attempt.post = post;
    attempt.isInDoubt = false;
    keep(this.#marks, post, attempt.mark);
  }

  /** What an edit must leave in the message; undefined where it was posted too long ago to be asked for again. */
  markOf(post: string): number | undefined {
    return this.#marks.get(post);
  }
}

/** Discord posts the same nonce once within some minutes. */
export function nonceOf({ digest, deletions }: Attempt): string {
  const end = deletions === 0 ? "" : `.${deletions}`;
  return `${digest.slice(0, NONCE_CHARS - end.length)}${end}`;
}

function keep<Value>(kept: Map<string, Value>, key: string, value: Value): void {
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KNOWN && oldest !== undefined) kept.delete(oldest);
}

/** A store that is away comes back. */
export async function later<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const away = new DeliveryError("later", "The bot's store is unavailable.", { cause: error });
    throw away;
  }
}
