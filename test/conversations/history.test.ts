import { describe, expect, it } from "vitest";
import { LONG, startArchivingBot, WHOLE } from "../support/archiving-bot.ts";
import { call, say } from "../support/model-server/replies.ts";
import type { Room } from "../support/room.ts";
import { until } from "../support/until.ts";

/** So many questions, of which the first has these words. */
async function talkLong(room: Room, first: string, turns = 8): Promise<void> {
  for (let turn = 1; turn <= turns; turn += 1) {
    await room.say(turn === 1 ? first : `Question ${turn}?`);
    await room.sees(`Answer ${turn}.`);
    await room.ends(turn);
  }
}

describe("what was archived", () => {
  it("is there for people: listed, searched and as a file", async () => {
    const { bot } = await startArchivingBot("chat", 6_000);
    await using _ = bot;
    const { model, room } = bot;
    model.script(({ number }) => say(`Answer ${number}. ${LONG}`, WHOLE));
    await room.say("history");
    await room.sees("Nothing in this thread has been archived");
    await talkLong(room, "Where does the CORMORANT nest?");

    await room.say("history");
    const listed = await room.sees("looks up when it needs");
    expect(listed).toContain("Where does the CORMORANT nest?");
    expect(listed).toMatch(/\d\d:\d\d UTC.* to \d\d:\d\d UTC.*, \d+ messages/);
    expect(listed).toMatch(/Topics: \w+(, \w+){4}/);
    await room.say("history search cormorant nest");
    expect(await room.sees("1 message found")).toContain("CORMORANT");
    await room.say("history search nowhere-to-be-found");
    await room.sees("No archived message matches");
    await room.say("history file");
    await room.sees("What was archived of this thread: 1 part.");
    const [file] = room.posts().flatMap(({ files }) => files);
    expect(file?.name).toBe("history.txt");
    // What the verbs say is no request to the model, and people's messages are where they were.
    expect(model.requests).toHaveLength(8);
    expect(room.texts().some((text) => text.startsWith("Answer 1."))).toBe(true);
  });

  it("has each message once, also one that had to be shortened before it was archived", async () => {
    const { bot } = await startArchivingBot("chat", 4_000);
    await using _ = bot;
    const { model, room } = bot;
    model.script(({ number }) => say(`Answer ${number}. ${LONG}`, WHOLE));
    await talkLong(room, `Read about the PETREL. ${LONG.repeat(8)}`);
    const archived = await bot.archived();
    expect(archived[0]).toHaveProperty("shortened.0.text", expect.stringContaining("PETREL"));
    expect(model.requests.at(-1)?.text.includes("PETREL")).toBe(false);
    await room.say("history search petrel");
    await room.sees("1 message found");
  });

  it("gives no secret away when it is recalled, listed or searched", async () => {
    const { bot } = await startArchivingBot("chat", 6_000);
    await using _ = bot;
    const { model, room } = bot;
    const padding = "x".repeat(240);
    model.script(({ number, users, results }) => {
      if (!users.at(0)?.includes("what opens") && number <= 8) {
        return say(`Answer ${number}. ${LONG}`, WHOLE);
      }
      const found = results.at(-1)?.text.includes("PUFFIN");
      return found ? say("I know it.") : call("recall_history", { query: "puffin" });
    });
    await talkLong(room, `The PUFFIN box ${padding} opens with ${model.key} and nothing else.`);
    await room.say("what opens the box?");
    await room.sees("I know it.");
    await room.say("history");
    await room.say("history search puffin");
    await room.sees("message found");
    await room.say("history file");
    await room.sees("What was archived of this thread");
    const recalled = model.requests.at(-1)?.results.at(-1)?.text ?? "";
    expect(recalled).toContain("PUFFIN");
    const half = model.key.slice(0, 12);
    for (const { text } of model.requests) expect(text).not.toContain(half);
    expect(room.texts().join("\n")).not.toContain(half);
  });

  it("is never what the open turn is about: the request and what was said on the way stay in view", async () => {
    const { bot } = await startArchivingBot("responses", 7_000);
    await using _ = bot;
    const { model, room } = bot;
    const heard = Promise.withResolvers<void>();
    model.script(async ({ number }) => {
      if (number === 4) await heard.promise;
      if (number > 30) return say("All was thought over.");
      const tool = number % 2 === 0 ? "think" : "memory_operations";
      const thoughts = `Thought ${number}. ${LONG.slice(0, 2_000)}`;
      const args =
        number % 2 === 0 ? { thoughts } : { operation: "store_memory", content: thoughts };
      return call(tool, args, WHOLE);
    });
    await room.say("Think about the GANNET.");
    await until(() => model.requests.length === 4, "the fourth step");
    await room.say("And mind the RAZORBILL.");
    const messages = async () => (await room.lines()).filter((kind) => kind === "message");
    await until(async () => (await messages()).length === 2, "the second message");
    heard.resolve();
    await room.sees("All was thought over.");
    expect((await bot.archived()).length).toBeGreaterThanOrEqual(2);
    for (const [index, { users }] of model.requests.entries()) {
      expect(users.some((text) => text.includes("GANNET"))).toBe(true);
      expect(users.some((text) => text.includes("RAZORBILL"))).toBe(index >= 4);
    }
    expect(model.problems).toEqual([]);
  });
});
