import { type APIInteraction, MessageFlags } from "discord.js";
import type { Receipt } from "../../../src/contract/platform/adapter.ts";
import type { Incoming, ThreadId } from "../../../src/contract/platform/incoming.ts";
import type { View } from "../../../src/contract/platform/view.ts";
import type { Log } from "../../../src/lib/log.ts";
import { userIn } from "../connection/payloads.ts";
import type { Receiving } from "../connection/receiving.ts";
import { render } from "../format.ts";
import { decodeThread } from "../thread.ts";
import { type Answers, type Interaction, RESPONSE, type Recipient } from "./answers.ts";

export interface TakingParts {
  readonly answers: Answers;
  readonly receiving: Receiving;
  readonly log: Log;
}

/** Discord gives three seconds, of which some are gone when we hear of it. */
const ANSWER_WITHIN_MS = 1_800;
/** For how long whoever has typed a command looks at "thinking …", when nothing is said to them alone. */
const THINKING_MS = 8_000;

export const COULD_NOT = "That did not work. Please try again.";

/** Hands over what was clicked or typed, and answers Discord in time. */
export class Taking {
  readonly #parts: TakingParts;

  constructor(parts: TakingParts) {
    this.#parts = parts;
  }

  /** Answers once the event is kept; or, where that takes too long, before Discord gives up. */
  async take(
    interaction: APIInteraction,
    thread: ThreadId,
    { id, isCommand }: { readonly id: string; readonly isCommand: boolean },
    read: () => Promise<Incoming>,
  ): Promise<void> {
    const { answers, receiving } = this.#parts;
    const person = userIn(interaction).id;
    const answered = Promise.withResolvers<boolean>();
    answered.promise.catch(() => undefined);
    // Whoever works on it may have something to say before Discord was answered.
    const open = (isThinking: boolean) =>
      answers
        .opened({ thread, person, about: id }, interaction, answered.promise, { isThinking })
        .catch(() => undefined);
    const opened = open(isCommand);
    const taking = receiving.take(decodeThread(thread).channel, id, async () => {
      await opened;
      return read();
    });
    taking.catch(() => undefined);
    const inTime = await within(taking, ANSWER_WITHIN_MS).catch(() => "late" as const);
    const refusal = inTime === "late" ? undefined : reasonOf(inTime);
    if (refusal !== undefined) void open(false);
    answered.resolve(await this.#answer(interaction, thread, { isCommand, refusal }));
    if (isCommand && refusal === undefined) this.#endThinking(thread, interaction);
    if (inTime === "late") await this.#afterAll(taking, { thread, person, about: id });
  }

  async #answer(
    interaction: Interaction,
    thread: ThreadId,
    { isCommand, refusal }: { readonly isCommand: boolean; readonly refusal: string | undefined },
  ): Promise<boolean> {
    const { answers, log } = this.#parts;
    const flags = MessageFlags.Ephemeral;
    try {
      if (refusal !== undefined)
        return await answers.respondWith(interaction, shown(thread, refusal));
      return isCommand
        ? await answers.respond(interaction, RESPONSE.thinking, { flags })
        : await answers.respond(interaction, RESPONSE.nothing);
    } catch (error) {
      log("warn", "Failed to respond to a Discord interaction in time.", { thread, error });
      return false;
    }
  }

  #endThinking(thread: ThreadId, interaction: Interaction): void {
    const { answers, log } = this.#parts;
    setTimeout(() => {
      answers.settle(interaction).catch((error: unknown) => {
        log("warn", "Failed to end the waiting state of a Discord interaction.", { thread, error });
      });
    }, THINKING_MS).unref();
  }

  /** It was acknowledged before it was kept. */
  async #afterAll(taking: Promise<Receipt | undefined>, to: Recipient) {
    const reason = await taking.then(reasonOf, () => COULD_NOT);
    if (reason !== undefined)
      await this.#parts.answers.whisper(to, { components: shown(to.thread, reason) });
  }
}

function reasonOf(receipt: Receipt | undefined): string | undefined {
  return receipt?.outcome === "ignored" ? receipt.reason : undefined;
}

function shown(thread: ThreadId, text: string) {
  const view: View = { kind: "notice", level: "warning", text };
  return render(view, { thread });
}

async function within<Value>(work: Promise<Value>, ms: number): Promise<Value | "late"> {
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  const timer = setTimeout(resolve, ms, "late");
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
