import type { Backend } from "../backend.ts";
import { keyvOver } from "../keyv.ts";
import type { RedisSettings } from "../settings.ts";
import { documentKeys, keyvOnRedis } from "./documents.ts";
import { inboxOnRedis } from "./inbox.ts";
import { journalOnRedis } from "./journal.ts";
import { RedisStore } from "./redis-store.ts";

/** Everything under one prefix in one Redis, which any number of replicas may share. */
export async function openRedis(settings: RedisSettings): Promise<Backend> {
  const store = await RedisStore.open(settings);
  return {
    name: store.connection.place,
    keyv: keyvOver(keyvOnRedis(store)),
    keys: (prefix) => documentKeys(store, prefix),
    ...journalOnRedis(store),
    inbox: inboxOnRedis(store),
    close: () => store.connection.close(),
  };
}
