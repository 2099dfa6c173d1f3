import { z } from "zod";
import { type Appended, StoreError, UnreadableError } from "../../contract/store.ts";
import type { AppendRequest, KeptLine } from "../backend.ts";
import { ChainStates, chainedTexts, chainOnRedis } from "./chain.ts";
import { ACQUIRE, APPEND, CONVERSATIONS, LAST, READ, RELEASE, RENEW } from "./journal-scripts.ts";
import type { RedisStore } from "./redis-store.ts";

const Outcome = z.tuple([
  z.enum(["written", "moved", "claimed", "fenced", "unchained"]),
  z.union([z.string(), z.number()]),
]);
const Texts = z.array(z.string());

/** A chain that another writer extends between two attempts also moves the journal, so a few attempts suffice. */
const MOST_ATTEMPTS = 5;

export function journalOnRedis(store: RedisStore) {
  const { keys, run, connection } = store;
  const states = new ChainStates();
  const parse = (conversation: string, seq: number, text: string) => {
    const line = keptLine(seq, text);
    if (line) return line;
    throw new UnreadableError(
      `${connection.place} is damaged: line ${seq} of conversation ${conversation} cannot be read. Stop Deckhand and restore the store from a backup.`,
    );
  };
  return {
    append: async (request: AppendRequest): Promise<Appended> => {
      const { conversation, afterSeq, lines, claims, fence, documents } = request;
      const touched = [
        keys.journal(conversation),
        keys.kinds(conversation),
        keys.lease(conversation),
        keys.claims,
        keys.conversations,
        keys.chain(conversation),
        keys.uncommitted,
        ...documents.map(({ key }) => keys.document + key),
      ];
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
        const state = states.get(conversation, afterSeq);
        const { head, texts } = chainedTexts(conversation, state, afterSeq, lines);
        const chain = [state, head ?? ""];
        const counted = [claims.length, ...claims, ...documents.map(({ text }) => text)];
        const args = [conversation, afterSeq, fence ?? "", ...chain, ...counted, ...texts];
        const outcome = Outcome.parse(await run(APPEND, touched, args));
        if (outcome[0] === "unchained") {
          states.set(conversation, afterSeq, String(outcome[1]));
          continue;
        }
        if (outcome[0] === "written" && head !== undefined)
          states.moveTo(conversation, Number(outcome[1]), head);
        return appended(outcome[0], outcome[1]);
      }
      throw new StoreError(
        `The journal of ${conversation} could not be written because others kept writing to it.`,
      );
    },
    ...chainOnRedis(store, states),
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

function appended(outcome: Appended["outcome"], detail: string | number): Appended {
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

function keptLine(seq: number, text: string): KeptLine | undefined {
  const [at, kind, data] = text.split("\n");
  if (at === undefined || kind === undefined || data === undefined) return undefined;
  return { seq, at, kind: JSON.parse(kind), data };
}
