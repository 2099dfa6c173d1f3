import { describe, expect, it } from "vitest";
import { ArchivingBot, LONG, startArchivingBot, WHOLE } from "../support/archiving-bot.ts";
import { tokensOf } from "../support/long-turn.ts";
import { call, calls, say } from "../support/model-server/replies.ts";

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

  it.each(["chat", "responses"] as const)(
    "3.11 3.12 is less in a conversation for small contexts, where what was archived can be recalled at once, over %s",
    async (wire) => {
      await using bot = await ArchivingBot.start({ wire, inputTokens: 90_000 });
      const { model, room } = bot;
      await bot.bot.core.settings.change(room.thread, "smallContext", "on");
      const long = LONG.repeat(6);
      model.script(({ number }) => say(`Answer ${number}.`));
      for (let turn = 1; turn <= 6; turn += 1) {
        await room.say(turn === 1 ? `The word is FULMAR. ${long}` : `Question ${turn}? ${long}`);
        await room.sees(`Answer ${turn}.`);
        await room.ends(turn);
      }
      model.script([call("recall_history", { query: "fulmar" }), say("Found.")]);
      await room.say("What was the word?");
      await room.sees("Found.");
      const [asked, found] = model.requests.slice(-2);
      expect(asked?.tools).toContain("recall_history");
      expect(found?.results.at(-1)?.text).toContain("The word is FULMAR.");
      for (const request of model.requests) expect(tokensOf(request)).toBeLessThanOrEqual(32_000);
    },
  );

  it.each(["chat", "responses"] as const)(
    "3.12 has room for the note on what was archived, however exactly the rest fits, over %s",
    async (wire) => {
      const roomTokens = 3_000;
      const { bot } = await startArchivingBot(wire, roomTokens);
      await using _ = bot;
      const { model } = bot;
      for (let tokens = roomTokens - 800; tokens <= roomTokens; tokens += 50) {
        const room = await bot.bot.room();
        model.script([say(`Hi. ${LONG}`, WHOLE), say("Counted.")]);
        await room.say("hello");
        await room.sees("Hi.");
        await room.ends(1);
        // One token each.
        await room.say(" one".repeat(tokens));
        await room.sees("Counted.");
        await room.ends(2);
      }
      expect(bot.bot.problems).toEqual([]);
    },
  );

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
