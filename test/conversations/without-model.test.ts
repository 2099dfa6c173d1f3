import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verbs } from "../../src/intake/commands/verbs.ts";
import { LocalWorkspaces } from "../support/local-workspaces.ts";
import { WholeBot } from "../support/whole-bot.ts";

const NAMES = verbs.map(({ name }) => name);

describe("15.22 without a model", () => {
  const workspaces = new LocalWorkspaces();
  let bot: WholeBot;
  beforeAll(async () => {
    bot = await WholeBot.start({ workspaces: workspaces.port });
  });
  afterAll(async () => {
    await bot[Symbol.asyncDispose]();
    workspaces[Symbol.dispose]();
  });

  it.concurrent.each(NAMES)("the verb %s answers a mention", async (name) => {
    const room = await bot.room();
    await room.say(name);
    await expect.poll(() => [...room.texts(), ...room.whispers()].join("")).toMatch(/\S/);
    expect(room.texts().join("\n")).not.toContain("I cannot answer that");
  });

  it("a command of somebody's own runs, and its output is what they see", async () => {
    const room = await bot.room();
    await room.say("$ echo from the terminal");
    await room.sees("from the terminal");
    await room.ends(1);
  });

  it("an operation by its name runs", async () => {
    const room = await bot.room();
    workspaces.of(room.thread).files.write("README.md", "what it is");
    await room.say("file_operations.read_file filePath=README.md");
    await room.sees("what it is");
  });

  it("talk is answered with what can be said", async () => {
    const room = await bot.room();
    await room.say("please deploy the site");
    await room.sees("No model is configured, so I cannot answer that");
    expect(await room.lines()).not.toContain("turn.started");
  });

  it("nothing of it was a problem for the operator", () => {
    expect(bot.problems).toEqual([]);
  });
});

describe("15.22 without a model and without an engine", () => {
  let bot: WholeBot;
  beforeAll(async () => {
    bot = await WholeBot.start();
  });
  afterAll(() => bot[Symbol.asyncDispose]());

  it.concurrent.each(NAMES)("the verb %s answers a mention", async (name) => {
    const room = await bot.room();
    await room.say(name);
    await expect.poll(() => [...room.texts(), ...room.whispers()].join("")).toMatch(/\S/);
  });

  it.each(["$ ls", "file_operations.read_file filePath=README.md", "files", "terminal"])(
    "%s says that there is no workspace to be had",
    async (text) => {
      const room = await bot.room();
      await room.say(text);
      await room.sees(/Docker|workspace/);
    },
  );
});
