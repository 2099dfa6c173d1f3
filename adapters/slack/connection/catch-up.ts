import { z } from "zod";
import type { Documents } from "../../../src/contract/store.ts";
import { type DoorParts, onMessage } from "../entry-points/doors.ts";
import { mentions } from "../rendering/text.ts";
import { decodeThread, type SlackPlace } from "../thread.ts";
import { SlackError } from "./calls.ts";
import { pages } from "./pages.ts";
import { MessageEvent } from "./payloads.ts";

/** How far back is looked at most: nobody waits longer for an answer. */
const LONGEST_MS = 60 * 60_000;
/** Within such a time Slack sends again by itself what it could not deliver. */
const QUIET_MS = 120_000;
const MARGIN_MS = 60_000;
/** A 429 is waited for: nobody is kept waiting by it. */
const PATIENCE_MS = 120_000;
const NOTE_MS = 60_000;
const MOST_THREADS = 30;
const MOST_CHANNELS = 10;
const ALIVE = "alive";

const PAGE = 200;
const MOST_PAGES = 20;
const Page = z.object({ messages: z.array(z.record(z.string(), z.unknown())) });

/**
 * Slack gives up to deliver after some minutes. What was said in our threads meanwhile, and what mentioned us in their
 * channels, is read once we are there again; what was heard before counts once all the same.
 */
export class CatchUp implements Disposable {
  readonly #documents: Documents;
  #timer: NodeJS.Timeout | undefined;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** Since when nobody has listened; undefined for the very first start. */
  async lastAlive(): Promise<number | undefined> {
    const at = await this.#documents.get(ALIVE);
    return typeof at === "number" ? at : undefined;
  }

  /** From here on it is noted that somebody listens, as long as the line is there. */
  begin(isListening: () => boolean): void {
    const note = () => {
      if (!isListening()) return;
      // The next note makes it good.
      this.#documents.set(ALIVE, Date.now()).catch(() => undefined);
    };
    note();
    this.#timer = setInterval(note, NOTE_MS).unref();
  }

  /** Looks for what was missed, beside everything else. */
  after(parts: DoorParts, lastHeardMs: number | undefined): void {
    if (lastHeardMs === undefined || Date.now() - lastHeardMs < QUIET_MS) return;
    this.#read(parts, lastHeardMs).catch((error: unknown) => {
      parts.log("warn", "Failed to read Slack messages that arrived during the outage.", { error });
    });
  }

  async #read(parts: DoorParts, sinceMs: number): Promise<void> {
    const fromMs = Math.max(sinceMs - MARGIN_MS, Date.now() - LONGEST_MS);
    const oldest = (fromMs / 1000).toFixed(6);
    const threads = (await parts.threads.list(parts.self().team)).slice(0, MOST_THREADS);
    const places = threads.map(({ thread }) => decodeThread(thread));
    const channels = [...new Set(places.map(({ channel }) => channel))].slice(0, MOST_CHANNELS);
    for (const channel of channels) await readChannel(parts, channel, oldest);
    for (const place of places) await readReplies(parts, place, oldest);
    parts.log("info", "Read the Slack messages that arrived during the outage.", {
      threads: places.length,
    });
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

async function readChannel(parts: DoorParts, channel: string, oldest: string): Promise<void> {
  const all = await look(parts, "conversations.history", { channel, oldest });
  const isMeant = ({ text }: MessageEvent) =>
    channel.startsWith("D") || mentions(text, parts.self().user);
  const said = messagesIn(all, channel).filter(isMeant);
  for (const event of said.toReversed()) await onMessage(parts, event);
}

async function readReplies(
  parts: DoorParts,
  { channel, root }: SlackPlace,
  oldest: string,
): Promise<void> {
  const all = await look(parts, "conversations.replies", { channel, ts: root, oldest });
  const said = messagesIn(all, channel).filter(({ ts }) => Number(ts) >= Number(oldest));
  for (const event of said) await onMessage(parts, event);
}

type Messages = z.infer<typeof Page>["messages"];

/** A place that is closed to us has nothing to be heard. */
async function look(
  { calls, log }: DoorParts,
  method: "conversations.history" | "conversations.replies",
  args: Record<string, unknown>,
): Promise<Messages> {
  const found: Messages = [];
  const ask = (more: object) => {
    const asked = { ...args, ...more, limit: PAGE };
    return calls.patiently(() => calls.call(method, asked), PATIENCE_MS);
  };
  try {
    for await (const { messages } of pages({ schema: Page, mostPages: MOST_PAGES, ask })) {
      found.push(...messages);
    }
  } catch (error) {
    if (!(error instanceof SlackError) || error.when === "later") throw error;
    log("info", "A Slack channel or thread is no longer readable.", { error });
  }
  return found;
}

/** As events would tell of them. */
function messagesIn(messages: Messages, channel: string): MessageEvent[] {
  return messages.flatMap((message) => {
    const read = MessageEvent.safeParse({ ...message, type: "message", channel });
    return read.success ? [read.data] : [];
  });
}
