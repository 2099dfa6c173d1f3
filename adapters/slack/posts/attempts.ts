import { createHash } from "node:crypto";
import { z } from "zod";
import { DeliveryError } from "../../../src/contract/platform/adapter.ts";
import { type Documents, StoreError } from "../../../src/contract/store.ts";

const Written = z.object({ atMs: z.number(), file: z.string().optional() });

/** Something that is shown under a key, and what is known of it. */
export interface Attempt {
  /** Stands for the key in the message itself. */
  readonly digest: string;
  /** When it was first tried, by our clock. */
  readonly atMs: number;
  /** Slack's id of the file that was announced. */
  file?: string;
  /** Where it stands. */
  post?: string | undefined;
  /** It was sent, and nobody knows what became of it. */
  isInDoubt: boolean;
}

const KEPT_MS = 14 * 24 * 60 * 60_000;
const MOST_KNOWN = 5_000;

/**
 * What was tried, written down before it is sent. Whoever is to show something under a key that stands here, and does not
 * know what became of it, looks for it on Slack first: also after a restart, and in another process.
 */
export class Attempts {
  readonly #documents: Documents;
  readonly #known = new Map<string, Attempt>();

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  async begin(thread: string, key: string): Promise<Attempt> {
    const digest = createHash("sha256").update(`${thread}\n${key}`).digest("base64url");
    const known = this.#known.get(digest);
    if (known) return known;
    const written = Written.safeParse(await later(this.#documents.get(`attempt:${digest}`)));
    const attempt: Attempt = written.success
      ? { digest, atMs: written.data.atMs, isInDoubt: true, ...fileOf(written.data) }
      : { digest, atMs: Date.now(), isInDoubt: false };
    if (!written.success) await this.#write(attempt);
    this.#keep(attempt);
    return attempt;
  }

  /** Before the file is shown. */
  async announced(attempt: Attempt, file: string): Promise<void> {
    attempt.file = file;
    await this.#write(attempt);
  }

  /** A message that carries no key of its own while it is written. */
  async streams(attempt: Attempt, channel: string, ts: string): Promise<void> {
    const name = `stream:${channel}:${ts}`;
    await later(this.#documents.set(name, attempt.digest, { ttlMs: KEPT_MS }));
  }

  /** The digest of what is being written there. */
  async streamedAt(channel: string, ts: string): Promise<string | undefined> {
    const digest = await later(this.#documents.get(`stream:${channel}:${ts}`));
    return typeof digest === "string" ? digest : undefined;
  }

  async #write({ digest, atMs, file }: Attempt): Promise<void> {
    const written = { atMs, ...(file === undefined ? {} : { file }) };
    await later(this.#documents.set(`attempt:${digest}`, written, { ttlMs: KEPT_MS }));
  }

  #keep(attempt: Attempt): void {
    this.#known.set(attempt.digest, attempt);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

function fileOf({ file }: z.infer<typeof Written>): { file?: string } {
  return file === undefined ? {} : { file };
}

/** A store that is away comes back. */
async function later<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const away = new DeliveryError("later", "The bot's store is unavailable.", { cause: error });
    throw away;
  }
}
