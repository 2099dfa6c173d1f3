import { LocalWorkspaces } from "./local-workspaces.ts";
import { tokensOf } from "./long-turn.ts";
import { say } from "./model-server/replies.ts";
import type { ModelServer, ModelServerOptions } from "./model-server/server.ts";
import { startModelServer } from "./model-server.ts";
import type { Room } from "./room.ts";
import { WholeBot } from "./whole-bot.ts";

interface Options {
  readonly wire: "chat" | "responses";
  /** How many tokens a request may have. */
  readonly inputTokens: number;
  readonly server?: ModelServerOptions;
}

/** A bot whose model has a small context, one thread, and what the model is asked in it. */
export class ArchivingBot implements AsyncDisposable {
  readonly model: ModelServer;
  readonly bot: WholeBot;
  readonly room: Room;
  readonly #workspaces: LocalWorkspaces;

  private constructor(model: ModelServer, bot: WholeBot, room: Room, workspaces: LocalWorkspaces) {
    this.model = model;
    this.bot = bot;
    this.room = room;
    this.#workspaces = workspaces;
  }

  static async start({ wire, inputTokens, server }: Options): Promise<ArchivingBot> {
    const model = await startModelServer(server);
    const workspaces = new LocalWorkspaces();
    const env = {
      ...model.env,
      LLM_API: wire,
      MODEL_CONTEXT_TOKENS: String(inputTokens + OUTPUT_TOKENS),
      MODEL_OUTPUT_TOKENS: String(OUTPUT_TOKENS),
      MODEL_RETRIES: "0",
    };
    const pace = { leastEditGapMs: 5, inboxHoldMs: 300 };
    const bot = await WholeBot.start({ env, workspaces: workspaces.port, pace });
    return new ArchivingBot(model, bot, await bot.room(), workspaces);
  }

  /** What the journal has of what was archived, oldest first. */
  async archived(): Promise<Record<string, unknown>[]> {
    const lines = await this.bot.store.read(this.room.thread);
    return lines.flatMap(({ kind, data }) =>
      kind === "archived" ? [data as Record<string, unknown>] : [],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bot[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
    this.#workspaces[Symbol.dispose]();
  }
}

const OUTPUT_TOKENS = 2_000;

/** Long answers come at once: how they are streamed is for other tests. */
export const WHOLE = { quirks: ["notStreamed"] } as const;

/** About a thousand tokens. */
export const LONG = "The wind blows from the west, and the sea is calm today. ".repeat(75);

/** Whose transcript has room for so many tokens. What the prompt and the tools take beside it changes, so it is measured. */
export async function startArchivingBot(wire: Options["wire"], roomTokens: number) {
  const inputTokens = (await fixedTokens()) + roomTokens;
  return { inputTokens, bot: await ArchivingBot.start({ wire, inputTokens }) };
}

async function fixedTokens(): Promise<number> {
  await using probe = await ArchivingBot.start({ wire: "chat", inputTokens: 90_000 });
  probe.model.script([say("Ready.")]);
  await probe.room.say("hello");
  await probe.room.sees("Ready.");
  const [first] = probe.model.requests;
  return first ? tokensOf(first) : 0;
}
