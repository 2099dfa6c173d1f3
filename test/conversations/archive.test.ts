import { describe, expect, it } from "vitest";
import { Journal } from "../../src/journal/journal.ts";
import { ArchivingBot, LONG, startArchivingBot, WHOLE } from "../support/archiving-bot.ts";
import { FACT, longTurn, sharedPrefixes, tokensOf } from "../support/long-turn.ts";
import { call, refuse, say } from "../support/model-server/replies.ts";
import type { SeenRequest } from "../support/model-server/seen.ts";
import type { Room } from "../support/room.ts";
import { shareOfWires } from "../support/wires.ts";

const WIRES = shareOfWires(0);

const NOTE = "Memory status:";

/** Which question it is. */
function numberOf(text: string | undefined): string | undefined {
  return /Question (\d+)/.exec(text ?? "")?.[1];
}

const knows = (request: SeenRequest | undefined, text: string) =>
  request?.text.includes(text) === true;

describe.each(WIRES)("a conversation that becomes long, over the %s wire", (wire) => {
  it("3.11, 3.12 archives its first messages, tells the model, and lets it recall a word from them", async () => {
    const { bot, inputTokens } = await startArchivingBot(wire, 9_000);
    await using _ = bot;
    const { model, room } = bot;
    model.script(({ users }) => {
      const asked = users.findLast((text) => text.includes("Question")) ?? "";
      if (!asked.includes("word?")) return say(`Answer to ${numberOf(asked)}. ${LONG}`, WHOLE);
      const given = model.requests.at(-1)?.results.at(-1)?.text;
      return given?.includes("ALBATROSS")
        ? say("It was found.")
        : call("recall_history", { query: "albatross" });
    });
    for (let turn = 1; turn <= 20; turn += 1) {
      const fact = turn === 2 ? " The word is ALBATROSS." : "";
      await room.say(`Question ${turn}?${fact}`);
      await room.sees(`Answer to ${turn}.`);
      await room.ends(turn);
    }
    const archived = await bot.archived();
    expect(archived.length).toBeGreaterThanOrEqual(2);
    expect(archived[0]).toMatchObject({
      summary: expect.stringContaining("Question 1?"),
      topics: expect.objectContaining({ length: 5 }),
      messages: expect.any(Number),
      tokens: expect.any(Number),
    });
    await room.say("Question 21: what was the word?");
    await room.sees("It was found.");
    await room.ends(21);

    const asked = model.requests.at(-2);
    expect(knows(asked, "ALBATROSS")).toBe(false);
    expect(asked?.users.some((text) => text.includes(NOTE))).toBe(true);
    expect(knows(model.requests[0], NOTE)).toBe(false);
    for (const request of model.requests) {
      expect(tokensOf(request)).toBeLessThanOrEqual(inputTokens);
    }
    expect(model.problems).toEqual([]);
    // People still have all of it, in the thread and by a verb; the model's view is what has become short.
    expect(room.texts().join("\n")).toContain("Answer to 1.");
    const state = await bot.bot.core.conversations.state(room.thread);
    expect(state.transcript.length).toBeLessThan(30);
  });

  it("3.11 others of its topic recall it, a foreign topic is refused, and so is a limit of eleven", async () => {
    const { bot } = await startArchivingBot(wire, 6_000);
    await using _ = bot;
    const { model, room } = bot;
    const join = async (to: Room) => {
      await to.say("topic join Harbour");
      await to.sees("in the topic harbour");
    };
    await join(room);
    model.script(({ number }) => say(`Answer ${number}. ${LONG}`, WHOLE));
    for (let turn = 1; turn <= 8; turn += 1) {
      await room.say(turn === 1 ? "Where is the SHEARWATER?" : `Question ${turn}?`);
      await room.sees(`Answer ${turn}.`);
      await room.ends(turn);
    }
    expect((await bot.archived()).length).toBeGreaterThan(0);

    const other = await bot.bot.room();
    const recall = (more: object) => call("recall_history", { query: "shearwater", ...more });
    const asked = [recall({ topic_id: "harbour" }), recall({ limit: 11 }), recall({}), say("Hm.")];
    model.script(asked);
    await other.say("look it up");
    await other.sees("Hm.");
    await other.ends(1);
    const [foreign, tooMany, own] = model.requests.at(-1)?.results.map(({ text }) => text) ?? [];
    expect(foreign).toContain("Error (permissionDenied)");
    expect(tooMany).toContain("Error (invalidParameters)");
    expect(own).toContain("Nothing has been archived yet");

    await join(other);
    model.script([recall({ topic_id: "harbour" }), say("There it is.")]);
    await other.say("and now?");
    await other.sees("There it is.");
    expect(model.requests.at(-1)?.results.at(-1)?.text).toContain("SHEARWATER");
  });

  it("3.12 one turn of many steps stays within the budget, keeps its request in view and recalls an early fact", async () => {
    const contextTokens = 36_000;
    const { requests, problems, archivings, recalled } = await longTurn({
      wire,
      steps: 60,
      contextTokens,
      outputTokens: 2_000,
      withinMs: 60_000,
    });
    expect(problems).toEqual([]);
    expect(archivings).toBeGreaterThanOrEqual(2);
    expect(recalled).toContain(FACT);
    expect(requests).toHaveLength(61);
    for (const request of requests) {
      expect(tokensOf(request)).toBeLessThanOrEqual(contextTokens - 2_000);
      expect(request.users.some((text) => text.includes("Go through the logs"))).toBe(true);
    }
    // All but the requests after a cut begin with what was sent before.
    expect(sharedPrefixes(requests).share).toBeGreaterThan(0.85);
  });

  it("3.12 a message that alone is too long is cut with a note, and the model can read the rest", async () => {
    const { bot, inputTokens } = await startArchivingBot(wire, 4_000);
    await using _ = bot;
    const { model, room } = bot;
    const rest = `${LONG.repeat(8)} The end is PELICAN. ${LONG.repeat(8)}`;
    model.script(({ users, results, text }) => {
      const id = /toolCallId[\\":]+(whole-[0-9a-f]+)/.exec(users.join("\n"))?.[1] ?? "";
      const offset = rest.indexOf("The end is") - 200;
      if (results.length === 0) {
        return call("read_tool_result", { toolCallId: id, offset, length: 500 });
      }
      return say(text.includes("PELICAN") ? "The end was read." : "The end is not there.");
    });
    await room.say(`Read this. ${rest}`);
    await room.sees("The end was read.");
    expect(knows(model.requests[0], "Read this.")).toBe(true);
    expect(knows(model.requests[0], "PELICAN")).toBe(false);
    for (const request of model.requests) {
      expect(tokensOf(request)).toBeLessThanOrEqual(inputTokens);
    }
    expect(model.problems).toEqual([]);
  });

  it("3.12 a model that finds a request too long is asked once more with less, and from then on with no more than it takes", async () => {
    const bot = await ArchivingBot.start({ wire, inputTokens: 90_000 });
    await using _ = bot;
    const { model, room } = bot;
    const most = 60_000;
    let refusals = 0;
    model.script(({ users, text }) => {
      if (Buffer.byteLength(text) > most) {
        refusals += 1;
        return TOO_LONG;
      }
      const asked = users.findLast((one) => one.includes("Question"));
      return say(`Answer to ${numberOf(asked)}. ${LONG}`, WHOLE);
    });
    for (let turn = 1; turn <= 24; turn += 1) {
      await room.say(`Question ${turn}?`);
      await room.sees(`Answer to ${turn}.`);
      await room.ends(turn);
    }
    expect(refusals).toBe(1);
    expect((await bot.archived())[0]).toHaveProperty("refused.tokens");
    const failed = model.requests.findIndex(({ text }) => Buffer.byteLength(text) > most);
    const [before, after] = model.requests.slice(failed, failed + 2);
    expect(after?.text.length).toBeLessThan((before?.text.length ?? 0) * 0.85);
    expect(after?.users.some((text) => text.includes(NOTE))).toBe(true);
  });

  it("a model that finds everything too long ends the turn with a sentence, after one more try", async () => {
    const bot = await ArchivingBot.start({ wire, inputTokens: 90_000 });
    await using _ = bot;
    const { model, room } = bot;
    model.script([say("One."), say("Two."), TOO_LONG, TOO_LONG, say("Better now.")]);
    for (const [index, word] of ["One.", "Two."].entries()) {
      await room.say(`say it ${LONG}`);
      await room.sees(word);
      await room.ends(index + 1);
    }
    await room.say("and now?");
    await room.sees("too long for the model");
    await room.ends(3);
    expect(model.requests).toHaveLength(4);
    await room.say("again");
    await room.sees("Better now.");
  });

  it("is the very same for whoever takes it up after a restart", async () => {
    const { bot } = await startArchivingBot(wire, 6_000);
    await using _ = bot;
    const { model, room } = bot;
    model.script(({ number }) => say(`Answer ${number}. ${LONG}`, WHOLE));
    for (let turn = 1; turn <= 8; turn += 1) {
      await room.say(`Question ${turn}?`);
      await room.sees(`Answer ${turn}.`);
      await room.ends(turn);
    }
    const archived = await bot.archived();
    expect(archived.length).toBeGreaterThan(0);
    const { transcript } = await bot.bot.core.conversations.state(room.thread);
    const before = structuredClone(transcript);
    // Whoever comes next knows nothing but the journal.
    const again = await new Journal(bot.bot.store).read(room.thread);
    expect(again.transcript).toEqual(before);
    expect(again.archived).toEqual(archived);
  });
});

const TOO_LONG = refuse(400, {
  message: "Your input exceeds the context window of this model. Please adjust your input.",
  code: "context_length_exceeded",
});
