import type { InboxBackend, KeptRow } from "../backend.ts";
import type { Connection } from "./connection.ts";

const COLUMNS = "id, conversation, data, due_at, tries";

export function inboxOnSqlite(connection: Connection): InboxBackend {
  return {
    put: ({ id, conversation, data, dueAt }) =>
      connection.write(
        (sql) => {
          const statement = sql(
            "INSERT INTO inbox (id, conversation, data, due_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
          );
          return statement.run(id, conversation, data, dueAt ?? Date.now()).changes === 1;
        },
        { isUrgent: true },
      ),
    take: (worker, { limit, holdMs }) =>
      connection.write((sql) => {
        const now = Date.now();
        const due = sql(
          `SELECT seq FROM inbox WHERE data IS NOT NULL AND due_at <= ? AND held_until <= ?
           ORDER BY due_at, seq LIMIT ?`,
        ).all(now, now, limit);
        const hold = sql(
          `UPDATE inbox SET worker = ?, held_until = ?, tries = tries + 1 WHERE seq = ? RETURNING ${COLUMNS}`,
        );
        return due.map(({ seq }) => keptRow(hold.get(worker, now + holdMs, Number(seq)) ?? {}));
      }),
    finish: (id, worker) =>
      connection.write((sql) => {
        const statement = sql(
          "UPDATE inbox SET data = NULL, worker = NULL WHERE id = ? AND worker = ?",
        );
        return statement.run(id, worker).changes === 1;
      }),
    defer: (id, worker, dueAt) =>
      connection.write((sql) => {
        const statement = sql(
          "UPDATE inbox SET due_at = ?, worker = NULL, held_until = 0 WHERE id = ? AND worker = ?",
        );
        return statement.run(dueAt, id, worker).changes === 1;
      }),
    pending: () =>
      connection.read((sql) =>
        sql(`SELECT ${COLUMNS} FROM inbox WHERE data IS NOT NULL ORDER BY due_at, seq`)
          .all()
          .map(keptRow),
      ),
  };
}

function keptRow(row: Record<string, unknown>): KeptRow {
  return {
    id: String(row.id),
    conversation: String(row.conversation),
    data: String(row.data),
    dueAt: Number(row.due_at),
    tries: Number(row.tries),
  };
}
