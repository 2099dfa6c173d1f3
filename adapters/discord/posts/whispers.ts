import { createHash, randomUUID } from "node:crypto";
import { type APIMessageTopLevelComponent, ComponentType, MessageFlags } from "discord.js";
import type { ThreadId } from "../../../src/contract/platform/incoming.ts";
import { createMessage, type DiscordCalls, NONCE_CHARS } from "../connection/calls.ts";
import type { DiscordConnection } from "../connection/connection.ts";
import type { Answers, Content, Recipient } from "../entry-points/answers.ts";
import { placeIn } from "../places/places.ts";
import { isDirect } from "../thread.ts";

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

  async say(to: Recipient, content: Content): Promise<void> {
    const { answers, calls } = this.#parts;
    if (await answers.whisper(to, content)) return;
    const channel = await this.#channelOf(to.person);
    const components = [...content.components, ...this.#originLine(to.thread)];
    const { files } = content;
    await createMessage(calls, channel, {
      body: { components, flags: MessageFlags.IsComponentsV2 },
      nonce: nonceFor(to, content),
      ...(files ? { files } : {}),
    });
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

/** The same answer to the same event is one message, however often it is tried; without an event every one counts. */
function nonceFor({ thread, person, about }: Recipient, { components, files }: Content): string {
  const names = files?.map(({ name }) => name);
  const words = JSON.stringify([thread, person, about ?? randomUUID(), components, names]);
  return createHash("sha256").update(words).digest("base64url").slice(0, NONCE_CHARS);
}
