import { createHash } from "node:crypto";
import type { Actor, Place } from "../../contract/platform/actor.ts";
import type { ThreadId } from "../../contract/platform/incoming.ts";
import type { FileShare, View, ViewButton } from "../../contract/platform/view.ts";
import { verbAction } from "../../contract/platform/view-actions.ts";
import type { DirectCall } from "./arguments.ts";
import type { CommandDeps } from "./deps.ts";
import type { Args, Usage } from "./forms.ts";

/** Something that was said to the bot, with who said it as they are now. */
export interface Asked {
  readonly conversation: ThreadId;
  /** The same for every redelivery: what it brings about is named by it. */
  readonly event: string;
  readonly actor: Actor;
  readonly place: Place;
}

/** What people have to be allowed for a verb. */
type VerbAct =
  | "talk"
  | "command"
  | "readThread"
  | "stop"
  | "changeSettings"
  | "autoApprove"
  | "admin";

export interface Answer {
  /** For whoever asked: whispered where they came by a private door. */
  readonly views?: readonly View[];
  readonly files?: readonly FileShare[];
  /** Of interest to the person who asked only: whispered from every door, where the platform can. */
  readonly isPrivate?: boolean;
  /** For everybody in the thread, whatever the door. */
  readonly announced?: readonly View[];
  /** To be made in turns of their own, one after another. */
  readonly calls?: readonly DirectCall[];
  /** The open turn ends. */
  readonly stops?: true;
}

/** One way to say a verb, and what it does. */
export interface Form extends Usage {
  readonly summary: string;
  readonly act: VerbAct;
  /** False: it is the same in every thread, and can be asked without one. */
  readonly needsThread?: false;
  readonly run: (deps: CommandDeps, asked: Asked, args: Args) => Promise<Answer>;
}

export interface Verb {
  readonly name: string;
  readonly forms: readonly [Form, ...Form[]];
}

/** Something that cannot be done. The message is for whoever asked, and says what to do instead. */
export class CommandRefusedError extends Error {
  override readonly name = "CommandRefusedError";
}

/** A button that says a verb: `button("Older", "terminal", "history", "2")`. */
export function button(
  label: string,
  [verb, ...words]: readonly [string, ...string[]],
  style?: ViewButton["style"],
): ViewButton {
  const action = verbAction(verb, words.length === 0 ? undefined : words.join(":"));
  return { action, label, ...(style === undefined ? {} : { style }) };
}

export function notice(
  text: string,
  {
    level = "info",
    buttons,
  }: { level?: "info" | "warning" | "error"; buttons?: readonly ViewButton[] } = {},
): View {
  return { kind: "notice", level, text, ...(buttons === undefined ? {} : { buttons }) };
}

export const saying = (text: string, ...buttons: readonly ViewButton[]): Answer => ({
  views: [notice(text, buttons.length === 0 ? {} : { buttons })],
});

/** The id of a call that an event brings about: after a crash the same event makes the same call. */
export function idOf(what: string, event: string): string {
  return `${what}-${createHash("sha256").update(event).digest("hex").slice(0, 32)}`;
}
