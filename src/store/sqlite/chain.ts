import type { ChainedLine, JournalHead } from "../../contract/store.ts";
import type { Connection } from "./connection.ts";

/** The hash chains of the journals, for verification. */
export function chainOnSqlite(connection: Connection) {
  return {
    chain: (conversation: string, after: number, limit: number): Promise<ChainedLine[]> =>
      connection.read((sql) =>
        sql(
          `SELECT seq, CAST(at AS BLOB) AS at, CAST(kind AS BLOB) AS kind, CAST(data AS BLOB) AS data, hash
           FROM journal WHERE conversation = (SELECT id FROM conversation WHERE name = ?) AND seq > ?
           ORDER BY seq LIMIT ?`,
        )
          .all(conversation, after, limit)
          .map(chainedLine),
      ),
    head: (conversation: string): Promise<JournalHead | undefined> =>
      connection.read((sql) => {
        const row = sql(
          "SELECT seq, head, covered_from, covered_since FROM conversation WHERE name = ? AND seq > 0",
        ).get(conversation);
        return row && journalHead(conversation, row);
      }),
    lineCount: (): Promise<number> =>
      connection.read((sql) => Number(sql("SELECT count(*) AS lines FROM journal").get()?.lines)),
  };
}

function journalHead(conversation: string, row: Record<string, unknown>): JournalHead {
  return {
    conversation,
    seq: Number(row.seq),
    coveredFrom: Number(row.covered_from),
    ...(row.covered_since === null ? {} : { coveredSinceMs: Number(row.covered_since) }),
    ...(row.head === null ? {} : { hash: String(row.head) }),
  };
}

/** Read as bytes: two texts that differ only in bytes that are no UTF-8 would look the same. */
function chainedLine(row: Record<string, unknown>): ChainedLine {
  const fields = [row.at, row.kind, row.data].map((field) => Buffer.from(field as Uint8Array));
  const [at = "", kind = "", data = ""] = fields.map((field) => field.toString());
  const isUnreadable = fields.some((field) => !Buffer.from(field.toString()).equals(field));
  return {
    seq: Number(row.seq),
    at,
    kind,
    data,
    ...(row.hash === null ? {} : { hash: String(row.hash) }),
    ...(isUnreadable && { isUnreadable }),
  };
}
