import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Core } from "../../../src/app/core.ts";
import { type Config, readConfig } from "../../../src/config.ts";
import type { Store } from "../../../src/contract/store.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { startBot } from "../../support/bot.ts";
import { ADA, startTwin } from "../../support/discord/twin.ts";
import { call, type Reply, say } from "../../support/model-server/replies.ts";
import type { ModelServer } from "../../support/model-server/server.ts";
import { startModelServer } from "../../support/model-server.ts";
import { until } from "../../support/until.ts";
import { NotedWorkspaces } from "../../support/web-bot.ts";

let discord: Awaited<ReturnType<typeof startTwin>>;
let twin: typeof discord.twin;
let model: ModelServer;
let config: Config;
let store: Store;
let core: Core;
const workspaces = new NotedWorkspaces();
const problems: string[] = [];

async function start(): Promise<void> {
  const adapter = discord.adapter(store.documents("discord"));
  core = await startBot({
    ...{ config, store, adapter, workspaces: workspaces.port, problems },
    pace: { leastEditGapMs: 5, inboxHoldMs: 300 },
  });
}

beforeAll(async () => {
  discord = await startTwin();
  ({ twin } = discord);
  model = await startModelServer();
  config = readConfig({ ...model.env, DECKHAND_DATA_DIR: workspaces.directory });
  store = await openStore(config.store);
  await start();
});
afterAll(async () => {
  await core[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await twin.stop();
  workspaces[Symbol.dispose]();
});

/** Somebody talks with the whole bot in a thread of the twin. */
class TwinThread {
  readonly channel: string;
  readonly #thread: string;

  constructor() {
    const { channel, thread } = discord.newThread();
    this.channel = channel;
    this.#thread = thread;
  }

  async says(content: string): Promise<void> {
    await twin.simulateUserMessage({ channelId: this.channel, userId: ADA, content });
  }

  async mentions(text: string, replies: readonly Reply[]): Promise<void> {
    model.script(replies);
    await this.says(`<@${twin.botUserId}> ${text}`);
  }

  /** What stands in the thread, as Discord keeps it. */
  async stands(): Promise<string> {
    return JSON.stringify(await twin.channel(this.channel).getMessages());
  }

  async sees(words: string): Promise<void> {
    const isThere = async () => (await this.stands()).includes(words);
    await until(isThere, words).catch(async (cause: unknown) => {
      throw new Error(`${words}: ${problems.join()} ${await this.stands()}`, { cause });
    });
  }

  /** The message that has a button, and what the button says to the bot. */
  async button(label: string): Promise<{ messageId: string; customId: string }> {
    await this.sees(`"label":"${label}"`);
    for (const message of await twin.channel(this.channel).getMessages()) {
      const customId = customIdOf(message, label);
      if (customId !== undefined) return { messageId: message.id, customId };
    }
    throw new Error(`There is no button ${label}.`);
  }

  async clicks(label: string): Promise<string> {
    const { messageId, customId } = await this.button(label);
    const who = { channelId: this.channel, userId: ADA, messageId };
    await twin.simulateButtonClick({ ...who, customId });
    return customId;
  }

  begun(): string[] {
    const here = workspaces.begun.filter(({ conversation }) => conversation === this.#thread);
    return here.map(({ call: { args } }) => String(args.operation));
  }
}

/** Wherever in the components of a message it stands. */
function customIdOf(value: unknown, label: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if ("label" in value && value.label === label && "custom_id" in value)
    return String(value.custom_id);
  for (const part of Object.values(value)) {
    const found = customIdOf(part, label);
    if (found !== undefined) return found;
  }
  return undefined;
}

const remove = call("file_operations", { operation: "delete_file", filePath: "a.txt" });

describe("the whole bot on somebody else's Discord", () => {
  it("answers a mention, keeps its todos on one board, and hears what follows", async () => {
    const thread = new TwinThread();
    const todo = { id: 1, title: "Look at the logs", status: "in-progress", description: "All." };
    await thread.mentions("what is wrong?", [
      call("todo_operations", { operation: "write", todoList: [todo] }),
      say("Nothing is wrong."),
      say("Still nothing."),
    ]);
    await thread.sees("Look at the logs");
    await thread.sees("Nothing is wrong.");
    await thread.says("and now?");
    await thread.sees("Still nothing.");
    const all = await twin.channel(thread.channel).getMessages();
    const boards = all.filter((message) => JSON.stringify(message).includes("Todos 0/1"));
    expect(boards).toHaveLength(1);
  });

  it("waits for a click, also through a restart, and runs what was approved once", async () => {
    const thread = new TwinThread();
    await thread.mentions("delete a.txt", [remove, say("It is gone.")]);
    await thread.button("Approve once");
    expect(thread.begun()).toEqual([]);
    await core[Symbol.asyncDispose]();
    await start();
    await thread.clicks("Approve once");
    await thread.sees("It is gone.");
    expect(thread.begun()).toEqual(["delete_file"]);
  });

  it("does nothing of what was denied", async () => {
    const thread = new TwinThread();
    await thread.mentions("delete a.txt", [remove, say("Then I leave it.")]);
    await thread.clicks("Deny");
    await thread.sees("Then I leave it.");
    expect(thread.begun()).toEqual([]);
  });

  it("asks a question, and takes the answer from the window", async () => {
    const thread = new TwinThread();
    const question = call("user_collaboration", { prompt: "Which port?" });
    await thread.mentions("start it", [question, say("Port 80 it is.")]);
    const customId = await thread.clicks("Answer");
    const fields = [{ customId: "typed", value: "80" }];
    const who = { channelId: thread.channel, userId: ADA };
    await twin.simulateModalSubmit({ ...who, customId, fields });
    await thread.sees("Port 80 it is.");
    expect(model.requests.at(-1)?.results.at(-1)?.text).toContain("80");
  });

  it("stops at a slash command", async () => {
    const thread = new TwinThread();
    await thread.mentions("delete a.txt", [remove, say("Never said.")]);
    await thread.button("Approve once");
    const who = { channelId: thread.channel, userId: ADA };
    await twin.simulateSlashCommand({
      ...{ ...who, name: "deckhand" },
      options: [{ type: 1, name: "stop" }],
    });
    await thread.sees("Stopped");
    expect(thread.begun()).toEqual([]);
    expect(problems).toEqual([]);
  });
});
