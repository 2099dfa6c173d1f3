import { describe, expect, it } from "vitest";
import { say } from "../../support/model-server/replies.ts";
import { SlackBot } from "../../support/slack-bot.ts";
import { weather } from "../../support/slack-weather.ts";
import { until } from "../../support/until.ts";

// The long form of what test/adapters/slack/rough-weather.test.ts tries for some seconds.
describe("P-C4 P-C7 three minutes of a line that drops every five seconds, with a 429 at every third call", () => {
  it("and ten seconds of a busy process: every mention is answered once", {
    timeout: 600_000,
  }, async () => {
    const often = { dropEveryMs: 5_000, sayEveryMs: 2_500 };
    const seen = await weather({ forMs: 180_000, busyMs: 10_000, ...often });
    expect(seen).toMatchObject({ missing: [], doubled: [] });
    expect(seen.drops).toBeGreaterThanOrEqual(34);
    expect(seen.refused).toBeGreaterThan(100);
    expect(seen.slices).toBeGreaterThanOrEqual(20);
  });
});

// The long form of what test/adapters/slack/redelivery.test.ts tries with thirty of them.
describe("15.12 P-C3 ten thousand events, redelivered, doubled and in another order", () => {
  it("of a thousand mentions, each told ten times, each is one turn", {
    timeout: 900_000,
  }, async () => {
    await using bot = await SlackBot.start({ ackMs: 60_000 });
    bot.slack.rates.isEnforced = false;
    bot.model.script(() => say("Heard."));
    const ada = bot.human();
    // As a message and as a mention, and each of them five times.
    bot.slack.faults.copies = 5;
    let events = 0;
    for (let round = 0; round < 20; round += 1) {
      bot.slack.faults.reorderNext(500);
      const said = Array.from({ length: 50 }, (_, number) =>
        ada.says(bot.channel, `number ${round}-${number}`, { mention: true }),
      );
      for (const { deliveries } of said) await bot.arrived(deliveries);
      events += said
        .flatMap(({ deliveries }) => deliveries)
        .reduce((sum, { attempts }) => sum + attempts, 0);
      for (const { message } of said) {
        const thread = bot.threadAt(message.ts);
        const answers = () =>
          bot.sees(ada, message.ts).filter(({ text }) => text.includes("Heard.")).length;
        await until(() => answers() > 0, "the answer", { withinMs: 120_000 });
        await bot.rests(thread);
        expect(answers()).toBe(1);
        const lines = await bot.store.read(thread);
        expect(lines.filter(({ kind }) => kind === "message")).toHaveLength(1);
        expect(lines.filter(({ kind }) => kind === "turn.finished")).toHaveLength(1);
      }
    }
    expect(events).toBeGreaterThanOrEqual(10_000);
  });
});
