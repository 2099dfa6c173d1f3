import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../../src/contract/store.ts";
import { createAdmission } from "../../../src/intake/admit.ts";
import { Journal } from "../../../src/journal/journal.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";
import { DiscordBot } from "../../support/discord/bot.ts";
import { DiscordServer } from "../../support/discord/server.ts";
import { discordAdapter } from "../../support/discord-rig.ts";
import { say } from "../../support/model-server/replies.ts";
import { caseCount } from "../../support/thorough.ts";
import { until } from "../../support/until.ts";

const directory = makeDataDirectory("discord-redelivery");
let store: Store;
beforeEach(async () => {
  const file = join(directory, `${crypto.randomUUID()}.sqlite`);
  store = await openStore({ kind: "sqlite", file });
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

describe("15.12 P-C3 events that come again, twice and in another order", () => {
  it("of many mentions, each told about four times to two processes, each counts once and none is lost", async () => {
    const mentions = caseCount({ perChange: 200, all: 2_700 });
    const discord = await DiscordServer.start();
    const ada = discord.human({ username: "ada" });
    const thread = ada.startsThread(discord.channel(), "A thread");
    const receive = createAdmission({
      store,
      journal: new Journal(store),
      authorize: () => ({ allowed: true }),
      onAdmitted: () => undefined,
    });
    const replicas = Array.from({ length: 2 }, () =>
      discordAdapter(discord, { documents: store.documents("discord"), log: () => undefined }),
    );
    for (const adapter of replicas) await adapter.start(receive);
    discord.faults.copies = 2;
    for (let number = 0; number < mentions; number += 1) {
      if (number % 100 === 0) discord.faults.reorderNext(10);
      ada.mentions(thread, `do number ${number}`);
      if (number % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const messages = discord.world.messages(thread.id).map(({ id }) => id);
    const isKept = () => replicas.every((adapter) => messages.every((id) => adapter.hasKept(id)));
    await until(isKept, "all of them", { withinMs: 150_000 });
    const sent = discord.events.all.reduce((sum, one) => sum + one.sent, 0);
    expect(sent * replicas.length).toBeGreaterThanOrEqual(3.7 * mentions);
    const rows = await store.inbox.pending();
    expect(rows).toHaveLength(mentions);
    expect(new Set(rows.map(({ data }) => (data as { text: string }).text)).size).toBe(mentions);
    for (const adapter of replicas) await adapter[Symbol.asyncDispose]();
    await discord[Symbol.asyncDispose]();
    expect(discord.problems).toEqual([]);
  });

  it("each mention is one thread, one turn and one answer of the whole bot", async () => {
    await using bot = await DiscordBot.start();
    bot.discord.rates.isEnforced = false;
    bot.model.script(() => say("Heard."));
    const ada = bot.discord.human({ username: "ada" });
    bot.discord.faults.copies = 3;
    bot.discord.faults.reorderNext(20);
    const said = Array.from({ length: 20 }, (_, number) =>
      ada.mentions(bot.channel, `number ${number}`),
    );
    for (const { message } of said) {
      const { channels } = bot.discord.world;
      await until(() => channels.has(message.id), "the thread");
      const channel = channels.get(message.id);
      if (!channel) throw new Error("The thread is gone.");
      const thread = bot.threadAt(message.id);
      await bot.shows(ada, channel, "Heard.");
      await bot.rests(thread);
      const answers = bot.sees(ada, channel).filter(({ text }) => text.includes("Heard."));
      expect(answers).toHaveLength(1);
      const lines = await bot.store.read(thread);
      expect(lines.filter(({ kind }) => kind === "message")).toHaveLength(1);
    }
  });
});
