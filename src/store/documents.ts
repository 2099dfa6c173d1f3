import { type Documents, type Json, StoreError, UnreadableError } from "../contract/store.ts";
import type { Backend } from "./backend.ts";
import { checkDuration, checkName, checkNamespace, toText } from "./limits.ts";

/** Under which a document is kept. */
export function documentKey(namespace: string, key: string): string {
  return `${checkNamespace(namespace)}:${checkName("A document's key", key)}`;
}

/** One namespace of the documents, by keyv. */
export function documentsOf(backend: Backend, namespace: string): Documents {
  const start = `${checkNamespace(namespace)}:`;
  const keyOf = (key: string) => documentKey(namespace, key);
  return {
    async get(key) {
      const text = await backend.keyv.get<string>(keyOf(key));
      return text === undefined ? undefined : parseText(backend, `document ${start}${key}`, text);
    },
    async set(key, value, { ttlMs } = {}) {
      const text = toText("A document", value);
      // keyv takes a lifetime of 0 for one without end.
      const ttl = ttlMs === undefined ? undefined : checkDuration("A document's ttlMs", ttlMs);
      if (await backend.keyv.set(keyOf(key), text, ttl)) return;
      throw new StoreError(
        `${backend.name} did not confirm that document ${start}${key} was stored.`,
      );
    },
    delete: async (key) => backend.keyv.delete(keyOf(key)),
    async keys(prefix = "") {
      const full = prefix === "" ? start : keyOf(prefix);
      const keys = await backend.keys(full);
      return keys.map((key) => key.slice(start.length)).sort();
    },
  };
}

/** What was kept, or an error that says that it is damaged: never something else, never nothing. */
export function parseText(backend: Backend, what: string, text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnreadableError(
      `${backend.name} is damaged: ${what} is not JSON. Stop Deckhand and restore the store from a backup.`,
      { cause: error },
    );
  }
}
