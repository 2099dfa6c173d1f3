import type { View } from "../../../src/contract/platform/view.ts";
import type { Documents } from "../../../src/contract/store.ts";
import { BoundedMap } from "../../../src/lib/bounded.ts";
import type { SlackCalls, SlackMethod } from "../connection/calls.ts";
import { SlackError } from "../connection/calls.ts";
import { label } from "../rendering/buttons.ts";
import type { SlackPlace } from "../thread.ts";

const STATUS_CHARS = 100;
const TITLE_CHARS = 200;
const MOST_KNOWN = 2_000;
const KEPT_MS = 14 * 24 * 60 * 60_000;

/** When Slack's own display of a turn is worth its calls. */
export interface StatusPace {
  /**
   * The reaction and the card, which has a Stop button of its own, show a shorter turn. Slack's display costs two calls
   * more, as no call that posts or edits a message changes the state of a session.
   */
  readonly firstAfterMs: number;
  /** Slack forgets a line after two minutes. */
  readonly renewEveryMs: number;
  readonly longestMs: number;
}

const PACE: StatusPace = {
  firstAfterMs: 30_000,
  renewEveryMs: 75_000,
  longestMs: 60 * 60_000,
};

type Session = "processing" | "suspended" | "active";

interface Shown {
  readonly place: SlackPlace;
  title: string;
  sinceMs: number;
  /** What Slack is to show: "active" is the end. */
  session: Session;
  /** What Slack was told last; undefined: nothing in this turn. */
  told: Session | undefined;
  /** Instead of a session, where the workspace has none. A message of ours removes it. */
  line: string | undefined;
  text: string;
  timer: NodeJS.Timeout | undefined;
}

/**
 * What Slack itself shows of an agent that works for long: one call shows a loading indicator and Slack's own Stop button.
 * Where the app is no agent, a line under the thread stands in. Both are best-effort.
 */
export class AgentStatus {
  readonly #calls: SlackCalls;
  readonly #documents: Documents;
  readonly #pace: StatusPace;
  readonly #shown = new BoundedMap<string, Shown>(MOST_KNOWN);
  readonly #refused = new Set<SlackMethod>();
  /** One after the other within a thread: the last word counts. */
  readonly #lanes = new Map<string, Promise<void>>();

  constructor(calls: SlackCalls, documents: Documents, pace: Partial<StatusPace> = {}) {
    this.#calls = calls;
    this.#documents = documents;
    this.#pace = { ...PACE, ...pace };
  }

  begin(place: SlackPlace): void {
    const name = nameOf(place);
    const known = this.#shown.get(name);
    if (known && isOpen(known)) return;
    // The same record as before: the end of the last turn may still be on its way to Slack.
    const shown = known ?? newlyShown(place);
    const text = "is working …";
    Object.assign(shown, { text, session: "processing", sinceMs: performance.now() });
    this.#keep(name, shown);
    this.#schedule(shown, this.#pace.firstAfterMs);
  }

  setTitle(place: SlackPlace, title: string): void {
    const shown = this.#shown.get(nameOf(place));
    if (shown) shown.title = title;
  }

  /** Whether a person is waited for, as far as a card tells it. */
  follow(place: SlackPlace, view: View): void {
    const shown = this.#shown.get(nameOf(place));
    if (!shown || !isOpen(shown) || view.kind !== "activity") return;
    const running = view.lines.findLast(({ status }) => status === "running");
    shown.text = label(
      running ? `is working: ${running.title}` : "is working …",
      STATUS_CHARS,
    ).text;
    const session = view.status === "waiting" ? "suspended" : "processing";
    if (session === shown.session) return;
    shown.session = session;
    if (shown.told !== undefined) this.#bring(shown);
  }

  /** Slack takes the line away with every message of ours. */
  posted(place: SlackPlace): void {
    const shown = this.#shown.get(nameOf(place));
    if (shown) shown.line = undefined;
  }

  /** `isShown`: Slack shows its button, whatever we know of it. */
  end(place: SlackPlace, { isShown = false } = {}): void {
    const name = nameOf(place);
    const shown = this.#shown.get(name) ?? newlyShown(place);
    clearTimeout(shown.timer);
    Object.assign(shown, { text: "", session: "active", timer: undefined });
    if (isShown) shown.told ??= "processing";
    this.#keep(name, shown);
    this.#queue(name, async () => {
      if (isOpen(shown)) return;
      // Another process may have begun this turn, and shown that it works.
      if (shown.told === undefined && (await this.#isNoted(place))) shown.told = "processing";
      await this.#tellSession(shown);
      await this.#tellLine(shown);
    });
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#shown.values()) clearTimeout(timer);
    this.#shown.clear();
  }

  #schedule(shown: Shown, afterMs: number): void {
    clearTimeout(shown.timer);
    shown.timer = setTimeout(() => {
      if (performance.now() - shown.sinceMs > this.#pace.longestMs) return;
      this.#bring(shown);
      this.#schedule(shown, this.#pace.renewEveryMs);
    }, afterMs).unref();
  }

  /** Tells Slack what it does not know yet. */
  #bring(shown: Shown): void {
    const name = nameOf(shown.place);
    this.#queue(name, async () => {
      if (this.#shown.get(name) !== shown) return;
      await this.#tellSession(shown);
      await this.#tellLine(shown);
    });
  }

  async #tellSession(shown: Shown): Promise<void> {
    const { place, session, title, told } = shown;
    if (this.#refused.has(SESSION) || session === (told ?? "active")) return;
    const named = title === "" ? {} : { title: label(title, TITLE_CHARS).text };
    const args = { ...where(place), status: session, ...named };
    shown.told = session === "active" ? undefined : session;
    if (session !== "active") {
      await this.#note(place, session);
      await this.#tell(SESSION, args);
    } else if (await this.#tell(SESSION, args, { withinMs: ENDING_MS })) {
      await this.#note(place, session);
    }
  }

  /** Only where the workspace has no sessions. */
  async #tellLine(shown: Shown): Promise<void> {
    if (!this.#refused.has(SESSION)) return;
    const { place, line } = shown;
    const text = shown.session === "processing" ? shown.text : "";
    if (text === "" && line === undefined) return;
    shown.line = text === "" ? undefined : text;
    await this.#tell("assistant.threads.setStatus", { ...where(place), status: text });
  }

  async #isNoted(place: SlackPlace): Promise<boolean> {
    const noted = await this.#documents.get(noteOf(place)).catch(() => undefined);
    return noted !== undefined;
  }

  /** Kept outside of this process: a session that no one ends would go on for ever. */
  async #note(place: SlackPlace, session: Session): Promise<void> {
    const name = noteOf(place);
    try {
      if (session === "active") await this.#documents.delete(name);
      else await this.#documents.set(name, session, { ttlMs: KEPT_MS });
    } catch {
      // The display is best-effort, and so is the note about it.
    }
  }

  #keep(name: string, shown: Shown): void {
    this.#shown.set(name, shown);
  }

  #queue(name: string, work: () => Promise<void>): void {
    const lane = (this.#lanes.get(name) ?? Promise.resolve()).then(work).finally(() => {
      if (this.#lanes.get(name) === lane) this.#lanes.delete(name);
    });
    this.#lanes.set(name, lane);
  }

  /** False: it was not taken. */
  async #tell(method: SlackMethod, args: object, { withinMs = 0 } = {}): Promise<boolean> {
    if (this.#refused.has(method)) return false;
    try {
      await this.#calls.patiently(() => this.#calls.call(method, { ...args }), withinMs);
      return true;
    } catch (error) {
      const isLacking = error instanceof SlackError && LACKING.includes(error.code);
      if (isLacking) this.#refused.add(method);
      return false;
    }
  }
}

/** A session that is not ended shows for ever that we work. */
const ENDING_MS = 10_000;
const SESSION = "agents.sessions.setStatus";
const LACKING = [
  ...["unknown_method", "missing_scope", "not_allowed", "feature_not_enabled"],
  ...["feature_disabled", "method_deprecated"],
];

function newlyShown(place: SlackPlace): Shown {
  const nothing = { told: undefined, line: undefined, timer: undefined };
  return { place, title: "", text: "", session: "active", sinceMs: 0, ...nothing };
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

function noteOf(place: SlackPlace): string {
  return `session:${nameOf(place)}`;
}
