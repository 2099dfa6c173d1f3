import type { Presence } from "../../src/contract/platform/actor.ts";
import type { OpenForm } from "../../src/contract/platform/form-click.ts";
import type { ThreadId } from "../../src/contract/platform/incoming.ts";

/** Something that somebody typed into a window, before it is handed over. */
interface TypedAnswer {
  readonly thread: ThreadId;
  readonly action: string;
  readonly typed: string;
  readonly presence: Presence;
}

/** What this platform asks the bot about, beside handing over what happens. */
export interface SlackHooks {
  /** False: no rule names a user group, so that Slack need not be asked for them. */
  usesGroups?(): boolean;
  /** Whether the words of a slash command are about a thread. Without it, all are. */
  needsThread?(words: string): boolean;
  /** Asked before a button's form opens. Without it, every form opens. */
  readonly openForm?: OpenForm;
  /** Whether this person may read what is shown of a thread, here and now. Without it, whoever is in its channel may. */
  mayRead?(presence: Presence, thread: ThreadId): boolean;
  /**
   * What is wrong with it, for the window in which it was typed; undefined where nothing is, or where that shows only
   * once it is handed over. Changes nothing: it is handed over in any case, so that wrong answers count.
   */
  problemWith?(answer: TypedAnswer): Promise<string | undefined>;
}
