import type { View } from "../../src/contract/view.ts";
import { label } from "./buttons.ts";
import type { SlackCalls, SlackMethod } from "./calls.ts";
import { SlackError } from "./calls.ts";
import type { SlackPlace } from "./thread.ts";

/** Slack forgets a status after two minutes. */
const AGAIN_MS = 75_000;
const LONGEST_MS = 60 * 60_000;
const STATUS_CHARS = 100;
const TITLE_CHARS = 200;

interface Shown {
  readonly place: SlackPlace;
  readonly sinceMs: number;
  text: string;
  session: "processing" | "suspended";
  timer: NodeJS.Timeout | undefined;
}

/**
 * What Slack itself shows of an agent at work: a line under the thread, and its own stop button. All of it is a courtesy:
 * where a workspace lacks it, or does not take it now, nothing else changes.
 */
export class AgentStatus {
  readonly #calls: SlackCalls;
  readonly #shown = new Map<string, Shown>();
  /** What Slack takes for the state of a session, as long as something is shown of it. */
  readonly #told = new Map<string, Shown["session"]>();
  readonly #refused = new Set<SlackMethod>();
  /** One after the other within a thread: the last word counts. */
  readonly #lanes = new Map<string, Promise<void>>();

  constructor(calls: SlackCalls) {
    this.#calls = calls;
  }

  begin(place: SlackPlace, title = ""): void {
    const known = this.#shown.get(nameOf(place));
    this.#set(place, known?.text ?? "is thinking …", "processing", title);
  }

  /** As far as a card tells it. */
  follow(place: SlackPlace, view: View): void {
    if (view.kind !== "activity") return;
    if (view.status === "working") {
      const running = view.lines.findLast(({ status }) => status === "running");
      this.#set(place, running ? `is at it: ${running.title}` : "is working …", "processing");
    } else if (view.status === "waiting") this.#set(place, "waits for you", "suspended");
    else if (this.#shown.has(nameOf(place))) this.end(place);
  }

  /** Slack takes the line away with every message of ours. */
  renew(place: SlackPlace): void {
    const name = nameOf(place);
    const shown = this.#shown.get(name);
    if (!shown) return;
    this.#queue(name, async () => {
      if (this.#shown.get(name) === shown) await this.#tellText(shown);
    });
  }

  /** Also where it was begun by a process that is gone. */
  end(place: SlackPlace): void {
    const name = nameOf(place);
    clearTimeout(this.#shown.get(name)?.timer);
    this.#shown.delete(name);
    this.#queue(name, async () => {
      this.#told.delete(name);
      await this.#tell("assistant.threads.setStatus", { ...where(place), status: "" });
      await this.#tell("agents.sessions.setStatus", { ...where(place), status: "active" });
    });
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#shown.values()) clearTimeout(timer);
    this.#shown.clear();
  }

  #set(place: SlackPlace, words: string, session: Shown["session"], title = ""): void {
    const name = nameOf(place);
    const text = label(words, STATUS_CHARS).text;
    const known = this.#shown.get(name);
    if (known?.text === text && known.session === session) return;
    clearTimeout(known?.timer);
    const shown: Shown = {
      ...{ place, text, session },
      sinceMs: known?.sinceMs ?? performance.now(),
      timer: undefined,
    };
    this.#shown.set(name, shown);
    this.#queue(name, async () => {
      if (this.#shown.get(name) !== shown) return;
      await this.#tellSession(shown, title);
      await this.#tellText(shown);
    });
    this.#keepAlive(shown);
  }

  async #tellSession({ place, session }: Shown, title: string): Promise<void> {
    if (this.#told.get(nameOf(place)) === session) return;
    this.#told.set(nameOf(place), session);
    await this.#tell("agents.sessions.setStatus", sessionArgs(place, session, title));
  }

  async #tellText({ place, text }: Shown): Promise<void> {
    await this.#tell("assistant.threads.setStatus", { ...where(place), status: text });
  }

  #keepAlive(shown: Shown): void {
    shown.timer = setTimeout(() => {
      if (performance.now() - shown.sinceMs > LONGEST_MS) return;
      this.renew(shown.place);
      this.#keepAlive(shown);
    }, AGAIN_MS).unref();
  }

  #queue(name: string, work: () => Promise<void>): void {
    const lane = (this.#lanes.get(name) ?? Promise.resolve()).then(work).finally(() => {
      if (this.#lanes.get(name) === lane) this.#lanes.delete(name);
    });
    this.#lanes.set(name, lane);
  }

  async #tell(method: SlackMethod, args: Record<string, unknown>): Promise<void> {
    if (this.#refused.has(method)) return;
    try {
      await this.#calls.call(method, args);
    } catch (error) {
      const lacks = ["unknown_method", "missing_scope", "not_allowed", "feature_not_enabled"];
      if (error instanceof SlackError && lacks.includes(error.code)) this.#refused.add(method);
    }
  }
}

function sessionArgs(place: SlackPlace, status: Shown["session"], title: string) {
  const named = title === "" ? {} : { title: label(title, TITLE_CHARS).text };
  return { ...where(place), status, ...named };
}

function where({ channel, root }: SlackPlace) {
  return { channel_id: channel, thread_ts: root };
}

function nameOf({ channel, root }: SlackPlace): string {
  return `${channel}:${root}`;
}
