import { z } from "zod";
import type { InboxBackend, KeptRow } from "../backend.ts";
import { DEFER, FINISH, PENDING, PUT, TAKE } from "./inbox-scripts.ts";
import type { RedisStore } from "./redis-store.ts";

const Row = z
  .tuple([z.string(), z.string(), z.string(), z.coerce.number(), z.coerce.number()])
  .rest(z.string());

export function inboxOnRedis({ keys: { inbox }, run }: RedisStore): InboxBackend {
  const rows = [inbox.waiting, inbox.held];
  return {
    put: async ({ id, conversation, data, dueAt }) => {
      const keys = [inbox.known, inbox.seq, inbox.waiting];
      return (await run(PUT, keys, [inbox.row, id, conversation, data, dueAt ?? ""])) === 1;
    },
    take: async (worker, { limit, holdMs }) => {
      const taken = await run(TAKE, rows, [inbox.row, worker, limit, holdMs]);
      return z.array(Row).parse(taken).map(keptRow);
    },
    finish: async (id, worker) => (await run(FINISH, rows, [inbox.row, id, worker])) === 1,
    defer: async (id, worker, dueAt) =>
      (await run(DEFER, rows, [inbox.row, id, worker, dueAt])) === 1,
    pending: async () => {
      const found = z.array(Row).parse(await run(PENDING, rows, [inbox.row]));
      return found.sort(byDueTime).map(keptRow);
    },
  };
}

type Row = z.infer<typeof Row>;

function keptRow([id, conversation, data, dueAt, tries]: Row): KeptRow {
  return { id, conversation, data, dueAt, tries };
}

/** The last column begins with the row's number, padded. */
function byDueTime(one: Row, other: Row): number {
  const [, , , dueAt, , member = ""] = one;
  const [, , , otherDueAt, , otherMember = ""] = other;
  return dueAt - otherDueAt || (member < otherMember ? -1 : 1);
}
