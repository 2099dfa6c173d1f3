import { StoreError } from "../../contract/store.ts";
import type { RedisSettings } from "../settings.ts";
import type { RedisConnection } from "./connection.ts";

/** A Redis that forgets what it acknowledged would bring back used grants: it is refused unless the operator vouches. */
export async function refuseForgetful(
  connection: RedisConnection,
  { durable }: RedisSettings,
): Promise<void> {
  if (durable === "assumed") return;
  const info = parseInfo(await connection.ask((client) => client.info()));
  const otherwise =
    "or set REDIS_DURABLE=assumed if you know that it does not lose acknowledged writes";
  if (info.get("role") !== "master") {
    throw new StoreError(`${connection.place} is a replica: set REDIS_URL to the primary.`);
  }
  if (info.get("aof_enabled") !== "1") {
    throw new StoreError(
      `${connection.place} has no append-only file and could lose acknowledged writes: set \`appendonly yes\` in its configuration, ${otherwise}.`,
    );
  }
  const policy = info.get("maxmemory_policy");
  if (info.get("maxmemory") !== "0" && policy !== "noeviction") {
    throw new StoreError(
      `${connection.place} evicts keys when its memory is full (${policy}): set \`maxmemory-policy noeviction\`, ${otherwise}.`,
    );
  }
}

function parseInfo(text: string): Map<string, string> {
  const pairs = text.split(/\r?\n/).map((line) => line.split(":"));
  return new Map(pairs.flatMap(([name, value]) => (name && value ? [[name, value]] : [])));
}
