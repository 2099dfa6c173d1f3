import { z } from "zod";
import type { NamedValue } from "../contract/conversation/memory.ts";
import { type Documents, StoreError } from "../contract/store.ts";
import { ToolError } from "../contract/tools/operation.ts";
import { digest } from "./words.ts";

const SCOPE_LIMIT = 1000;

const KeptValue = z.object({ key: z.string(), value: z.string(), updatedAt: z.string() });

/** Values by key, scope by scope. Nothing is held in memory: another process may write at any time. */
export class ScopeValues {
  readonly #documents: Documents;
  readonly #now: () => number;

  constructor(documents: Documents, now: () => number) {
    this.#documents = documents;
    this.#now = now;
  }

  /** True where the key had a value before. */
  async set(scope: string, key: string, value: string): Promise<boolean> {
    const place = placeOf(scope, key);
    const isThere = (await this.#documents.get(place)) !== undefined;
    if (!isThere) await this.#checkRoom(scope);
    const updatedAt = new Date(this.#now()).toISOString();
    await this.#documents.set(place, { key, value, updatedAt });
    return isThere;
  }

  async get(scope: string, key: string): Promise<NamedValue | undefined> {
    return this.#read(placeOf(scope, key));
  }

  async list(scope: string): Promise<NamedValue[]> {
    const places = await this.#documents.keys(valuesOf(scope));
    const found = await Promise.all(places.map((place) => this.#read(place)));
    return found
      .filter((value) => value !== undefined)
      .sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  delete(scope: string, key: string): Promise<boolean> {
    return this.#documents.delete(placeOf(scope, key));
  }

  /** How many there were. */
  async clear(scope: string): Promise<number> {
    const places = await this.#documents.keys(valuesOf(scope));
    for (const place of places) await this.#documents.delete(place);
    return places.length;
  }

  async #read(place: string): Promise<NamedValue | undefined> {
    const document = await this.#documents.get(place);
    if (document === undefined) return undefined;
    const parsed = KeptValue.safeParse(document);
    if (parsed.success) return parsed.data;
    throw new StoreError(
      `The stored entry "${place}" is not a value. Restore the store from a backup, or delete this key.`,
    );
  }

  async #checkRoom(scope: string): Promise<void> {
    const { length } = await this.#documents.keys(valuesOf(scope));
    if (length < SCOPE_LIMIT) return;
    throw new ToolError(
      "executionFailed",
      `This memory is full (${length} values). Delete some with delete_value first.`,
    );
  }
}

function valuesOf(scope: string): string {
  return `value/${digest(scope)}/`;
}

function placeOf(scope: string, key: string): string {
  return `${valuesOf(scope)}${digest(key)}`;
}
