import { EventEmitter } from "node:events";
import type { KeyvStoreAdapter } from "keyv";
import type { Connection, Sql } from "./connection.ts";

const FORGOTTEN_AT_ONCE = 50;

/** Documents in SQLite, as keyv wants them. A value ends at a time, not after one: restarts do not prolong it. */
export function keyvOnSqlite(connection: Connection): KeyvStoreAdapter {
  return Object.assign(new EventEmitter(), {
    opts: { dialect: "sqlite" },
    // biome-ignore lint/suspicious/noExplicitAny: keyv's type promises values, its adapters give texts.
    get: (key: string): Promise<any> =>
      connection.read(
        (sql) =>
          sql("SELECT value FROM document WHERE key = ? AND ifnull(expires_at > ?, 1)").get(
            key,
            Date.now(),
          )?.value,
      ),
    set: (key: string, value: string, ttlMs?: number): Promise<boolean> =>
      connection.write((sql) => {
        const now = Date.now();
        sql(
          "DELETE FROM document WHERE key IN (SELECT key FROM document WHERE expires_at <= ? LIMIT ?)",
        ).run(now, FORGOTTEN_AT_ONCE);
        setDocument(sql, key, value, ttlMs === undefined ? null : now + ttlMs);
        return true;
      }),
    delete: (key: string): Promise<boolean> =>
      connection.write((sql) => {
        const statement = sql("DELETE FROM document WHERE key = ? AND ifnull(expires_at > ?, 1)");
        return statement.run(key, Date.now()).changes === 1;
      }),
    clear: async (): Promise<void> => {
      await connection.write((sql) => sql("DELETE FROM document").run());
    },
  });
}

export function setDocument(sql: Sql, key: string, value: string, expiresAt: number | null): void {
  sql(
    `INSERT INTO document (key, value, expires_at) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`,
  ).run(key, value, expiresAt);
}

export function documentKeys(connection: Connection, prefix: string): Promise<string[]> {
  return connection.read((sql) =>
    sql("SELECT key FROM document WHERE key >= ? AND key < ? AND ifnull(expires_at > ?, 1)")
      .all(prefix, `${prefix}\u{10FFFF}`, Date.now())
      .map(({ key }) => String(key)),
  );
}
