import { describe, expect, it } from "vitest";
import { DiscordBot } from "../../support/discord/bot.ts";
import { weather } from "../../support/discord/weather.ts";
import { say } from "../../support/model-server/replies.ts";
import { until } from "../../support/until.ts";

// The long form of what test/adapters/discord/weather.test.ts tries for some seconds.
describe("P-C4 P-C7 three minutes of a line that drops every five seconds, with a 429 at every third call", () => {
  it("and ten seconds of load: every mention is answered once", { timeout: 600_000 }, async () => {
    const seen = await weather({
      ...{ forMs: 180_000, dropEveryMs: 5_000, sayEveryMs: 2_500, busyMs: 10_000 },
    });
    expect(seen).toMatchObject({ missing: [], doubled: [] });
    expect(seen.drops).toBeGreaterThan(30);
  });
});

const AT_ONCE = 50;

// The long form of what test/adapters/discord/redelivery.test.ts tries with twenty of them.
describe("15.12 P-C3 ten thousand events, doubled and in another order", () => {
  it("of a thousand mentions, each told ten times, each is one thread and one turn", {
    timeout: 900_000,
  }, async () => {
    await using bot = await DiscordBot.start();
    bot.discord.rates.isEnforced = false;
    bot.model.script(() => say("Heard."));
    const ada = bot.discord.human({ username: "ada" });
    bot.discord.faults.copies = 10;
    const { channels } = bot.discord.world;
    let events = 0;
    for (let round = 0; round < 1_000 / AT_ONCE; round += 1) {
      bot.discord.faults.reorderNext(AT_ONCE);
      const said = Array.from({ length: AT_ONCE }, (_, number) =>
        ada.mentions(bot.channel, `number ${round}-${number}`),
      );
      for (const { message } of said) {
        await until(() => channels.has(message.id), "the thread", { withinMs: 120_000 });
        const channel = channels.get(message.id);
        if (!channel) throw new Error("The thread is gone.");
        await bot.shows(ada, channel, "Heard.");
        const thread = bot.threadAt(message.id);
        await bot.rests(thread);
        const answers = bot.sees(ada, channel).filter(({ text }) => text.includes("Heard."));
        expect(answers).toHaveLength(1);
        const lines = await bot.store.read(thread);
        expect(lines.filter(({ kind }) => kind === "message")).toHaveLength(1);
        expect(lines.filter(({ kind }) => kind === "turn.finished")).toHaveLength(1);
      }
      events += said
        .flatMap(({ deliveries }) => deliveries)
        .reduce((sum, { sent }) => sum + sent, 0);
    }
    expect(events).toBeGreaterThanOrEqual(10_000);
  });
});
