import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiscordBot } from "../../support/discord/bot.ts";
import type { Human } from "../../support/discord/human.ts";
import { call, say } from "../../support/model-server/replies.ts";
import { until } from "../../support/until.ts";

let bot: DiscordBot;
let ada: Human;
beforeEach(async () => {
  bot = await DiscordBot.start();
  ada = bot.discord.human({ username: "ada" });
  bot.model.script(({ users }) => {
    const said = users.join(" ").match(/word\d+/g);
    return say(`I heard: ${said?.at(-1) ?? "nothing"}.`);
  });
});
afterEach(() => bot[Symbol.asyncDispose]());

const aWhile = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const isBack = (before: number) =>
  until(() => bot.discord.gateway.identifies + bot.discord.gateway.resumes > before, "the line");
const lines = () => bot.discord.gateway.identifies + bot.discord.gateway.resumes;

describe("P-C4 a line that breaks", () => {
  it("loses nothing of what is said meanwhile in a channel, a thread and alone, with a session that is gone", {
    timeout: 60_000,
  }, async () => {
    const { channel } = await bot.begins(ada, "word1");
    await bot.shows(ada, channel, "I heard: word1.");
    ada.says(ada.direct, "word2");
    await bot.shows(ada, ada.direct, "I heard: word2.");
    bot.discord.faults.refusesResume = true;
    const before = lines();
    bot.discord.disconnect();
    ada.says(channel, "word3");
    ada.says(ada.direct, "word4");
    const { message } = ada.mentions(bot.channel, "word5");
    await aWhile(50);
    bot.discord.reconnect();
    await isBack(before);
    await bot.shows(ada, channel, "I heard: word3.");
    await bot.shows(ada, ada.direct, "I heard: word4.");
    await until(() => bot.discord.world.channels.has(message.id), "the thread");
    const made = bot.discord.world.channels.get(message.id);
    if (made) await bot.shows(ada, made, "I heard: word5.");
    await bot.rests(bot.threadAt(message.id));
    const answers = bot.sees(ada, channel).filter(({ text }) => text.includes("word3"));
    expect(answers).toHaveLength(1);
  });

  it("what is said while the bot is not running is answered when it is back", {
    timeout: 60_000,
  }, async () => {
    const { channel } = await bot.begins(ada, "word1");
    await bot.shows(ada, channel, "I heard: word1.");
    await bot.stopBot();
    ada.says(channel, "word2");
    const { message } = ada.mentions(bot.channel, "word3");
    await bot.startBot();
    await bot.shows(ada, channel, "I heard: word2.");
    await until(() => bot.discord.world.channels.has(message.id), "the thread");
  });

  it("twenty breaks in a row leave one answer to each of twenty messages", {
    timeout: 180_000,
  }, async () => {
    const { channel, thread } = await bot.begins(ada, "word0");
    await bot.shows(ada, channel, "I heard: word0.");
    for (let number = 1; number <= 20; number += 1) {
      bot.discord.faults.refusesResume = number % 3 === 0;
      const before = lines();
      if (number % 2 === 0) bot.discord.disconnect();
      ada.says(channel, `word${number}`);
      if (number % 2 === 1) bot.discord.gateway.drop();
      await aWhile(20);
      bot.discord.reconnect();
      await isBack(before);
      await bot.shows(ada, channel, `I heard: word${number}.`);
    }
    await bot.rests(thread);
    const journal = await bot.store.read(thread);
    expect(journal.filter(({ kind }) => kind === "message")).toHaveLength(21);
    for (let number = 1; number <= 20; number += 1) {
      const same = bot
        .sees(ada, channel)
        .filter(({ text }) => text.includes(`I heard: word${number}.`));
      expect(same).toHaveLength(1);
    }
  });
});

describe("P-C5 P-C7 a Discord that says no", () => {
  it("429s, lost answers and 5xx leave one card and one answer, and no more calls than are taken", {
    timeout: 60_000,
  }, async () => {
    bot.model.script(({ results }) =>
      results.length > 0
        ? say("Deleted.")
        : call("file_operations", { operation: "delete_file", filePath: "a.txt" }),
    );
    const { faults } = bot.discord;
    faults.refuseEvery = 4;
    faults.loseNextAnswer(["POST /channels/:channel/messages"]);
    faults.loseNextAnswer(["POST /channels/:channel/messages"], "reset");
    faults.failNext(502, { isDone: true, routes: ["POST /channels/:channel/messages"] });
    const { channel, thread } = await bot.begins(ada, "delete a.txt");
    const cards = () =>
      bot
        .sees(ada, channel)
        .filter(({ buttons }) => buttons.some(({ label }) => label === "Approve once"));
    await until(() => cards().length > 0, "the card");
    const [card] = cards();
    const approve = card?.buttons.find(({ label }) => label === "Approve once");
    if (card && approve) await ada.clicks(card.message, approve.value);
    await bot.shows(ada, channel, "Deleted.");
    await bot.rests(thread);
    const same = (words: string) =>
      bot.sees(ada, channel).filter(({ text }) => text.includes(words)).length;
    expect(same("Deleted.")).toBe(1);
    expect(same("Approved once by ada")).toBe(1);
    const refused = bot.discord.calls.filter(({ status }) => status === 429).length;
    expect(refused).toBeLessThan(100);
  });

  it("P-C9 nothing that the bot sends or changes may call anybody", async () => {
    const { channel } = await bot.begins(ada, "word1");
    await bot.shows(ada, channel, "I heard: word1.");
    const sent = bot.discord.world.messages(channel.id);
    const ours = sent.filter(({ authorId }) => authorId === bot.discord.app.user.id);
    expect(ours.length).toBeGreaterThan(0);
    for (const { allowed } of ours)
      expect(allowed).toMatchObject({ users: [], roles: [], everyone: false, repliedUser: false });
  });
});
