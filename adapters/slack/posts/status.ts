import type { View } from "../../../src/contract/platform/view.ts";
import type { SlackCalls, SlackMethod } from "../connection/calls.ts";
import { SlackError } from "../connection/calls.ts";
import { label } from "../rendering/buttons.ts";
import type { SlackPlace } from "../thread.ts";

const STATUS_CHARS = 100;
const TITLE_CHARS = 200;
const MOST_KNOWN = 2_000;

/** When to send Slack the state of a turn. Each time costs up to two calls. */
export interface StatusPace {
  /** Shorter turns are shown by their messages alone. */
  readonly firstAfterMs: number;
  /** Between two changes of the line, and after a message of ours, which takes the line away. */
  readonly changeEveryMs: number;
  /** Slack forgets a line after two minutes. */
  readonly renewEveryMs: number;
  readonly longestMs: number;
}

const PACE: StatusPace = {
  firstAfterMs: 2_000,
  changeEveryMs: 15_000,
  renewEveryMs: 75_000,
  longestMs: 60 * 60_000,
};

type Session = "processing" | "suspended" | "active";

interface Shown {
  readonly place: SlackPlace;
  readonly title: string;
  readonly sinceMs: number;
  text: string;
  session: Session;
  /** The state that Slack shows; undefined: none, or a message of ours has removed it. */
  line: { readonly text: string; readonly atMs: number } | undefined;
  told: Session | undefined;
  timer: NodeJS.Timeout | undefined;
}

/**
 * What Slack itself shows of an agent at work: a line under the thread, and its own stop button. It is best-effort:
 * where a workspace lacks it, or does not take it now, nothing else changes.
 */
export class AgentStatus {
  readonly #calls: SlackCalls;
  readonly #pace: StatusPace;
  readonly #shown = new Map<string, Shown>();
  readonly #refused = new Set<SlackMethod>();
  /** One after the other within a thread: the last word counts. */
  readonly #lanes = new Map<string, Promise<void>>();

  constructor(calls: SlackCalls, pace: Partial<StatusPace> = {}) {
    this.#calls = calls;
    this.#pace = { ...PACE, ...pace };
  }

  begin(place: SlackPlace, title = ""): void {
    const known = this.#shown.get(nameOf(place));
    const text = known && isOpen(known) ? known.text : "is thinking …";
    this.#set(place, text, "processing", title);
  }

  /** As far as a card tells it. */
  follow(place: SlackPlace, view: View): void {
    if (view.kind !== "activity") return;
    if (view.status === "working") {
      const running = view.lines.findLast(({ status }) => status === "running");
      this.#set(place, running ? `is at it: ${running.title}` : "is working …", "processing");
    } else if (view.status === "waiting") this.#set(place, "waits for you", "suspended");
  }

  /** Slack takes the line away with every message of ours. */
  posted(place: SlackPlace): void {
    const shown = this.#shown.get(nameOf(place));
    if (!shown?.line) return;
    shown.line = undefined;
    this.#schedule(shown, this.#pace.changeEveryMs);
  }

  end(place: SlackPlace): void {
    const name = nameOf(place);
    const known = this.#shown.get(name);
    clearTimeout(known?.timer);
    // Begun by a process that is gone: the state that Slack shows is unknown.
    const shown = known ?? newlyShown(place, "", { line: UNKNOWN_LINE, told: "processing" });
    Object.assign(shown, { text: "", session: "active", timer: undefined });
    this.#keep(name, shown);
    this.#bring(shown);
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#shown.values()) clearTimeout(timer);
    this.#shown.clear();
  }

  #set(place: SlackPlace, words: string, session: Session, title = ""): void {
    const name = nameOf(place);
    const text = label(words, STATUS_CHARS).text;
    const known = this.#shown.get(name);
    if (known && isOpen(known)) {
      const isNewState = known.session !== session && known.told !== undefined;
      Object.assign(known, { text, session });
      if (isNewState) this.#schedule(known, 0);
      return;
    }
    // The same record as before: the end of the last turn may still be on its way to Slack.
    const shown = known ?? newlyShown(place, title, { line: undefined, told: undefined });
    Object.assign(shown, { text, session, title, sinceMs: performance.now() });
    this.#keep(name, shown);
    this.#schedule(shown, this.#pace.firstAfterMs);
  }

  #schedule(shown: Shown, afterMs: number): void {
    clearTimeout(shown.timer);
    shown.timer = setTimeout(() => {
      if (performance.now() - shown.sinceMs > this.#pace.longestMs) return;
      this.#bring(shown);
      this.#schedule(shown, this.#pace.changeEveryMs);
    }, afterMs).unref();
  }

  /** Tells Slack what it does not know yet. */
  #bring(shown: Shown): void {
    const name = nameOf(shown.place);
    this.#queue(name, async () => {
      if (this.#shown.get(name) !== shown) return;
      // The line is the last to come and the first to go.
      if (isOpen(shown)) await this.#tellSession(shown);
      await this.#tellLine(shown);
      await this.#tellSession(shown);
    });
  }

  async #tellSession(shown: Shown): Promise<void> {
    const { place, session, title, told } = shown;
    if (told === session || (told === undefined && session === "active")) return;
    shown.told = session;
    const named = title === "" ? {} : { title: label(title, TITLE_CHARS).text };
    await this.#tell("agents.sessions.setStatus", { ...where(place), status: session, ...named });
  }

  async #tellLine(shown: Shown): Promise<void> {
    const { place, text, line } = shown;
    const isFresh = line && performance.now() - line.atMs < this.#pace.renewEveryMs;
    if (text === (line?.text ?? "") && (isFresh || text === "")) return;
    shown.line = text === "" ? undefined : { text, atMs: performance.now() };
    await this.#tell("assistant.threads.setStatus", { ...where(place), status: text });
  }

  #keep(name: string, shown: Shown): void {
    this.#shown.delete(name);
    this.#shown.set(name, shown);
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > MOST_KNOWN && oldest !== undefined) this.#shown.delete(oldest);
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

const UNKNOWN_LINE = { text: "unknown", atMs: 0 };

function newlyShown(
  place: SlackPlace,
  title: string,
  { line, told }: Pick<Shown, "line" | "told">,
): Shown {
  const times = { sinceMs: performance.now(), timer: undefined };
  return { place, title, text: "", session: "active", line, told, ...times };
}

function isOpen({ session }: Shown): boolean {
  return session !== "active";
}

function where({ channel, root }: SlackPlace) {
  return { channel_id: channel, thread_ts: root };
}

function nameOf({ channel, root }: SlackPlace): string {
  return `${channel}:${root}`;
}
