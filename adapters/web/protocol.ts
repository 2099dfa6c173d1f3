import type { Attachment, ThreadId } from "../../src/contract/platform/incoming.ts";
import type { View } from "../../src/contract/platform/view.ts";
import type { LocalTime } from "../../src/lib/text/times.ts";

/** What the server and its page say to each other: the page is built from this file, too. */

export type Sign = "seen" | "done" | "failed" | "stopped";

export type ItemContent =
  | {
      readonly kind: "message";
      readonly author: string;
      readonly text: string;
      readonly isCommand: boolean;
      /** Said to the other people, and not to the bot. */
      readonly isAside?: boolean;
      readonly attachments: readonly Attachment[];
      readonly editedAt?: string;
      readonly sign?: Sign;
    }
  | { readonly kind: "view"; readonly view: View; readonly timed?: TimedText }
  | {
      readonly kind: "file";
      readonly name: string;
      readonly mimeType: string;
      readonly bytes: number;
      readonly comment?: string;
    }
  | { readonly kind: "removed" };

/** The words of a notice with `TIME` where a time stands, which the page shows in the reader's own way. */
export interface TimedText {
  readonly text: string;
  readonly times: readonly LocalTime[];
}
/** A character that no text has. */
export const TIME = "\uFDD0";

/** One thing in a thread. It may change; each change gives it a higher revision. */
export interface Item {
  readonly id: string;
  /** Its place in the thread; never changes. */
  readonly seq: number;
  /** Higher than that of every earlier change, in whatever thread. */
  readonly rev: number;
  readonly at: string;
  /** The one person who may see it; absent where everybody may. */
  readonly to?: string;
  readonly content: ItemContent;
}

/** Something in a thread that waits for a human. */
export interface Waiting {
  readonly item: string;
  readonly kind: "approval" | "question";
  readonly title: string;
  readonly risk?: string;
  readonly since: string;
}

export interface ThreadInfo {
  readonly id: ThreadId;
  readonly title: string;
  readonly createdAt: string;
  readonly lastAt: string;
  readonly isArchived: boolean;
  readonly isWorking: boolean;
  readonly waiting: readonly Waiting[];
  readonly rev: number;
}

export interface PersonInfo {
  readonly id: string;
  readonly name: string;
  readonly isOwner: boolean;
  /** A program that tells something. */
  readonly isBot: boolean;
}

export interface CommandHelp {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
}

export interface TerminalInfo {
  readonly id: string;
  readonly title: string;
  /** "asleep": its workspace sleeps or was lost, and this is what it had shown. */
  readonly state: "idle" | "busy" | "exited" | "asleep";
  readonly rows: number;
  readonly cols: number;
}

export interface WorkspaceFiles {
  /** The workspace sleeps: what is in it is not known until it is woken. */
  readonly isAsleep: boolean;
  readonly entries: readonly FileEntry[];
}

interface FileEntry {
  readonly name: string;
  /** From the workspace's root. */
  readonly path: string;
  readonly isDirectory: boolean;
  readonly bytes: number;
  readonly changedAt?: string;
}

export interface TimelineEntry {
  readonly number: number;
  readonly at: string;
  readonly who: string;
  readonly what: string;
  readonly detail?: string;
  readonly tone: "plain" | "good" | "bad" | "waiting";
}

export interface SettingShown {
  readonly name: string;
  readonly description: string;
  readonly value: boolean | number | string;
}

/** What this bot can show; the page leaves out the rest. */
export interface Abilities {
  readonly terminal: boolean;
  readonly terminalInput: boolean;
  readonly files: boolean;
  readonly timeline: boolean;
  readonly settings: boolean;
}

export type ToPage =
  | {
      readonly type: "welcome";
      readonly me: PersonInfo;
      readonly people: readonly PersonInfo[];
      readonly commands: readonly CommandHelp[];
      readonly abilities: Abilities;
      readonly status: string;
      readonly fileBytes: number;
      readonly threads: readonly ThreadInfo[];
    }
  | { readonly type: "thread"; readonly thread: ThreadInfo }
  /** All that has changed since the revision that was asked for. `isWhole`: forget what you had. */
  | {
      readonly type: "items";
      readonly thread: ThreadId;
      readonly items: readonly Item[];
      readonly upTo: number;
      readonly isWhole: boolean;
      readonly hasEarlier: boolean;
    }
  | { readonly type: "item"; readonly thread: ThreadId; readonly item: Item }
  | {
      readonly type: "output";
      readonly thread: ThreadId;
      readonly terminal: string;
      readonly fromIndex: number;
      readonly text: string;
      readonly nextIndex?: number;
      readonly ended: boolean;
    }
  | {
      readonly type: "followEnded";
      readonly thread: ThreadId;
      readonly terminal: string;
      readonly reason?: string;
    }
  | { readonly type: "beat" }
  | { readonly type: "problem"; readonly message: string };

export type FromPage =
  | { readonly type: "hello"; readonly token: string }
  | { readonly type: "open"; readonly thread: ThreadId; readonly since: number }
  | {
      readonly type: "follow";
      readonly thread: ThreadId;
      readonly terminal: string;
      readonly fromIndex: number;
    }
  | { readonly type: "unfollow" };

/** What became of something that somebody did. `reason` is for their eyes. */
export interface Outcome {
  readonly outcome: "accepted" | "known" | "ignored";
  readonly reason?: string;
}

/** Before a form opens: set where this person may not send it. */
export interface FormAnswer {
  readonly refusal?: string;
}

/** So many items a page is given at first, and each time it asks for earlier ones: drawing them is felt. */
export const ITEMS_AT_ONCE = 50;

/** The WebSocket's close codes that the page acts upon. */
export const CLOSED = { badToken: 4401, tooSlow: 4408, tooMany: 4429 } as const;
