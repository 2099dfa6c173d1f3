import { describe, expect, it } from "vitest";
import { ArchivingBot, LONG, startArchivingBot, WHOLE } from "../support/archiving-bot.ts";
import { tokensOf } from "../support/long-turn.ts";
import { calls, say } from "../support/model-server/replies.ts";

describe("how much the model is sent", () => {
  it("3.12 goes by what its server reports, where that is more than we count", async () => {
    const { bot, inputTokens } = await startArchivingBot("chat", 20_000);
    await using _ = bot;
    const { model, room } = bot;
    model.script((request) =>
      say(`Answer ${request.number}. ${LONG}`, {
        ...WHOLE,
        usage: { input: tokensOf(request) * 2 },
      }),
    );
    for (let turn = 1; turn <= 20; turn += 1) {
      await room.say(`Question ${turn}?`);
      await room.sees(`Answer ${turn}.`);
      await room.ends(turn);
    }
    expect((await bot.archived()).length).toBeGreaterThan(0);
    // By its own count it was never given more than it takes.
    for (const request of model.requests) {
      expect(tokensOf(request) * 2).toBeLessThanOrEqual(inputTokens);
    }
  });

  it("is less in a conversation for small contexts, whatever the model could take", async () => {
    await using bot = await ArchivingBot.start({ wire: "chat", inputTokens: 90_000 });
    const { model, room } = bot;
    await bot.bot.core.settings.change(room.thread, "smallContext", "on");
    const long = LONG.repeat(6);
    model.script(({ number }) => say(`Answer ${number}.`));
    for (let turn = 1; turn <= 6; turn += 1) {
      await room.say(`Question ${turn}? ${long}`);
      await room.sees(`Answer ${turn}.`);
      await room.ends(turn);
    }
    expect((await bot.archived()).length).toBeGreaterThan(0);
    for (const request of model.requests) {
      expect(tokensOf(request)).toBeLessThanOrEqual(32_000);
    }
  });

  it("never leaves a step without its results, however long they are together", async () => {
    const { bot, inputTokens } = await startArchivingBot("responses", 2_000);
    await using _ = bot;
    const { model, room } = bot;
    const query = LONG.slice(0, 1_500);
    const search = (index: number) =>
      ["memory_operations", { operation: "search_memory", query: `${index} ${query}` }] as const;
    model.script([calls([1, 2, 3, 4, 5, 6, 7, 8].map(search), WHOLE), say("That was a lot.")]);
    await room.say("Look for much at once.");
    await room.sees("That was a lot.");
    expect((await bot.archived())[0]).toHaveProperty("shortened");
    expect(model.requests[1]?.results).toHaveLength(8);
    for (const request of model.requests) {
      expect(tokensOf(request)).toBeLessThanOrEqual(inputTokens);
    }
    expect(model.problems).toEqual([]);
  });
});
