import type { Adapter } from "../contract/platform/adapter.ts";
import { DeliveryError } from "../contract/platform/adapter.ts";
import type { ThreadId } from "../contract/platform/incoming.ts";
import type { FileShare } from "../contract/platform/view.ts";
import type { Redactor } from "../contract/redactor.ts";
import { StoreError, UnreadableError } from "../contract/store.ts";
import { type Journal, LeaseLostError } from "../journal/journal.ts";
import type { Log } from "../lib/log.ts";
import { maskedFile, maskedView } from "./masked.ts";
import { Messages } from "./messages.ts";
import { type Content, type Part, partsOf } from "./parts.ts";
import { Pause } from "./pause.ts";
import { ProgressPace } from "./progress-pace.ts";
import { canWait, isFinalReply, isPassing, isProgress, isSettled } from "./states.ts";

interface Slot {
  readonly name: string;
  /** What is still to be shown. */
  wanted?: Content | undefined;
  /** What is on its way right now. */
  sending?: Content | undefined;
  /** The newest state of what is not settled, to be shown again after a reconnect. */
  newest?: Content | undefined;
  /** Of the lease that was held when that was asked for. */
  fence?: number | undefined;
  /** Which call asked for it first: messages are posted in this order. */
  since: number;
  askedAtMs: number;
  /** True once it was given a reply's end. */
  isFinished: boolean;
  failures: number;
}

interface Due {
  readonly slot: Slot;
  readonly content: Content;
  readonly atMs: number;
}

export interface WriterParts {
  readonly thread: ThreadId;
  readonly adapter: () => Adapter;
  readonly journal: Pick<Journal, "fold" | "append">;
  /** Of the lease that is held now. Absent: nobody else shows anything here. */
  readonly fence: (() => number | undefined) | undefined;
  readonly redactor: Redactor;
  readonly log: Log;
  /** The least time between two edits of one message, whatever the platform would take. */
  readonly leastEditGapMs: number;
  /** Told that what was posted cannot be read: nothing can be shown until somebody has repaired that. */
  readonly onUnreadable: (error: UnreadableError) => void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
/** For errors that no adapter should throw: after so many, what fails makes room for the others. */
const MOST_TRIES = 10;
const MOST_WAITING = 100;

/**
 * Shows the slots of one thread: one thing at a time, new messages in the order in which they were asked for, edits no
 * more often than the platform likes, and always the newest state. Asking never waits.
 */
export class ThreadWriter {
  readonly #parts: WriterParts;
  readonly #messages: Messages;
  readonly #slots = new Map<string, Slot>();
  readonly #split = new WeakMap<Content, Part[]>();
  readonly #pause = new Pause();
  readonly #progress = new ProgressPace();
  #asked = 0;
  #isLoaded = false;
  #isClosed = false;
  #work: Promise<void> | undefined;
  /** The platform takes nothing before: by its own word, or because we think so. */
  #notBeforeMs = 0;
  #isToldToWait = false;
  #failures = 0;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#messages = new Messages(parts);
  }

  get isIdle(): boolean {
    return this.#work === undefined;
  }

  show(name: string, content: Content): void {
    if (this.#isClosed) return;
    const slot = this.#slot(name);
    // A piece of a streamed reply that comes late changes nothing about the finished one.
    if (slot.isFinished && isPassing(content)) return;
    slot.isFinished = isFinalReply(content);
    const isReplaced = slot.wanted !== undefined && slot.wanted !== slot.sending;
    slot.wanted = content;
    slot.newest = isSettled(content) ? undefined : content;
    slot.fence = this.#parts.fence?.();
    // The newer state may be due sooner.
    this.#pause.end();
    if (isReplaced) return;
    this.#asked += 1;
    slot.since = this.#asked;
    slot.askedAtMs = performance.now();
    this.#makeRoom();
    this.#work ??= this.#run();
  }

  /** Resolves once everything was shown that was asked for. */
  async flush(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  /** Shows anew what is not settled, wherever its messages are by now. Answers the slots that have messages. */
  async restore(): Promise<string[]> {
    await this.#load();
    this.#messages.doubt();
    this.#hurry();
    for (const slot of this.#slots.values()) {
      if (slot.newest && this.#isNewest(slot)) this.show(slot.name, slot.newest);
    }
    return this.#messages.slots();
  }

  /** Without the lease that it was shown under, another replica may have shown what came after it. */
  #isNewest({ fence }: Slot): boolean {
    const now = this.#parts.fence;
    return !now || (fence !== undefined && fence === now());
  }

  /** What has not been shown by now is not shown any more. */
  close(): void {
    this.#isClosed = true;
    this.#abandon();
  }

  #slot(name: string): Slot {
    const slot = this.#slots.get(name) ?? {
      name,
      ...{ since: 0, askedAtMs: 0, isFinished: false, failures: 0 },
    };
    this.#slots.set(name, slot);
    return slot;
  }

  #waiting(): Slot[] {
    return [...this.#slots.values()]
      .filter(({ wanted }) => wanted !== undefined)
      .sort((one, other) => one.since - other.since);
  }

  /** A platform that is away for long must not cost memory without end; what people have to see stays. */
  #makeRoom(): void {
    const waiting = this.#waiting();
    const surplus = Math.max(0, waiting.length - MOST_WAITING);
    const passing = waiting.filter(({ wanted }) => wanted && isPassing(wanted));
    for (const slot of passing.slice(0, surplus)) slot.wanted = undefined;
  }

  async #run(): Promise<void> {
    // Whoever asks does not wait for what comes of it, not even for its beginning.
    await Promise.resolve();
    try {
      for (let next = this.#next(); next; next = this.#next()) {
        const waitMs = Math.max(next.atMs, this.#notBeforeMs) - performance.now();
        if (waitMs > 0) await this.#pause.wait(waitMs);
        else await this.#attempt(next.slot, next.content);
      }
    } catch (error) {
      // Only a thread of a platform that is not there any more comes here.
      const { log, thread } = this.#parts;
      log("error", "Cannot post to this thread; giving up.", { thread, error });
      this.#abandon();
    }
    // In the same instant as the last look at what waits: what is asked for from here on starts anew.
    this.#work = undefined;
  }

  /** What is due first: an edit, or the earliest of those that take a new message. */
  #next(): Due | undefined {
    const { adapter, leastEditGapMs } = this.#parts;
    const gapMs = Math.max(leastEditGapMs, adapter().limits.editEveryMs);
    let first: Due | undefined;
    let hasNew = false;
    for (const slot of this.#waiting()) {
      const content = slot.wanted;
      if (content === undefined) continue;
      const isNew = this.#takesNewMessage(slot.name, content);
      if (isNew && hasNew) continue;
      hasNew ||= isNew;
      const atMs = this.#dueAtMs(slot, content, { isNew, gapMs });
      if (!first || atMs < first.atMs) first = { slot, content, atMs };
    }
    return first;
  }

  #dueAtMs(slot: Slot, content: Content, { isNew, gapMs }: { isNew: boolean; gapMs: number }) {
    const sentAtMs = this.#messages.sentAtMs(slot.name);
    const { editEveryMs } = this.#parts.adapter().limits;
    // What is short is finished by then, and needs no edit.
    if (sentAtMs === undefined && isUnfinishedReply(content)) return slot.askedAtMs + gapMs;
    if (sentAtMs === undefined) return canWait(content) ? slot.askedAtMs + editEveryMs : 0;
    const nextMs = sentAtMs + gapMs;
    if (isNew || !isProgress(content)) return nextMs;
    return Math.max(nextMs, this.#progress.nextMs(editEveryMs));
  }

  #takesNewMessage(slot: string, content: Content): boolean {
    const messages = this.#messages;
    return !messages.hasAny(slot) || !messages.hasAll(slot, this.#partsOf(content));
  }

  /** Masked before they are split: half a secret is not found. A file has none before it was looked through. */
  #partsOf(content: Content): Part[] {
    const { redactor, adapter } = this.#parts;
    const known = this.#split.get(content);
    if (known || "file" in content) return known ?? [];
    const parts = partsOf({ view: maskedView(redactor, content.view) }, adapter().limits);
    this.#split.set(content, parts);
    return parts;
  }

  async #lookThrough(file: FileShare): Promise<Part[]> {
    const { redactor, adapter } = this.#parts;
    return partsOf(await maskedFile(redactor, file), adapter().limits);
  }

  async #attempt(slot: Slot, content: Content): Promise<void> {
    const { since } = slot;
    slot.sending = content;
    try {
      if (!this.#isLoaded) await this.#load();
      if ("file" in content && !this.#split.has(content))
        this.#split.set(content, await this.#lookThrough(content.file));
      const sentAtMs = this.#messages.sentAtMs(slot.name);
      await this.#messages.bring(slot.name, this.#partsOf(content), isSettled(content));
      this.#failures = 0;
      if (this.#messages.sentAtMs(slot.name) !== sentAtMs) this.#progress.sent(content);
      this.#done(slot, content);
    } catch (error) {
      // Whatever has been asked for meanwhile stands in for what did not get through.
      slot.since = since;
      this.#afterFailure(slot, content, error);
    }
    slot.sending = undefined;
  }

  async #load(): Promise<void> {
    await this.#messages.load();
    this.#isLoaded = true;
  }

  #done(slot: Slot, content: Content): void {
    slot.failures = 0;
    if (slot.wanted === content) slot.wanted = undefined;
  }

  #afterFailure(slot: Slot, content: Content, error: unknown): void {
    const { log, thread } = this.#parts;
    const fields = { thread, slot: slot.name, error };
    if (error instanceof LeaseLostError) {
      log("info", "Another replica has taken over this conversation.", fields);
      this.#abandon();
      return;
    }
    slot.failures += 1;
    this.#failures += 1;
    if (isHopeless(error, slot.failures)) {
      log("error", "Failed to post a message; giving up.", fields);
      this.#done(slot, content);
      return;
    }
    this.#notBeforeMs = performance.now() + waitAfter(error, this.#failures);
    this.#isToldToWait = error instanceof DeliveryError && error.retryAfterMs !== undefined;
    if (error instanceof UnreadableError) {
      log("error", "Posting to this thread is paused until its journal can be read.", fields);
      this.#parts.onUnreadable(error);
      return;
    }
    log("debug", "Failed to post a message; retrying.", fields);
  }

  /** What we have waited for has come; but when a platform has named a time, that counts. */
  #hurry(): void {
    if (!this.#isToldToWait) this.#notBeforeMs = 0;
    this.#failures = 0;
    this.#pause.end();
  }

  #abandon(): void {
    for (const slot of this.#slots.values()) slot.wanted = undefined;
    this.#pause.end();
  }
}

function isUnfinishedReply(content: Content): boolean {
  return "view" in content && content.view.kind === "reply" && !content.view.isFinal;
}

function isHopeless(error: unknown, failures: number): boolean {
  if (error instanceof DeliveryError) return error.when === "never";
  if (error instanceof StoreError) return false;
  return failures >= MOST_TRIES;
}

function waitAfter(error: unknown, failures: number): number {
  const told = error instanceof DeliveryError ? error.retryAfterMs : undefined;
  return told ?? Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(10, failures - 1));
}
