import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type APIMessage, type APIMessageTopLevelComponent, MessageFlags } from "discord.js";
import { z } from "zod";
import type { ThreadId } from "../../src/contract/incoming.ts";
import type { Documents } from "../../src/contract/store.ts";
import { CODE, type DiscordCalls, isRefusal } from "./calls.ts";

/** An interaction that Discord has told of, for as long as it takes answers. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
}

interface Open {
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
  readonly #open = new Map<string, Open>();

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

  /** Whoever did it can be told something alone in this thread for a while, once this is done by every process. */
  async opened(
    thread: ThreadId,
    person: string,
    interaction: Interaction,
    answered: Promise<boolean>,
    { isThinking }: { readonly isThinking: boolean },
  ): Promise<void> {
    const untilMs = performance.now() + OPEN_MS;
    const key = keyOf(thread, person);
    this.#open.set(interaction.token, { key, interaction, answered, untilMs, isThinking });
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_OPEN && oldest !== undefined) this.#open.delete(oldest);
    const { id, token } = interaction;
    await this.#parts.documents.set(nameOf(key), { id, token }, { ttlMs: OPEN_MS });
  }

  /** False where no interaction of theirs is open. */
  async whisper(
    thread: ThreadId,
    person: string,
    components: readonly APIMessageTopLevelComponent[],
  ): Promise<boolean> {
    const key = keyOf(thread, person);
    for (;;) {
      const open = this.#next(key);
      if (!open) return this.#sayForAnother(key, components);
      try {
        if (await open.answered.catch(() => false)) {
          await this.#say(open, components);
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

  /** Whoever waits longest is told first; where nobody waits, it stands below what they did last. */
  #next(key: string): Open | undefined {
    const now = performance.now();
    const theirs = [...this.#open.values()].filter(
      (open) => open.key === key && open.untilMs >= now,
    );
    return theirs.find(({ isThinking }) => isThinking) ?? theirs.at(-1);
  }

  async #say(open: Open, components: readonly APIMessageTopLevelComponent[]): Promise<void> {
    const body = { flags: WHISPER, components, allowed_mentions: SILENT };
    const hook = this.#hook(open.interaction);
    if (!open.isThinking) {
      await this.#parts.calls.call("post", hook, { body, auth: false });
      return;
    }
    open.isThinking = false;
    const edit = { ...body, flags: MessageFlags.IsComponentsV2 };
    await this.#parts.calls.call("patch", `${hook}/messages/@original`, {
      body: edit,
      auth: false,
    });
  }

  /** Of what they did last, another process was told. The first to say something takes the place of the thinking. */
  async #sayForAnother(
    key: string,
    components: readonly APIMessageTopLevelComponent[],
  ): Promise<boolean> {
    const { calls, documents } = this.#parts;
    const told = Told.safeParse(await documents.get(nameOf(key)).catch(() => undefined));
    if (!told.success) return false;
    const body = { flags: WHISPER, components, allowed_mentions: SILENT };
    for (const pauseMs of AGAIN_AFTER_MS) {
      await sleep(pauseMs, undefined, { ref: false });
      try {
        await calls.call("post", this.#hook(told.data), { body, auth: false });
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

function nameOf(key: string): string {
  return `told:${createHash("sha256").update(key).digest("base64url")}`;
}

function keyOf(thread: ThreadId, person: string): string {
  return `${thread} ${person}`;
}
