import type { EventHub, Posted } from "../../contract/conversation/event.ts";
import type { ActivityLine, View, ViewButton } from "../../contract/platform/view.ts";
import { verbAction } from "../../contract/platform/view-actions.ts";
import type { Redactor } from "../../contract/redactor.ts";
import type { OpenTurn } from "../../journal/conversation/state.ts";
import {
  type Activity,
  activityView,
  foldActivity,
  foldedAway,
  hasOwnCard,
} from "../../reply/activity.ts";
import type { Reply } from "../../reply/reply.ts";
import { type ImageParts, shareImages } from "../shared-images.ts";
import { slots } from "./cards.ts";

export interface CardParts extends ImageParts {
  readonly reply: Pick<Reply, "show" | "share">;
  readonly hub: EventHub;
  readonly redactor: Pick<Redactor, "stream">;
}

type Status = Extract<View, { kind: "activity" }>["status"];

/** The sign at the message shows that it was heard. After this long without more, a card says that work goes on. */
const SILENCE_MS = 10_000;
/** How long a model is retried before the card says so. */
const RETRIES_MS = 5_000;

/** What people see of one turn while it goes on: its calls on one card, and the text that the model writes. */
export class TurnCard implements Disposable {
  readonly #parts: CardParts;
  readonly #thread: string;
  readonly #turn: string;
  /** A person's own command has no sign at its message while it runs. */
  readonly #isFirstSign: boolean;
  #activity: Activity;
  readonly #leave: () => void;
  readonly #silence: NodeJS.Timeout;
  #status: Status = "working";
  /** What the model has begun to say. */
  #begun: { readonly step: number; readonly text: string } | undefined;
  #isShown: boolean;
  /** Why the model is retried, and since when. */
  #retries: { why: string; readonly timer: NodeJS.Timeout; isDue: boolean } | undefined;

  constructor(parts: CardParts, thread: string, turn: OpenTurn) {
    this.#parts = parts;
    this.#thread = thread;
    this.#turn = turn.id;
    this.#isFirstSign = turn.mode === "direct";
    this.#activity = activityOf(linesOf(turn));
    this.#isShown = this.#activity.calls.length > 0;
    this.#leave = parts.hub.observe((event) => this.#hear(event), thread);
    this.#silence = setTimeout(() => this.status("working", { evenIfEmpty: true }), SILENCE_MS);
  }

  /** Shows how it goes, unless there is nothing yet to show. */
  status(status: Status, { evenIfEmpty = false } = {}): void {
    this.#status = status;
    if (this.#activity.calls.length > 0 || evenIfEmpty) this.#isShown = true;
    if (this.#isShown) this.#show();
  }

  /** The model's words so far. Once final they stay. */
  text(step: number, text: string, { isFinal = false } = {}): void {
    if (text.trim() === "" && !isFinal) return;
    clearTimeout(this.#silence);
    this.#begun = isFinal ? undefined : { step, text };
    const { reply } = this.#parts;
    reply.show(this.#thread, slots.reply(this.#turn, step), { kind: "reply", text, isFinal });
  }

  /** The model failed, and is asked again: after a while the card says so. */
  retries(why: string): void {
    const timer =
      this.#retries?.timer ??
      setTimeout(() => {
        if (this.#retries) this.#retries.isDue = true;
        this.status("working", { evenIfEmpty: true });
      }, RETRIES_MS);
    this.#retries = { why, timer, isDue: this.#retries?.isDue ?? false };
    if (this.#retries.isDue) this.#show();
  }

  retriesEnd(): void {
    clearTimeout(this.#retries?.timer);
    this.#retries = undefined;
  }

  /** Nobody goes on with what the model has begun to say: it stays as far as it came, without half a secret at its end. */
  cutOff(): void {
    if (!this.#begun) return;
    const { step, text } = this.#begun;
    const whole = this.#parts.redactor.stream().write(text).trimEnd();
    this.text(step, `${whole} …`.trim(), { isFinal: true });
  }

  [Symbol.dispose](): void {
    this.retriesEnd();
    clearTimeout(this.#silence);
    this.#leave();
  }

  /** True once there is something to be brought to an end. */
  get isShown(): boolean {
    return this.#isShown;
  }

  #hear(posted: Posted): void {
    if (posted.type === "imageDisplay") void shareImages(this.#parts, this.#thread, posted);
    if (posted.type !== "tool") return;
    this.#activity = foldActivity(this.#activity, posted.event);
    if (this.#activity.calls.length === 0) return;
    clearTimeout(this.#silence);
    this.#isShown = true;
    this.#show();
  }

  #show(): void {
    const { reply } = this.#parts;
    const note = this.#retries?.isDue ? { note: this.#retries.why } : {};
    const first = this.#isFirstSign ? { isFirstSign: true } : {};
    const view = { ...viewOf(this.#activity, this.#status), ...note, ...first };
    reply.show(this.#thread, slots.activity(this.#turn), view);
  }
}

/** The card of a turn as the journal knows it. */
export function cardOf(lines: readonly ActivityLine[], status: Status): View {
  return viewOf(activityOf(lines), status);
}

function activityOf(lines: readonly ActivityLine[]): Activity {
  return { calls: lines.map((line) => ({ toolName: line.title, line })) };
}

function viewOf(activity: Activity, given: Status): View {
  const status = given === "done" && hasOnlyFailed(activity) ? "failed" : given;
  const isOver = status !== "working" && status !== "waiting";
  return activityView(activity, status, isOver ? [] : [STOP_BUTTON]);
}

/** "Done" above nothing but failed lines would be wrong. */
function hasOnlyFailed({ calls }: Activity): boolean {
  return calls.length > 0 && calls.every(({ line }) => line.status === "error");
}

const STOP_BUTTON: ViewButton = { action: verbAction("stop"), label: "Stop", style: "danger" };

/** Its words stand on the question's own card. */
const QUESTION = "Asking a question";

function isQuestion(tool: string): boolean {
  return tool === "user_collaboration";
}

/** What the journal knows of a turn's calls. */
export function linesOf({ ended, calls }: OpenTurn): ActivityLine[] {
  const over = ended
    .filter(({ name }) => isQuestion(name) || !hasOwnCard(name))
    .map(({ callId, name, title, isSuccess, thoughts, failure }) => ({
      callId,
      title: isQuestion(name) ? QUESTION : title,
      ...(thoughts === undefined ? { details: [] } : foldedAway(thoughts)),
      status: isSuccess ? ("success" as const) : ("error" as const),
      ...(failure?.words ? { details: [failure.words] } : {}),
      ...(failure?.output ? { output: failure.output } : {}),
    }));
  const waiting = calls
    .filter(({ waits, result }) => waits && !result)
    .map(({ callId, title, name }) => ({
      callId,
      title: isQuestion(name) ? QUESTION : (title ?? name),
      details: [],
      status: "userInputRequired" as const,
    }));
  return [...over, ...waiting];
}
