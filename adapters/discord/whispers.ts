import { type APIMessageTopLevelComponent, ComponentType, MessageFlags } from "discord.js";
import type { ThreadId } from "../../src/contract/incoming.ts";
import type { Answers } from "./answers.ts";
import type { DiscordCalls } from "./calls.ts";
import type { DiscordConnection } from "./connection.ts";
import { placeIn } from "./places.ts";
import { isDirect } from "./thread.ts";

export interface WhisperParts {
  readonly connection: DiscordConnection;
  readonly calls: DiscordCalls;
  readonly answers: Answers;
}

type Components = readonly APIMessageTopLevelComponent[];

/** What is for one person alone: where they have just clicked or typed something, or in the conversation of two. */
export class Whispers {
  readonly #parts: WhisperParts;
  readonly #channels = new Map<string, string>();

  constructor(parts: WhisperParts) {
    this.#parts = parts;
  }

  async say(thread: ThreadId, person: string, components: Components): Promise<void> {
    const { answers, calls } = this.#parts;
    if (await answers.whisper(thread, person, components)) return;
    const channel = await this.#channelOf(person);
    const body = {
      components: [...components, ...this.#originLine(thread)],
      flags: MessageFlags.IsComponentsV2,
      allowed_mentions: { parse: [] },
    };
    await calls.call("post", `/channels/${channel}/messages`, { body });
  }

  async #channelOf(person: string): Promise<string> {
    const known = this.#channels.get(person);
    if (known !== undefined) return known;
    const body = { recipient_id: person };
    const answer = await this.#parts.calls.call("post", "/users/@me/channels", { body });
    const { id } = answer as { id: string };
    this.#channels.set(person, id);
    return id;
  }

  /** In the conversation of two nobody knows what it is about. */
  #originLine(thread: ThreadId): Components {
    const place = placeIn(thread);
    if (isDirect(place)) return [];
    const isThere = this.#parts.connection.client.channels.cache.has(place.channel);
    const content = `-# About <#${isThere ? place.channel : place.parent}>`;
    return [{ type: ComponentType.TextDisplay, content }];
  }
}
