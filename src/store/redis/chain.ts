import { z } from "zod";
import { type ChainStart, lineHash, startHash } from "../../contract/conversation/journal-chain.ts";
import type { ChainedLine, JournalEnd, JournalHead } from "../../contract/store.ts";
import { BoundedMap } from "../../lib/bounded.ts";
import type { AppendRequest } from "../backend.ts";
import { COUNT, HEAD, MARK_COMMITTED, READ, UNCOMMITTED } from "./journal-scripts.ts";
import type { RedisStore } from "./redis-store.ts";
import { scanKeys } from "./schema.ts";

const MOST_KNOWN = 1_000;
const KEYS_AT_ONCE = 1_000;
/** Of a journal without lines that was not upgraded: head, first chained line, time of the upgrade. */
const NEW_CHAIN = "|1|";
const Texts = z.array(z.string());
const Head = z.tuple([z.number(), z.string()]);

/** The states of chains that this process has written to, so that an append needs no question before it. */
export class ChainStates {
  readonly #known = new BoundedMap<string, { readonly seq: number; readonly state: string }>(
    MOST_KNOWN,
  );

  get(conversation: string, seq: number): string {
    const known = this.#known.get(conversation);
    return known?.seq === seq ? known.state : NEW_CHAIN;
  }

  set(conversation: string, seq: number, state: string): void {
    this.#known.set(conversation, { seq, state });
  }

  moveTo(conversation: string, seq: number, head: string): void {
    const [, from = "1", since = ""] = (this.#known.get(conversation)?.state ?? NEW_CHAIN).split(
      "|",
    );
    this.set(conversation, seq, `${head}|${from}|${since}`);
  }

  last(conversation: string): { readonly seq: number; readonly state: string } | undefined {
    return this.#known.get(conversation);
  }
}

/** Kind and text of each line, chained after `state`; without lines the head stays. */
export function chainedTexts(
  conversation: string,
  state: string,
  afterSeq: number,
  lines: AppendRequest["lines"],
): { readonly head?: string; readonly texts: string[] } {
  const start = parseState(conversation, state);
  let head = start.hash ?? startHash(start);
  const texts = lines.flatMap(({ at, kind, data }, index) => {
    head = lineHash(head, { seq: afterSeq + index + 1, at, kind, data });
    return [kind, [at, JSON.stringify(kind), data, head].join("\n")];
  });
  return lines.length > 0 ? { head, texts } : { texts };
}

/** The hash chains of the journals, for verification. */
export function chainOnRedis({ keys, run, connection }: RedisStore, states: ChainStates) {
  return {
    chain: async (conversation: string, after: number, limit: number): Promise<ChainedLine[]> => {
      const range = [after, after + limit - 1];
      const texts = Texts.parse(await run(READ, [keys.journal(conversation)], range));
      return texts.map((text, index) => chainedLine(after + index + 1, text));
    },
    head: async (conversation: string, mayLag: boolean): Promise<JournalHead | undefined> => {
      const known = mayLag ? states.last(conversation) : undefined;
      if (known) return { ...parseState(conversation, known.state), seq: known.seq };
      const touched = [keys.journal(conversation), keys.chain(conversation)];
      const [seq, state] = Head.parse(await run(HEAD, touched, []));
      return seq === 0 && state === NEW_CHAIN
        ? undefined
        : { ...parseState(conversation, state), seq };
    },
    lineCount: async (): Promise<number> => {
      const journals = await scanKeys(connection, keys.journals);
      let lines = 0;
      for (let at = 0; at < journals.length; at += KEYS_AT_ONCE)
        lines += Number(await run(COUNT, journals.slice(at, at + KEYS_AT_ONCE), []));
      return lines;
    },
    uncommittedEnds: async (): Promise<JournalEnd[]> => {
      const fields = Texts.parse(await run(UNCOMMITTED, [keys.uncommitted], []));
      return fields.flatMap((conversation, index) =>
        index % 2 === 0 ? [journalEnd(conversation, fields[index + 1] ?? "")] : [],
      );
    },
    markCommitted: async (ends: readonly JournalEnd[]): Promise<void> => {
      const args = ends.flatMap(({ conversation, seq, hash }) => [conversation, `${seq} ${hash}`]);
      await run(MARK_COMMITTED, [keys.uncommitted], args);
    },
  };
}

function journalEnd(conversation: string, text: string): JournalEnd {
  const [seq = "", hash = ""] = text.split(" ");
  return { conversation, seq: Number(seq), hash };
}

function parseState(conversation: string, state: string): ChainStart & { readonly hash?: string } {
  const [hash = "", from = "", since = ""] = state.split("|");
  return {
    conversation,
    coveredFrom: Number(from),
    ...(since === "" ? {} : { coveredSinceMs: Number(since) }),
    ...(hash === "" ? {} : { hash }),
  };
}

/** Four texts, or three of a version that had no chain; JSON text has no line break of its own. */
function chainedLine(seq: number, text: string): ChainedLine {
  const [at = "", kindText = "", data = "", hash, ...more] = text.split("\n");
  const kind = kindIn(kindText);
  const isUnreadable = kind === undefined || more.length > 0 || text.split("\n").length < 3;
  const hashed = hash === undefined ? {} : { hash };
  return { seq, at, kind: kind ?? "", data, ...hashed, ...(isUnreadable && { isUnreadable }) };
}

/** Undefined for what this version would write in another way. */
function kindIn(text: string): string | undefined {
  try {
    const kind: unknown = JSON.parse(text);
    return typeof kind === "string" && JSON.stringify(kind) === text ? kind : undefined;
  } catch {
    return undefined; // reported as an unreadable line
  }
}
