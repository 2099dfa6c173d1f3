import { afterEach, describe, expect, it } from "vitest";
import { needsThread } from "../../../src/app/help.ts";
import { verbs } from "../../../src/intake/commands/verbs.ts";
import { say } from "../../support/model-server/replies.ts";
import type { Human } from "../../support/slack/human.ts";
import { SlackBot } from "../../support/slack-bot.ts";
import { until } from "../../support/until.ts";

let bot: SlackBot;
let ada: Human;
async function open(threads: number) {
  bot = await SlackBot.start();
  ada = bot.human({ name: "ada" });
  bot.model.script(() => say("Hello."));
  for (let count = 0; count < threads; count += 1) {
    const { message } = await bot.says(ada, `hello ${count}`, { mention: true });
    await bot.rests(bot.threadAt(message.ts));
  }
}
afterEach(() => bot[Symbol.asyncDispose]());

const whispers = (human = ada, channel = bot.channel) =>
  human.sees(channel).filter(({ isWhisper }) => isWhisper);

const EXPECTED = [
  ["", "Tell me what you want done"],
  ["help", "Tell me what you want done"],
  ["help all", "Verbs"],
  ["help terminal", "terminal tail"],
  ["help nothing", "There is no help for"],
  ["tools", "file_operations"],
  ["tools list", "file_operations"],
  ["model", "scripted-1"],
  ["hepl", "Did you mean"],
] as const;

describe("a slash command that is about no thread", () => {
  it.each([0, 2])("is answered privately for a person with %d threads", async (threads) => {
    await open(threads);
    for (const [words, expected] of EXPECTED) {
      const before = whispers().length;
      await ada.runs(bot.channel, "/deckhand", words);
      await until(() => whispers().length > before, `an answer to "${words}"`);
      expect(whispers().at(-1)?.text, words).toContain(expected);
    }
    expect(bot.sees(ada, bot.channel.id)).toEqual([]);
    expect(bot.problems).toEqual([]);
  });

  it("is answered in a conversation of two", async () => {
    await open(0);
    const direct = bot.slack.world.addChannel({
      ...{ kind: "im", members: [ada.user.id, bot.slack.app.user.id] },
    } as never);
    await ada.runs(direct, "/deckhand", "help");
    await until(() => whispers(ada, direct).length > 0, "the help");
  });

  it("says where the bot is not how to get it there", async () => {
    await open(0);
    bot.channel.members.delete(bot.slack.app.user.id);
    await ada.runs(bot.channel, "/deckhand", "help");
    expect(whispers().at(-1)?.text).toContain("/invite");
  });

  it("is any verb that is the same in every thread, and no other", async () => {
    await open(0);
    const words = verbs.flatMap(({ forms }) => forms.map(({ usage }) => usage));
    const plain = words.filter((usage) => !/[<[]/.test(usage));
    expect(plain.filter((usage) => !needsThread(usage)).sort()).toEqual([
      ...["mcp", "mcp status", "model", "tools", "tools list"],
    ]);
    expect(["todos", "$ ls", "fix the build", "queue a b"].every(needsThread)).toBe(true);
    await ada.runs(bot.channel, "/deckhand", "status");
    expect(whispers().at(-1)?.text).toContain("Mention me");
  });
});
