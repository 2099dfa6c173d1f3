import { randomUUID } from "node:crypto";
import { StoreError } from "../../contract/store.ts";
import type { RedisSettings } from "../settings.ts";
import { type RedisConnection, script } from "./connection.ts";
import { type Keys, keysUnder } from "./keys.ts";

/**
 * Lua that brings the keys from version n to n + 1, given the prefix as ARGV[3]. Redis runs a script alone but takes
 * nothing back when it fails half-way: each must be able to run again. The first version has nothing to bring.
 */
const MIGRATIONS: readonly string[] = [
  "",
  // Lines are chained by hashes from here on; those that are there already are not covered.
  `
  local since = redis.call('TIME')[1] .. '000'
  for _, name in ipairs(redis.call('SMEMBERS', ARGV[3] .. 'conversations')) do
    local lines = redis.call('LLEN', ARGV[3] .. 'journal:' .. name)
    redis.call('HSETNX', ARGV[3] .. 'chain:' .. name, 'from', string.format('%.0f', lines + 1))
    redis.call('HSETNX', ARGV[3] .. 'chain:' .. name, 'since', since)
  end`,
  // Ends of journals that the audit does not commit to yet.
  `
  for _, name in ipairs(redis.call('SMEMBERS', ARGV[3] .. 'conversations')) do
    local lines = redis.call('LLEN', ARGV[3] .. 'journal:' .. name)
    local head = redis.call('HGET', ARGV[3] .. 'chain:' .. name, 'head')
    if head then
      redis.call('HSET', ARGV[3] .. 'uncommitted', name, string.format('%.0f', lines) .. ' ' .. head)
    end
  end`,
];

/** Sets the new version if the old one is still there. ARGV: what is there, what shall be, the prefix. */
const migration = (body: string) =>
  script(`
    if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
    ${body}
    redis.call('SET', KEYS[1], ARGV[2])
    return 1`);

/**
 * Brings the keys to the newest schema and gives the mark `version store-id` that stands in Redis from now on. Whoever
 * finds another mark later speaks to a Redis that was emptied, replaced or upgraded meanwhile, where "not there" means nothing.
 */
export async function prepareSchema(
  connection: RedisConnection,
  { prefix }: RedisSettings,
  migrations = MIGRATIONS,
): Promise<string> {
  const keys = keysUnder(prefix);
  for (;;) {
    const mark = await connection.ask((client) => client.get(keys.schema));
    if (mark === null) await refuseOrphans(connection, keys, prefix);
    const { version, id } = parseMark(connection.place, prefix, mark);
    refuseNewer(connection.place, version, migrations.length);
    const body = migrations[version];
    if (body === undefined) return mark ?? "";
    await connection.run(
      migration(body),
      [keys.schema],
      [mark ?? "", `${version + 1} ${id}`, prefix],
    );
  }
}

function parseMark(place: string, prefix: string, mark: string | null) {
  if (mark === null) return { version: 0, id: randomUUID() };
  const [, version, id] = /^(\d+) (\S+)$/.exec(mark) ?? [];
  if (version !== undefined && id !== undefined) return { version: Number(version), id };
  throw new StoreError(
    `${place} has other data under ${prefix}: set REDIS_PREFIX to an unused prefix.`,
  );
}

function refuseNewer(place: string, found: number, known: number): void {
  if (found <= known) return;
  throw new StoreError(
    `${place} was written by a newer Deckhand (schema ${found}, this version supports ${known}): run that version, or set REDIS_PREFIX to start empty.`,
  );
}

/** Keys without a mark are another program's, or the rest of a store that was cleared. */
async function refuseOrphans(
  connection: RedisConnection,
  keys: Keys,
  prefix: string,
): Promise<void> {
  const found = await scanKeys(connection, prefix);
  // Another process may have made the store after the mark was looked for.
  const marked = await connection.ask((client) => client.exists(keys.schema));
  if (found.length === 0 || marked) return;
  throw new StoreError(
    `${connection.place} has keys under ${prefix} that do not belong to Deckhand (for example ${found[0]}): restore it from a backup, or set REDIS_PREFIX to an unused prefix.`,
  );
}

/** Every key that begins so, each once. */
export async function scanKeys(connection: RedisConnection, prefix: string): Promise<string[]> {
  const found = new Set<string>();
  const match = `${prefix.replace(/[\\*?[\]]/g, "\\$&")}*`;
  let cursor = "0";
  do {
    const options = { MATCH: match, COUNT: 1_000 };
    const page = await connection.ask((client) => client.scan(cursor, options));
    for (const key of page.keys) found.add(key);
    cursor = page.cursor;
  } while (cursor !== "0");
  return [...found];
}
