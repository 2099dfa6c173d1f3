import { z } from "zod";
import { relativePath } from "../../../src/contract/approval-text.ts";
import type { ThreadId } from "../../../src/contract/platform/incoming.ts";
import type { View } from "../../../src/contract/platform/view.ts";
import type { Documents } from "../../../src/contract/store.ts";
import { BoundedMap } from "../../../src/lib/bounded.ts";
import { decodeThread } from "../thread.ts";

const KeptThread = z.object({
  /** The first words that were said to us there. */
  title: z.string(),
  /** By our clock. */
  usedAtMs: z.number(),
  people: z.array(z.string()),
});

/** A thread in which the bot has a part. */
export interface KnownThread extends z.infer<typeof KeptThread> {
  readonly thread: ThreadId;
}

/** A card that waits for somebody. */
export interface WaitingCard {
  readonly thread: ThreadId;
  readonly post: string;
  readonly title: string;
}

const KEPT_MS = 30 * 24 * 60 * 60_000;
const TITLE_CHARS = 60;
const MOST_PEOPLE = 50;
/** Between two notes that a thread is still in use. */
const REFRESH_MS = 60_000;
const MOST_KNOWN = 2_000;

/**
 * The threads we are in: Slack cannot tell which they are. For the choice of a thread by whoever typed a command outside
 * of all threads, for the home tab, and to know what ends with a channel.
 */
export class SlackThreads {
  readonly #documents: Documents;
  readonly #known = new BoundedMap<ThreadId, KnownThread>(MOST_KNOWN);
  readonly #waiting = new Set<string>();

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** Somebody has said or done something there, or we have: then without a person. */
  async used(thread: ThreadId, { person, words }: { person?: string; words?: string } = {}) {
    const known = this.#known.get(thread) ?? (await this.get(thread));
    const people = known?.people ?? [];
    const isNewcomer = person !== undefined && !people.includes(person);
    const title = known?.title || titleOf(words ?? "");
    const isFresh = known && Date.now() - known.usedAtMs < REFRESH_MS && title === known.title;
    if (isFresh && !isNewcomer) return;
    const all = isNewcomer ? [...people, person].slice(-MOST_PEOPLE) : people;
    await this.#keep({ thread, title, usedAtMs: Date.now(), people: all });
  }

  async get(thread: ThreadId): Promise<KnownThread | undefined> {
    const kept = KeptThread.safeParse(await this.#documents.get(nameOf(thread)));
    return kept.success ? { thread, ...kept.data } : undefined;
  }

  /** Of one channel, or of all of them; the most recently used come first. */
  async list(team: string, channel?: string): Promise<KnownThread[]> {
    const prefix = `thread:slack:${team}:${channel === undefined ? "" : `${channel}:`}`;
    const names = await this.#documents.keys(prefix);
    const found = await Promise.all(names.map((name) => this.get(name.slice("thread:".length))));
    return found
      .filter((one) => one !== undefined)
      .sort((one, other) => other.usedAtMs - one.usedAtMs);
  }

  /** What of this view has to be decided by somebody, if anything; and that it was. */
  async noteWaiting(thread: ThreadId, post: string, view: View): Promise<void> {
    const name = `waiting:${thread}:${post}`;
    const title = waitingTitle(view);
    if (title !== undefined) {
      this.#waiting.add(name);
      await this.#documents.set(name, title, { ttlMs: KEPT_MS });
    } else if (this.#waiting.delete(name) || view.kind === "approval" || view.kind === "question") {
      await this.#documents.delete(name);
    }
  }

  async forgetWaiting(thread: ThreadId, post: string): Promise<void> {
    await this.#documents.delete(`waiting:${thread}:${post}`);
  }

  async waiting(team: string): Promise<WaitingCard[]> {
    const names = await this.#documents.keys(`waiting:slack:${team}:`);
    const cards = names.map(async (name): Promise<WaitingCard[]> => {
      const title = await this.#documents.get(name);
      const end = name.lastIndexOf(":");
      const thread = name.slice("waiting:".length, end);
      return typeof title === "string" ? [{ thread, post: name.slice(end + 1), title }] : [];
    });
    return (await Promise.all(cards)).flat();
  }

  async #keep(known: KnownThread): Promise<void> {
    const { thread, ...kept } = known;
    decodeThread(thread);
    await this.#documents.set(nameOf(thread), kept, { ttlMs: KEPT_MS });
    this.#known.set(thread, known);
  }
}

function nameOf(thread: ThreadId): string {
  return `thread:${thread}`;
}

function titleOf(words: string): string {
  const line = words.trim().split("\n", 1)[0]?.replaceAll(/\s+/g, " ") ?? "";
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS - 1).toWellFormed()}…`;
}

function waitingTitle(view: View): string | undefined {
  if (view.kind === "approval" && view.approval.decision === undefined) {
    const { operation, command, paths } = view.approval.effect;
    return titleOf(
      command ?? [operation, ...paths.map(({ path }) => relativePath(path))].join(" "),
    );
  }
  if (view.kind === "question" && !view.answer && !view.isCancelled) return titleOf(view.prompt);
  return undefined;
}
