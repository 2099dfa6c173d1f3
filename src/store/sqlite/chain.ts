import type { ChainedLine, JournalEnd, JournalHead } from "../../contract/store.ts";
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
    uncommittedEnds: (): Promise<JournalEnd[]> =>
      connection.read((sql) =>
        sql("SELECT conversation, seq, hash FROM uncommitted")
          .all()
          .map(({ conversation, seq, hash }) => ({
            conversation: String(conversation),
            seq: Number(seq),
            hash: String(hash),
          })),
      ),
    markCommitted: async (ends: readonly JournalEnd[]): Promise<void> => {
      await connection.write((sql) => {
        const unmark = sql("DELETE FROM uncommitted WHERE conversation = ? AND seq = ?");
        for (const { conversation, seq } of ends) unmark.run(conversation, seq);
      });
    },
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
