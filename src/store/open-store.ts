import type {
  Appended,
  AppendOptions,
  Inbox,
  InboxRow,
  JournalLine,
  Lease,
  NewLine,
  Store,
} from "../contract/store.ts";
import type { AppendRequest, Backend, KeptLine, KeptRow } from "./backend.ts";
import { documentKey, documentsOf, parseText } from "./documents.ts";
import { checkCount, checkDuration, checkName, checkTime, toText } from "./limits.ts";
import type { StoreSettings } from "./settings.ts";
import { openSqlite } from "./sqlite/open-sqlite.ts";

/** Resolves once everything was checked and brought to today's schema; throws a StoreError that says what to do. */
export async function openStore(settings: StoreSettings): Promise<Store> {
  return storeOn(await openBackend(settings));
}

async function openBackend(settings: StoreSettings): Promise<Backend> {
  if (settings.kind === "sqlite") return openSqlite(settings.file);
  // Its client is loaded only where it is set up.
  const { openRedis } = await import("./redis/open-redis.ts");
  return openRedis(settings);
}

/** The port on a backend: checks what comes in, and turns text to values and back. */
function storeOn(backend: Backend): Store {
  return {
    documents: (namespace) => documentsOf(backend, namespace),
    append: async (conversation, afterSeq, lines, options = {}): Promise<Appended> =>
      backend.append(appendRequest(conversation, afterSeq, lines, options)),
    async read(conversation, { after = 0, limit = Number.MAX_SAFE_INTEGER } = {}) {
      const lines = await backend.read(
        conversationName(conversation),
        checkCount("after", after, 0),
        checkCount("limit", limit, 0),
      );
      return lines.map((line) => journalLine(backend, conversation, line));
    },
    async last(conversation, kind) {
      const line = await backend.last(conversationName(conversation), kindName(kind));
      return line && journalLine(backend, conversation, line);
    },
    chain: async (conversation, { after, limit }) =>
      backend.chain(
        conversationName(conversation),
        checkCount("after", after, 0),
        checkCount("limit", limit, 0),
      ),
    head: async (conversation, { mayLag = false } = {}) =>
      backend.head(conversationName(conversation), mayLag),
    lineCount: () => backend.lineCount(),
    conversations: async () => (await backend.conversations()).sort(),
    uncommittedEnds: () => backend.uncommittedEnds(),
    markCommitted: (ends) => backend.markCommitted(ends),
    async lease(conversation, holder, ttlMs) {
      const fence = await backend.acquire(
        conversationName(conversation),
        checkName("A lease's holder", holder),
        checkDuration("A lease's ttlMs", ttlMs),
      );
      return fence === undefined ? undefined : leaseOn(backend, conversation, fence);
    },
    inbox: inboxOn(backend),
    [Symbol.asyncDispose]: () => backend.close(),
  };
}

function appendRequest(
  conversation: string,
  afterSeq: number,
  lines: readonly NewLine[],
  { claims = [], fence, documents = [] }: AppendOptions,
): AppendRequest {
  const at = new Date().toISOString();
  return {
    conversation: conversationName(conversation),
    afterSeq: checkCount("afterSeq", afterSeq, 0),
    lines: lines.map(({ kind, data }) => ({
      at,
      kind: kindName(kind),
      data: toText(`A line of kind ${kind}`, data),
    })),
    claims: [...new Set(claims)].map((claim) => checkName("A claim", claim)),
    fence: fence === undefined ? undefined : checkCount("A fence", fence, 0),
    documents: documents.map(({ namespace, key, value }) => ({
      key: documentKey(namespace, key),
      text: toText("A document", value),
    })),
  };
}

function leaseOn(backend: Backend, conversation: string, fence: number): Lease {
  return {
    fence,
    renew: async (ttlMs) =>
      backend.renew(conversation, fence, checkDuration("A lease's ttlMs", ttlMs)),
    release: () => backend.release(conversation, fence),
  };
}

function inboxOn(backend: Backend): Inbox {
  const { inbox } = backend;
  const rows = (kept: KeptRow[]) => kept.map((row) => inboxRow(backend, row));
  return {
    put: async ({ id, conversation, data, dueAt }) =>
      inbox.put({
        id: rowId(id),
        conversation: conversationName(conversation),
        data: toText("An inbox row", data),
        dueAt: dueAt === undefined ? undefined : checkTime("dueAt", dueAt),
      }),
    async take(worker, { limit, holdMs }) {
      const options = {
        limit: checkCount("limit", limit, 0),
        holdMs: checkDuration("holdMs", holdMs),
      };
      return rows(await inbox.take(workerName(worker), options));
    },
    finish: async (id, worker) => inbox.finish(rowId(id), workerName(worker)),
    defer: async (id, worker, dueAt) =>
      inbox.defer(rowId(id), workerName(worker), checkTime("dueAt", dueAt)),
    async pending(conversation) {
      const kept = await inbox.pending();
      if (conversation === undefined) return rows(kept);
      return rows(kept.filter((row) => row.conversation === conversation));
    },
  };
}

function journalLine(backend: Backend, conversation: string, line: KeptLine): JournalLine {
  const { seq, at, kind, data } = line;
  const what = `line ${seq} of conversation ${conversation}`;
  return { seq, at, kind, data: parseText(backend, what, data) };
}

function inboxRow(backend: Backend, { id, conversation, data, dueAt, tries }: KeptRow): InboxRow {
  return {
    id,
    conversation,
    data: parseText(backend, `inbox row ${id}`, data),
    dueAt: new Date(dueAt).toISOString(),
    tries,
  };
}

const conversationName = (name: string) => checkName("A conversation's name", name);
const kindName = (kind: string) => checkName("A line's kind", kind);
const rowId = (id: string) => checkName("An inbox row's id", id);
const workerName = (worker: string) => checkName("A worker's name", worker);
