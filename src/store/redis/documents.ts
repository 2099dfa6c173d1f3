import { EventEmitter } from "node:events";
import KeyvRedis from "@keyv/redis";
import type { KeyvStoreAdapter } from "keyv";
import type { RedisStore } from "./redis-store.ts";
import { scanKeys } from "./schema.ts";

/** Documents in Redis by @keyv/redis, on the store's own connection and in bounded time. Redis itself forgets them. */
export function keyvOnRedis(store: RedisStore): KeyvStoreAdapter {
  const redis = new KeyvRedis<string>(store.connection.client, { throwOnErrors: true });
  const full = (key: string) => store.keys.document + key;
  return Object.assign(new EventEmitter(), {
    opts: { dialect: "redis" },
    // biome-ignore lint/suspicious/noExplicitAny: keyv's type promises values, its adapters give texts.
    get: (key: string): Promise<any> => store.ask(() => redis.get(full(key))),
    set: (key: string, value: string, ttlMs?: number) =>
      store.ask(async () => {
        await redis.set(full(key), value, ttlMs);
        return true;
      }),
    delete: (key: string) => store.ask(() => redis.delete(full(key))),
    clear: async () => {
      const keys = await scanKeys(store.connection, store.keys.document);
      await store.ask(() => redis.deleteMany(keys));
    },
  });
}

export async function documentKeys(store: RedisStore, prefix: string): Promise<string[]> {
  const start = store.keys.document;
  const keys = await scanKeys(store.connection, start + prefix);
  await store.ask(async () => {});
  return keys.map((key) => key.slice(start.length));
}
