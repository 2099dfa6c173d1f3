import type { z } from "zod";
import type { Log } from "../../lib/log.ts";
import type { Documents } from "../store.ts";
import type { Presence } from "./actor.ts";
import type { Adapter } from "./adapter.ts";
import type { OpenForm } from "./form-click.ts";
import type { ThreadId } from "./incoming.ts";

/** One way to say a command. */
export interface CommandHelp {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
}

/** Something that somebody typed into a window, before it is handed over. */
interface TypedAnswer {
  readonly thread: ThreadId;
  readonly action: string;
  readonly typed: string;
  readonly presence: Presence;
}

/** What a platform may ask the bot about, beside handing over what happens. */
export interface PlatformHooks {
  /** False: no rule names a group of people, so that the platform need not be asked for them. */
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
  /** For the completion of slash commands. */
  commands?(): readonly CommandHelp[];
}

export interface PlatformParts {
  /** For this platform alone. */
  readonly documents: Documents;
  readonly hooks: PlatformHooks;
  readonly log: Log;
}

/** A platform that the settings turn on. */
export interface SetUpPlatform {
  /** Its threads' ids begin with it. */
  readonly name: string;
  /** As people call it. */
  readonly title: string;
  /** What nobody may see, by the name of its setting. */
  readonly secrets: Readonly<Record<string, string>>;
  open(parts: PlatformParts): Promise<Adapter>;
}

/** A platform that people talk on. Whatever differs between platforms is behind this. */
export interface Platform {
  readonly title: string;
  /** Its settings, by their variables. */
  readonly settings: Readonly<Record<string, z.ZodType>>;
  /** Neither: the settings do not turn it on. */
  read(env: Readonly<Record<string, string | undefined>>): {
    readonly error?: z.ZodError | undefined;
    readonly platform?: SetUpPlatform | undefined;
  };
}
