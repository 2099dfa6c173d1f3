import { lineHash, startHash } from "../../contract/conversation/journal-chain.ts";
import type { Appended } from "../../contract/store.ts";
import type { AppendRequest, KeptLine } from "../backend.ts";
import { chainOnSqlite } from "./chain.ts";
import type { Connection, Sql } from "./connection.ts";
import { setDocument } from "./keyv-adapter.ts";

/** Journal, claims and leases: what is decided together with a conversation's row. */
export function journalOnSqlite(connection: Connection) {
  return {
    append: (request: AppendRequest) => connection.write((sql) => append(sql, request)),
    read: (conversation: string, after: number, limit: number): Promise<KeptLine[]> =>
      connection.read((sql) =>
        sql(
          `SELECT seq, at, kind, data FROM journal
           WHERE conversation = (SELECT id FROM conversation WHERE name = ?) AND seq > ?
           ORDER BY seq LIMIT ?`,
        )
          .all(conversation, after, limit)
          .map(keptLine),
      ),
    last: (conversation: string, kind: string): Promise<KeptLine | undefined> =>
      connection.read((sql) => {
        const row = sql(
          `SELECT seq, at, kind, data FROM journal
           WHERE conversation = (SELECT id FROM conversation WHERE name = ?) AND kind = ?
           ORDER BY seq DESC LIMIT 1`,
        ).get(conversation, kind);
        return row && keptLine(row);
      }),
    ...chainOnSqlite(connection),
    conversations: (): Promise<string[]> =>
      connection.read((sql) =>
        sql("SELECT name FROM conversation WHERE seq > 0")
          .all()
          .map(({ name }) => String(name)),
      ),
    acquire: (conversation: string, holder: string, ttlMs: number) =>
      connection.write((sql) => {
        const now = Date.now();
        const { id } = conversationRow(sql, conversation);
        const row = sql(
          `UPDATE conversation SET fence = fence + 1, holder = ?, held_until = ?
           WHERE id = ? AND (held_until <= ? OR holder = ?) RETURNING fence`,
        ).get(holder, now + ttlMs, id, now, holder);
        return row && Number(row.fence);
      }),
    renew: (conversation: string, fence: number, ttlMs: number): Promise<boolean> =>
      connection.write((sql) => {
        const now = Date.now();
        const statement = sql(
          "UPDATE conversation SET held_until = ? WHERE name = ? AND fence = ? AND held_until > ?",
        );
        return statement.run(now + ttlMs, conversation, fence, now).changes === 1;
      }),
    release: async (conversation: string, fence: number): Promise<void> => {
      await connection.write((sql) =>
        sql("UPDATE conversation SET held_until = 0 WHERE name = ? AND fence = ?").run(
          conversation,
          fence,
        ),
      );
    },
  };
}

function append(
  sql: Sql,
  { conversation, afterSeq, lines, claims, fence, documents }: AppendRequest,
) {
  const row = conversationRow(sql, conversation);
  if (fence !== undefined && fence < row.fence) {
    return { outcome: "fenced", fence: row.fence } satisfies Appended;
  }
  const taken = claims.find((name) => sql("SELECT 1 FROM claim WHERE name = ?").get(name));
  if (taken !== undefined) return { outcome: "claimed", claim: taken } satisfies Appended;
  if (afterSeq !== row.seq) return { outcome: "moved", seq: row.seq } satisfies Appended;

  for (const name of claims) {
    sql("INSERT INTO claim (name, conversation) VALUES (?, ?)").run(name, row.id);
  }
  for (const { key, text } of documents) setDocument(sql, key, text, null);
  let seq = row.seq;
  let head = row.head ?? startHash({ conversation, ...row });
  for (const { at, kind, data } of lines) {
    seq += 1;
    head = lineHash(head, { seq, at, kind, data });
    sql(
      "INSERT INTO journal (conversation, seq, at, kind, data, hash) VALUES (?, ?, ?, ?, ?, ?)",
    ).run(row.id, seq, at, kind, data, head);
  }
  sql("UPDATE conversation SET seq = ?, head = ?, fence = max(fence, ?) WHERE id = ?").run(
    seq,
    lines.length > 0 ? head : (row.head ?? null),
    fence ?? 0,
    row.id,
  );
  if (lines.length > 0)
    sql(
      `INSERT INTO uncommitted (conversation, seq, hash) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET seq = excluded.seq, hash = excluded.hash`,
    ).run(conversation, seq, head);
  return { outcome: "written", seq } satisfies Appended;
}

/** The conversation's row, made at the first word about it. */
function conversationRow(sql: Sql, name: string) {
  sql("INSERT INTO conversation (name) VALUES (?) ON CONFLICT DO NOTHING").run(name);
  const row = sql(
    "SELECT id, seq, fence, head, covered_from, covered_since FROM conversation WHERE name = ?",
  ).get(name);
  return {
    id: Number(row?.id),
    seq: Number(row?.seq),
    fence: Number(row?.fence),
    head: row?.head ? String(row.head) : undefined,
    coveredFrom: Number(row?.covered_from),
    coveredSinceMs: row?.covered_since ? Number(row.covered_since) : undefined,
  };
}

function keptLine({ seq, at, kind, data }: Record<string, unknown>): KeptLine {
  return { seq: Number(seq), at: String(at), kind: String(kind), data: String(data) };
}
