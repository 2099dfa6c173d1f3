import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WebBot } from "../../support/web-bot.ts";
import { obedientBot } from "../../support/web-policy.ts";

let bot: WebBot;
beforeAll(async () => {
  bot = await obedientBot();
});
afterAll(() => bot[Symbol.asyncDispose]());

describe("15.7 typing into the terminal", () => {
  it("is recorded, and what came of it stands on the screen and not in the talk", async () => {
    const thread = await bot.thread();
    await bot.type("ada", thread, "ls");
    await bot.rests(thread);
    expect(bot.begunIn(thread).map(({ args }) => args.input)).toEqual(["ls\r"]);
    const items = JSON.parse((await bot.ask("ada", "GET", `/api/threads/${thread}/items`)).text);
    expect(items.items.filter(({ to }: { to?: string }) => to === "ada")).toEqual([]);
    const records = await bot.core.audit.forConversation(thread, { limit: 10 });
    expect(JSON.stringify(records)).toContain("send_input");
    expect(JSON.stringify(records)).toContain("web:ada");
    // The same words in the talk are answered there.
    await bot.say("ada", thread, "/terminal send ls");
    await bot.rests(thread);
    const after = JSON.parse((await bot.ask("ada", "GET", `/api/threads/${thread}/items`)).text);
    expect(after.items.filter(({ to }: { to?: string }) => to === "ada")).toHaveLength(1);
  });

  it.each(["sudo id", "ls\nsudo id", "rm -rf \\"])(
    "a line that would need an approval is not typed, with or without a right to approve it: %j",
    async (input) => {
      const thread = await bot.thread();
      expect((await bot.type("ada", thread, input)).status).toBe(200);
      await bot.rests(thread);
      expect(bot.begunIn(thread)).toEqual([]);
      const records = await bot.core.audit.forConversation(thread, { limit: 10 });
      expect(JSON.stringify(records)).toContain("fresh shell");
    },
  );

  it.each(["su\u0016do id", "l\ts", "\u001b[A", "ls\u0000", "\u0003\u0003"])(
    "keys that make a line other than it looks are refused: %j",
    async (input) => {
      const thread = await bot.thread();
      expect((await bot.type("ada", thread, input)).status).toBe(400);
      expect((await bot.type("ada", thread, "\u0003")).status).toBe(200);
      await bot.rests(thread);
      expect(bot.begunIn(thread).map(({ args }) => args.input)).toEqual(["\u0003\r"]);
    },
  );

  it("sent twice under one id, it is typed once", async () => {
    const thread = await bot.thread();
    const body = { id: crypto.randomUUID(), input: "ls" };
    const at = `/api/threads/${thread}/terminal/input`;
    const answers = [
      await bot.ask("ada", "POST", at, body),
      await bot.ask("ada", "POST", at, body),
    ];
    expect(answers.map(({ text }) => JSON.parse(text).outcome)).toEqual(["accepted", "known"]);
    await bot.rests(thread);
    expect(bot.begunIn(thread)).toHaveLength(1);
  });

  it("an empty line, and one without end, are refused", async () => {
    const thread = await bot.thread();
    expect((await bot.type("ada", thread, " \n")).status).toBe(400);
    expect((await bot.type("ada", thread, "x".repeat(10_001))).status).toBe(400);
    expect(bot.begunIn(thread)).toEqual([]);
  });
});
