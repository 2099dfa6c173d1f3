import type { ThreadId } from "../../../src/contract/platform/incoming.ts";
import type { Given } from "./slash.ts";
import type { DiscordMember } from "./world.ts";

/** Where a thread is on Discord: a thread is a channel of its own, and so is a conversation of two. */
export interface DiscordPlace {
  /** "@me" for a conversation of two, as in Discord's own links. A ThreadId takes no "@": write something else there. */
  readonly guild: string;
  readonly channel: string;
}

export interface DiscordNames {
  encode(place: DiscordPlace & { readonly parent?: string }): ThreadId;
  decode(thread: string): DiscordPlace;
  /** The emoji of a sign at a message. */
  readonly signs: Readonly<Record<string, string>>;
  /** The slash command that stands for these words. */
  command(text: string): { readonly words: string; readonly options?: Given };
  /** The action that a custom_id or an option's value stands for. Default: itself. */
  action?(value: string): string;
  /** The adapter's name of a post. Default: the message's id. */
  post?(message: { readonly channel: string; readonly id: string }): string;
  /** Discord is never told that a message has arrived: the adapter's own word for it, by the message's id. */
  hasKept?(messageId: string): boolean;
  /** What makes somebody a guest for the adapter. Default: Discord's own flag. */
  guest?: Partial<DiscordMember>;
}
