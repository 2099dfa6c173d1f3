import { setTimeout as sleep } from "node:timers/promises";
import { type Adapter, DeliveryError } from "../contract/platform/adapter.ts";
import type { ThreadId } from "../contract/platform/incoming.ts";
import type { FileShare, View } from "../contract/platform/view.ts";
import type { Redactor } from "../contract/redactor.ts";
import type { Documents } from "../contract/store.ts";
import type { Journal } from "../journal/journal.ts";
import type { Log } from "../lib/log.ts";
import { maskedFile, maskedView } from "./masked.ts";
import { ThreadWriter } from "./thread-writer.ts";
import { createUnreadable } from "./unreadable.ts";

/**
 * Shows people what there is to see. A slot is a stable name within a conversation ("todos", "turn-7:reply",
 * "approval:ID"): what it shows is posted once and edited afterwards, also by another process after a restart.
 */
export interface Reply extends AsyncDisposable {
  /** Never waits and never fails: the newest state of each slot is shown as soon as the platform takes it. */
  show(thread: ThreadId, slot: string, view: View): void;
  /** A file, in its place among the messages. A slot's file never changes. */
  share(thread: ThreadId, slot: string, file: FileShare): void;
  /**
   * For one person alone, at once or not at all: rejects with a DeliveryError where the platform does not take it. `about` is the
   * id of the event that it answers.
   */
  whisper(thread: ThreadId, actorId: string, view: View, about: string): Promise<void>;
  /** The same with a file. */
  whisperFile(thread: ThreadId, actorId: string, file: FileShare, about: string): Promise<void>;
  /** Resolves once everything was shown that was asked for. As long as the platform is away, it does not. */
  flush(thread: ThreadId): Promise<void>;
  /**
   * After a reconnect or a restart: finds out from the journal what stands where, and shows again what is not settled and
   * was shown under the lease that is still held. Answers the slots that have messages.
   */
  restore(thread: ThreadId): Promise<string[]>;
  /** The threads in which something has still to be shown. */
  pending(): ThreadId[];
  /** Where the error says that a conversation's record cannot be read, its thread is told, once. Never rejects. */
  tellUnreadable(conversation: string, error: unknown): Promise<void>;
}

export interface ReplyOptions {
  readonly journal: Pick<Journal, "fold" | "append">;
  /** Which notices about unreadable records were posted. */
  readonly notices: Documents;
  readonly adapterOf: (thread: ThreadId) => Adapter;
  /** Nothing reaches a platform without it. */
  readonly redactor: Redactor;
  readonly log: Log;
  /**
   * The fence of the lease that is held on a conversation: with it, nothing is written against another replica. Absent
   * where there can be no other.
   */
  readonly fenceOf?: (thread: ThreadId) => number | undefined;
  /** For tests that cannot wait a second. */
  readonly leastEditGapMs?: number;
}

const LEAST_EDIT_GAP_MS = 1_000;
const KEPT_THREADS = 500;
const NO_PRIVATE_FILES = "This platform has no private files.";
/** How long the last words may take when the bot ends. What is then missing is shown after the next start. */
const CLOSING_MS = 3_000;

export function createReply({
  journal,
  notices,
  adapterOf,
  redactor,
  log,
  fenceOf,
  leastEditGapMs = LEAST_EDIT_GAP_MS,
}: ReplyOptions): Reply {
  const writers = new Map<ThreadId, ThreadWriter>();
  const tellUnreadable = createUnreadable({ notices, adapterOf, redactor, log });

  function writerOf(thread: ThreadId): ThreadWriter {
    const writer = writers.get(thread) ?? newWriter(thread);
    // The most recently used stand at the end.
    writers.delete(thread);
    writers.set(thread, writer);
    forgetIdle(writers);
    return writer;
  }

  function newWriter(thread: ThreadId): ThreadWriter {
    const fence = fenceOf && (() => fenceOf(thread));
    return new ThreadWriter({
      thread,
      adapter: () => adapterOf(thread),
      journal,
      fence,
      redactor,
      log,
      leastEditGapMs,
      onUnreadable: (error) => void tellUnreadable(thread, error),
    });
  }

  return {
    show: (thread, slot, view) => writerOf(thread).show(slot, { view }),
    share: (thread, slot, file) => writerOf(thread).show(slot, { file }),
    whisper: (thread, actorId, view, about) =>
      adapterOf(thread).whisper(thread, actorId, maskedView(redactor, view), about),
    async whisperFile(thread, actorId, file, about) {
      const adapter = adapterOf(thread);
      if (!adapter.whisperFile) throw new DeliveryError("never", NO_PRIVATE_FILES);
      const masked = await maskedFile(redactor, file);
      if (!("file" in masked)) return adapter.whisper(thread, actorId, masked.view, about);
      await adapter.whisperFile(thread, actorId, masked.file, about);
    },
    flush: (thread) => writers.get(thread)?.flush() ?? Promise.resolve(),
    restore: (thread) => writerOf(thread).restore(),
    tellUnreadable,
    pending: () => [...writers].filter(([, { isIdle }]) => !isIdle).map(([thread]) => thread),
    async [Symbol.asyncDispose]() {
      const all = [...writers.values()];
      const stop = new AbortController();
      const late = sleep(CLOSING_MS, undefined, { signal: stop.signal }).catch(() => {
        // Everything was shown in time.
      });
      await Promise.race([Promise.all(all.map((writer) => writer.flush())), late]);
      stop.abort();
      for (const writer of all) writer.close();
      await Promise.race([Promise.all(all.map((writer) => writer.flush())), sleep(100)]);
    },
  };
}

/** What they knew is in the journal. */
function forgetIdle(writers: Map<ThreadId, ThreadWriter>): void {
  for (const [thread, writer] of writers) {
    if (writers.size <= KEPT_THREADS) return;
    if (writer.isIdle) writers.delete(thread);
  }
}
