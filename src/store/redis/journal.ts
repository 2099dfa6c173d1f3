import { z } from "zod";
import { type Appended, UnreadableError } from "../../contract/store.ts";
import type { AppendRequest, KeptLine } from "../backend.ts";
import { ACQUIRE, APPEND, CONVERSATIONS, LAST, READ, RELEASE, RENEW } from "./journal-scripts.ts";
import type { RedisStore } from "./redis-store.ts";

const Outcome = z.tuple([
  z.enum(["written", "moved", "claimed", "fenced"]),
  z.union([z.string(), z.number()]),
]);
const Texts = z.array(z.string());

export function journalOnRedis({ keys, run, connection }: RedisStore) {
  const parse = (conversation: string, seq: number, text: string) => {
    const line = keptLine(seq, text);
    if (line) return line;
    throw new UnreadableError(
      `${connection.place} is damaged: line ${seq} of conversation ${conversation} cannot be read. Stop Deckhand and restore the store from a backup.`,
    );
  };
  return {
    append: async (request: AppendRequest): Promise<Appended> => {
      const { conversation, afterSeq, lines, claims, fence } = request;
      const touched = [
        keys.journal(conversation),
        keys.kinds(conversation),
        keys.lease(conversation),
        keys.claims,
        keys.conversations,
      ];
      const texts = lines.flatMap((line) => [line.kind, lineText(line)]);
      const args = [conversation, afterSeq, fence ?? "", claims.length, ...claims, ...texts];
      return appended(Outcome.parse(await run(APPEND, touched, args)));
    },
    read: async (conversation: string, after: number, limit: number): Promise<KeptLine[]> => {
      if (limit === 0) return [];
      // -1 is the last one; an index that no double holds would be refused.
      const end = Number.isSafeInteger(after + limit) ? after + limit - 1 : -1;
      const texts = Texts.parse(await run(READ, [keys.journal(conversation)], [after, end]));
      return texts.map((text, index) => parse(conversation, after + index + 1, text));
    },
    last: async (conversation: string, kind: string): Promise<KeptLine | undefined> => {
      const touched = [keys.journal(conversation), keys.kinds(conversation)];
      const [seq, text] = Texts.parse(await run(LAST, touched, [kind]));
      return seq === undefined ? undefined : parse(conversation, Number(seq), text ?? "");
    },
    conversations: async (): Promise<string[]> =>
      Texts.parse(await run(CONVERSATIONS, [keys.conversations], [])),
    acquire: async (conversation: string, holder: string, ttlMs: number) =>
      Number(await run(ACQUIRE, [keys.lease(conversation)], [holder, ttlMs])) || undefined,
    renew: async (conversation: string, fence: number, ttlMs: number): Promise<boolean> =>
      (await run(RENEW, [keys.lease(conversation)], [fence, ttlMs])) === 1,
    release: async (conversation: string, fence: number): Promise<void> => {
      await run(RELEASE, [keys.lease(conversation)], [fence]);
    },
  };
}

function appended([outcome, detail]: z.infer<typeof Outcome>): Appended {
  switch (outcome) {
    case "written":
    case "moved":
      return { outcome, seq: Number(detail) };
    case "claimed":
      return { outcome, claim: String(detail) };
    case "fenced":
      return { outcome, fence: Number(detail) };
  }
}

/** Three lines: JSON text has no line break of its own. */
function lineText({ at, kind, data }: Omit<KeptLine, "seq">): string {
  return [at, JSON.stringify(kind), data].join("\n");
}

function keptLine(seq: number, text: string): KeptLine | undefined {
  const [at, kind, data] = text.split("\n");
  if (at === undefined || kind === undefined || data === undefined) return undefined;
  return { seq, at, kind: JSON.parse(kind), data };
}
