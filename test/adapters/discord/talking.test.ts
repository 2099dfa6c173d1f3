import { afterEach, describe, expect, it } from "vitest";
import { DiscordBot, type DiscordBotOptions } from "../../support/discord/bot.ts";
import type { Human } from "../../support/discord/human.ts";
import type { DiscordChannel } from "../../support/discord/world.ts";
import { call, say } from "../../support/model-server/replies.ts";
import { until } from "../../support/until.ts";

let bot: DiscordBot;
let ada: Human;
async function open(options: DiscordBotOptions = {}) {
  bot = await DiscordBot.start(options);
  ada = bot.discord.human({ username: "ada" });
}
afterEach(() => bot[Symbol.asyncDispose]());

const texts = (channel: DiscordChannel) => bot.sees(ada, channel).map(({ text }) => text);
const lastWord = (said: readonly string[]) =>
  said
    .join(" ")
    .match(/first|second|third/g)
    ?.at(-1) ?? "nothing";

describe("a talk on Discord", () => {
  it("15.1 a mention in a channel makes a thread with its words, and what follows in it needs none", async () => {
    await open();
    bot.model.script(({ users }) => say(`I heard: ${lastWord(users)}`));
    const { message, channel } = await bot.begins(ada, "first, please");
    await bot.shows(ada, channel, "I heard: first");
    expect(channel).toMatchObject({ name: "first, please", parentId: bot.channel.id });
    ada.says(channel, "second");
    await bot.shows(ada, channel, "I heard: second");
    ada.mentions(channel, "third");
    await bot.shows(ada, channel, "I heard: third");
    expect(bot.sees(ada, bot.channel)).toEqual([]);
    expect(bot.sees(ada, channel).every(({ alarms }) => alarms.length === 0)).toBe(true);
    await until(() => message.reactions.has("✅"), "the sign");
    expect([...message.reactions.keys()].sort()).toEqual(["✅", "👀"].sort());
    expect(bot.problems).toEqual([]);
  });

  it("15.1 two threads share nothing", async () => {
    await open();
    const known = (said: string) => ["first", "second"].filter((word) => said.includes(word));
    bot.model.script(({ users }) => say(`I know: ${known(users.join()).join()}.`));
    const one = await bot.begins(ada, "first");
    await bot.shows(ada, one.channel, "I know: first.");
    const other = await bot.begins(ada, "second");
    await bot.shows(ada, other.channel, "I know: second.");
    expect(one.thread).not.toBe(other.thread);
  });

  it("what people say in a channel without calling the bot is none of its business", async () => {
    await open();
    bot.model.script(() => say("Heard."));
    ada.says(bot.channel, "not for you");
    const { channel } = await bot.begins(ada, "for you");
    await bot.shows(ada, channel, "Heard.");
    expect(bot.model.requests).toHaveLength(1);
  });

  it("a mention in the middle of the words and in its old form counts, and does not stand in the name", async () => {
    await open();
    bot.model.script(() => say("Heard."));
    const { message } = ada.says(bot.channel, `do this <@!${bot.discord.app.user.id}> now`);
    await until(() => bot.discord.world.channels.has(message.id), "the thread");
    const channel = bot.discord.world.channels.get(message.id);
    if (channel) await bot.shows(ada, channel, "Heard.");
    expect(channel?.name).toBe("do this now");
  });

  it("P-C5 P-C9 whatever is sent or changed names nobody to call, and what is sent has a nonce that counts", async () => {
    await open();
    bot.model.script(({ results }) =>
      results.length > 0
        ? say("@everyone is done.")
        : call("file_operations", { operation: "delete_file", filePath: "a.txt" }),
    );
    const { channel, thread } = await bot.begins(ada, "delete a.txt");
    const shown = await bot.shows(ada, channel, "Asked by");
    const approve = shown.buttons.find(({ label }) => label === "Approve once");
    await ada.clicks(shown.message, approve?.value ?? "");
    await ada.runs(channel, "deckhand help");
    await bot.shows(ada, channel, "is done.");
    await bot.rests(thread);
    const shownBy = (route: RegExp) =>
      bot.discord.calls
        .filter((made) => route.test(made.route))
        .map(({ body }) => body as Record<string, unknown>);
    const sent = shownBy(/^POST \/channels\/:channel\/messages$/);
    const changed = shownBy(/^PATCH .*\/messages\/(?::message|@original)$/);
    const whispered = shownBy(/^POST \/webhooks\/:application\/:token$/);
    expect([sent.length, changed.length].every((count) => count > 0)).toBe(true);
    for (const body of [...sent, ...changed, ...whispered])
      expect(body.allowed_mentions).toEqual({ parse: [] });
    for (const { nonce, enforce_nonce } of sent) {
      expect(enforce_nonce).toBe(true);
      expect(String(nonce).length).toBeLessThanOrEqual(25);
    }
    expect(new Set(sent.map(({ nonce }) => nonce)).size).toBe(sent.length);
  });

  it("in a conversation of two everything is meant for the bot, and stays there", async () => {
    await open();
    bot.model.script(() => say("Between us."));
    ada.says(ada.direct, "psst");
    await bot.shows(ada, ada.direct, "Between us.");
  });

  it("15.3 what somebody replies to comes along", async () => {
    await open();
    bot.model.script(({ users }) => say(users.join().includes("exit code 137") ? "Memory." : "?"));
    const { message: log } = ada.says(bot.channel, "exit code 137");
    const { channel } = await bot.begins(ada, "what is that?", { replyTo: log });
    await bot.shows(ada, channel, "Memory.");
  });

  it("15.23 attachments come into the workspace", async () => {
    await open();
    bot.model.script(() => say("Got it."));
    const bytes = new TextEncoder().encode("a,b\n1,2\n");
    const files = [{ name: "data.csv", bytes }];
    const { channel, thread } = await bot.begins(ada, "look", { files });
    await bot.shows(ada, channel, "Got it.");
    expect(JSON.stringify(await bot.store.read(thread))).toContain("data.csv");
  });

  it("an archived thread wakes when the bot answers, and cards in it can still be changed", async () => {
    await open();
    bot.model.script(() => say("Heard."));
    const { channel, thread } = await bot.begins(ada, "first");
    const shown = await bot.shows(ada, channel, "Heard.");
    await bot.rests(thread);
    if (channel.thread) channel.thread.isArchived = true;
    const view = { kind: "notice", level: "info", text: "changed" } as const;
    expect(await bot.adapter.edit(thread, shown.message.id, view)).toBe("edited");
    expect(channel.thread?.isArchived).toBe(false);
    if (channel.thread) channel.thread.isArchived = true;
    await bot.adapter.post(thread, { ...view, text: "posted" }, "k");
    await bot.shows(ada, channel, "posted");
  });
});

describe("15.13 long answers", () => {
  it("of 10,000 characters with code come whole and in order, with their fences closed", async () => {
    await open();
    const code = Array.from({ length: 400 }, (_, line) => `const line${line} = ${line};`).join(
      "\n",
    );
    const text = `Begin.\n\n\`\`\`js\n${code}\n\`\`\`\n\n${"word ".repeat(500)}\nEnd.`;
    bot.model.script(() => say(text));
    const { channel, thread } = await bot.begins(ada, "tell me");
    await bot.shows(ada, channel, "End.");
    await bot.rests(thread);
    const whole = texts(channel).join("\n");
    const numbers = [...whole.matchAll(/const line(\d+) =/g)].map(([, number]) => Number(number));
    expect(numbers).toEqual(Array.from({ length: 400 }, (_, line) => line));
    expect(whole.match(/word/g)).toHaveLength(500);
    for (const one of texts(channel)) expect((one.match(/```/g) ?? []).length % 2).toBe(0);
  });
});

describe("15.24 an answer that grows", () => {
  it("ends complete, however often Discord says 429 meanwhile", async () => {
    await open();
    bot.discord.faults.refuseEvery = 3;
    const text = Array.from({ length: 300 }, (_, number) => `word${number}`).join(" ");
    bot.model.script(() => say(text));
    const { channel, thread } = await bot.begins(ada, "tell me");
    await bot.shows(ada, channel, "word299");
    await bot.rests(thread);
    expect(texts(channel).join(" ")).toContain(text);
  });
});

describe("what people change afterwards", () => {
  it("an edit of what waits counts as if it had been said so, and a deletion takes it back", async () => {
    await open();
    bot.model.script(() =>
      call("file_operations", { operation: "delete_file", filePath: "a.txt" }),
    );
    const { channel, thread } = await bot.begins(ada, "begin");
    await bot.shows(ada, channel, "delete_file");
    const edited = ada.says(channel, "queue tpyo").message;
    const deleted = ada.says(channel, "queue never mind this").message;
    await bot.rests(thread);
    ada.edits(edited, "queue corrected words");
    ada.deletes(deleted);
    const journal = async () => JSON.stringify(await bot.store.read(thread));
    await until(async () => (await journal()).includes("corrected words"), "the edit");
    await until(async () => (await journal()).includes("message.deleted"), "the deletion");
  });
});
