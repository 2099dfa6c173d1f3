import { z } from "zod";
import { type UploadBudget, UploadLimitError } from "../contract/platform/upload-budget.ts";
import type { Documents } from "../contract/store.ts";
import { KeyedLock } from "../lib/keyed-lock.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const MB = 1024 * 1024;

/** Minute since 1970, and the bytes of that minute. */
const Uploaded = z.array(z.tuple([z.int(), z.number()]));

interface BudgetOptions {
  readonly documents: Documents;
  readonly bytesPerHour: number;
  readonly now?: () => number;
}

/** Counts uploads in the store, so that a restart forgets nothing. */
export class StoredUploadBudget implements UploadBudget {
  readonly #documents: Documents;
  readonly #bytesPerHour: number;
  readonly #now: () => number;
  readonly #lock = new KeyedLock();

  constructor({ documents, bytesPerHour, now = Date.now }: BudgetOptions) {
    this.#documents = documents;
    this.#bytesPerHour = bytesPerHour;
    this.#now = now;
  }

  take(person: string, bytes: number): Promise<void> {
    return this.#lock.run(person, async () => {
      const uploaded = await this.#lastHour(person);
      const sum = uploaded.reduce((total, [, counted]) => total + counted, 0);
      if (sum + bytes > this.#bytesPerHour) throw this.#refusal(uploaded, sum + bytes);
      await this.#count(person, uploaded, bytes);
    });
  }

  giveBack(person: string, bytes: number): Promise<void> {
    return this.#lock.run(person, async () =>
      this.#count(person, await this.#lastHour(person), -bytes),
    );
  }

  async #lastHour(person: string): Promise<[number, number][]> {
    const kept = Uploaded.safeParse(await this.#documents.get(person));
    const first = Math.floor((this.#now() - HOUR_MS) / MINUTE_MS);
    return kept.success ? kept.data.filter(([minute]) => minute > first) : [];
  }

  async #count(person: string, uploaded: readonly [number, number][], bytes: number) {
    const minute = Math.floor(this.#now() / MINUTE_MS);
    const earlier = uploaded.filter(([at]) => at !== minute);
    const now = uploaded.find(([at]) => at === minute)?.[1] ?? 0;
    await this.#documents.set(person, [...earlier, [minute, now + bytes]], {
      ttlMs: HOUR_MS + MINUTE_MS,
    });
  }

  /** Names the minutes until enough of the last hour is over. */
  #refusal(uploaded: readonly [number, number][], wanted: number): UploadLimitError {
    let over = wanted - this.#bytesPerHour;
    const last = uploaded.find(([, bytes]) => {
      over -= bytes;
      return over <= 0;
    });
    const most = `Each person can upload ${Math.floor(this.#bytesPerHour / MB)} MB per hour.`;
    const raise = "ask the operator to raise UPLOAD_MB_PER_HOUR.";
    if (!last) return new UploadLimitError(`${most} Send a smaller file, or ${raise}`);
    const minutes = Math.ceil(
      (last[0] * MINUTE_MS + HOUR_MS + MINUTE_MS - this.#now()) / MINUTE_MS,
    );
    return new UploadLimitError(`${most} Try again in ${minutes} min, or ${raise}`);
  }
}
