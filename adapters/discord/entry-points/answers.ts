import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type APIMessage, type APIMessageTopLevelComponent, MessageFlags } from "discord.js";
import { z } from "zod";
import type { ThreadId } from "../../../src/contract/platform/incoming.ts";
import type { Documents } from "../../../src/contract/store.ts";
import { BoundedMap } from "../../../src/lib/bounded.ts";
import { CODE, type DiscordCalls, isRefusal } from "../connection/calls.ts";

/** An interaction that Discord has told of, for as long as it takes answers. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
}

/** What a message shows. */
export interface Content {
  readonly components: readonly APIMessageTopLevelComponent[];
  readonly files?: {
    readonly data: Uint8Array;
    readonly name: string;
    readonly contentType: string;
  }[];
}

/** A person, and the event that they are to be answered. */
export interface Recipient {
  readonly thread: ThreadId;
  readonly person: string;
  /** Undefined: nothing of what they did is answered. */
  readonly about?: string | undefined;
}

interface Open {
  /** The event as which it was handed over. */
  readonly event: string;
  readonly key: string;
  readonly interaction: Interaction;
  /** Resolves once the first answer has arrived. */
  readonly answered: Promise<boolean>;
  readonly untilMs: number;
  /** Somebody looks at "thinking …" until something else stands there. */
  isThinking: boolean;
}

/** Discord takes answers for 15 minutes. */
const OPEN_MS = 14 * 60_000;
const MOST_OPEN = 5_000;
/** Whoever was told of it has three seconds for the first answer; before that, nobody can say more. */
const AGAIN_AFTER_MS = [0, 200, 400, 800, 1_600];

const Told = z.object({ id: z.string(), token: z.string() });

export interface AnswerParts {
  readonly calls: DiscordCalls;
  readonly documents: Documents;
  readonly application: () => string;
}

const WHISPER = MessageFlags.Ephemeral | MessageFlags.IsComponentsV2;
const SILENT = { parse: [] };

export const RESPONSE = { message: 4, thinking: 5, nothing: 6, choices: 8, window: 9 } as const;

/** Answers to what people click and type, which only they see. Nothing that has to last is said here. */
export class Answers {
  readonly #parts: AnswerParts;
  /** By their tokens, the oldest first. */
  readonly #open = new BoundedMap<string, Open>(MOST_OPEN);

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /** The first answer. False: it came too late, or another process was first. */
  async respond({ id, token }: Interaction, type: number, data?: object): Promise<boolean> {
    const body = data === undefined ? { type } : { type, data };
    try {
      // The token in the address is enough; and nobody waits for the limits of anything else.
      await this.#parts.calls.call("post", `/interactions/${id}/${token}/callback`, {
        body,
        auth: false,
      });
      return true;
    } catch (error) {
      if (isRefusal(error, CODE.answeredAlready, CODE.unknownInteraction)) return false;
      throw error;
    }
  }

  respondWith(interaction: Interaction, components: readonly APIMessageTopLevelComponent[]) {
    const data = { flags: WHISPER, components, allowed_mentions: SILENT };
    return this.respond(interaction, RESPONSE.message, data);
  }

  /** From here on every process can answer this event for a while. */
  async opened(
    { thread, person, about: event }: Recipient & { readonly about: string },
    interaction: Interaction,
    answered: Promise<boolean>,
    { isThinking }: { readonly isThinking: boolean },
  ): Promise<void> {
    const untilMs = performance.now() + OPEN_MS;
    const key = keyOf(thread, person);
    this.#open.set(interaction.token, { event, key, interaction, answered, untilMs, isThinking });
    const { id, token } = interaction;
    await this.#parts.documents.set(nameOf(key, event), { id, token }, { ttlMs: OPEN_MS });
  }

  /** False where no interaction of theirs is open that this may stand at. */
  async whisper(to: Recipient, content: Content): Promise<boolean> {
    for (;;) {
      const open = this.#openFor(to);
      if (!open) return this.#sayForAnother(to, content);
      try {
        if (await open.answered.catch(() => false)) {
          await this.#say(open, content);
          return true;
        }
      } catch (error) {
        if (!isRefusal(error, CODE.invalidToken, CODE.unknownWebhook)) throw error;
      }
      this.#open.delete(open.interaction.token);
    }
  }

  /** Nothing more is said to them alone: then nobody is left thinking. */
  async settle({ token }: Interaction): Promise<void> {
    const open = this.#open.get(token);
    if (!open?.isThinking) return;
    if (!(await open.answered.catch(() => false)) || !open.isThinking) return;
    open.isThinking = false;
    const original = `${this.#hook(open.interaction)}/messages/@original` as const;
    const shown = (await this.#parts.calls.call("get", original, { auth: false })) as APIMessage;
    // Another process may have said something.
    if (((shown.flags ?? 0) & MessageFlags.Loading) === 0) return;
    await this.#parts.calls.call("delete", original, { auth: false });
  }

  /** The interaction of the event itself; for what came without one, the last of theirs that waits for nothing. */
  #openFor({ thread, person, about }: Recipient): Open | undefined {
    const now = performance.now();
    const key = keyOf(thread, person);
    const theirs = [...this.#open.values()].filter(
      (open) => open.key === key && open.untilMs >= now,
    );
    const own = theirs.findLast(({ event }) => event === about);
    return own ?? theirs.findLast(({ isThinking }) => !isThinking);
  }

  async #say(open: Open, content: Content): Promise<void> {
    const data = privately(content);
    const hook = this.#hook(open.interaction);
    if (!open.isThinking) {
      await this.#parts.calls.call("post", hook, data);
      return;
    }
    open.isThinking = false;
    const body = { ...data.body, flags: MessageFlags.IsComponentsV2 };
    await this.#parts.calls.call("patch", `${hook}/messages/@original`, { ...data, body });
  }

  /** Another process heard of the event. The first to say something takes the place of the thinking. */
  async #sayForAnother({ thread, person, about }: Recipient, content: Content): Promise<boolean> {
    const { calls, documents } = this.#parts;
    if (about === undefined) return false;
    const name = nameOf(keyOf(thread, person), about);
    const told = Told.safeParse(await documents.get(name).catch(() => undefined));
    if (!told.success) return false;
    const data = privately(content);
    for (const pauseMs of AGAIN_AFTER_MS) {
      await sleep(pauseMs, undefined, { ref: false });
      try {
        await calls.call("post", this.#hook(told.data), data);
        return true;
      } catch (error) {
        if (isRefusal(error, CODE.invalidToken)) return false;
        if (!isRefusal(error, CODE.unknownWebhook)) throw error;
      }
    }
    return false;
  }

  #hook({ token }: Interaction): `/${string}` {
    return `/webhooks/${this.#parts.application()}/${token}`;
  }
}

function privately({ components, files }: Content) {
  const body = { flags: WHISPER, components, allowed_mentions: SILENT };
  return { body, ...(files ? { files } : {}), auth: false };
}

function nameOf(key: string, event: string): string {
  return `told:${createHash("sha256").update(`${key} ${event}`).digest("base64url")}`;
}

function keyOf(thread: ThreadId, person: string): string {
  return `${thread} ${person}`;
}
