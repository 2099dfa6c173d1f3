import type { Presence } from "../contract/platform/actor.ts";
import type { Incoming } from "../contract/platform/incoming.ts";
import type { AskedMessage } from "../journal/conversation-lines.ts";

/** What can be a command: words said to the bot, and buttons that stand for words. */
export type Commanding = Extract<Incoming, { type: "message" | "command" | "click" }>;

export type CommandOutcome =
  /** It is none: what was said is for the model. */
  | { readonly kind: "none" }
  /** Answered already, to whom it concerned. */
  | { readonly kind: "done" }
  /** A human's own call. It runs in a turn of its own. */
  | { readonly kind: "direct"; readonly call: NonNullable<AskedMessage["call"]> }
  /** For the model, but in a turn of its own. */
  | { readonly kind: "queue"; readonly text: string }
  | { readonly kind: "stop" };

/** The words that are no work for a model. May be asked twice about the same, where the bot went down meanwhile. */
export interface Commands {
  handle(incoming: Commanding, presence: Presence): Promise<CommandOutcome>;
}
