import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BegunThread, DiscordBot } from "../../support/discord/bot.ts";
import type { Human } from "../../support/discord/human.ts";
import { fieldsOfModal } from "../../support/discord/slash.ts";
import { call, say } from "../../support/model-server/replies.ts";
import { until } from "../../support/until.ts";

const MINUTE_MS = 60_000;
const SAM = "900000000000000001";

let bot: DiscordBot;
let ada: Human;
let sam: Human;
beforeEach(async () => {
  bot = await DiscordBot.start({
    policy: ({ guild }) =>
      [
        "approvers:",
        "  - { who: [requester], risks: [standard, elevated] }",
        `  - { who: ["discord:${guild.id}:${SAM}"], risks: [high] }`,
        "",
      ].join("\n"),
  });
  ada = bot.discord.human({ username: "ada" });
  sam = bot.discord.human({ id: SAM, username: "sam" });
  bot.model.script(({ users, results }) => {
    if (results.length > 0) return say("Done with it.");
    return users.join().includes("sudo")
      ? call("terminal_operations", { operation: "run_command", command: "sudo rm -rf /opt/old" })
      : call("file_operations", { operation: "delete_file", filePath: "a.txt" });
  });
});
afterEach(() => bot[Symbol.asyncDispose]());

async function card({ channel }: BegunThread) {
  const found = () =>
    bot
      .sees(ada, channel)
      .find(({ buttons }) => buttons.some(({ label }) => label === "Approve once"));
  await until(() => found() !== undefined, "the card");
  const seen = found();
  if (!seen) throw new Error("The card is gone.");
  const value = (label: string) =>
    seen.buttons.find((button) => button.label === label)?.value ?? "";
  return { message: seen.message, value };
}

describe("15.11 approvals on Discord", () => {
  it.each([
    ["at once", 0],
    ["after 20 minutes", 20 * MINUTE_MS],
    ["after two days", 2 * 24 * 60 * MINUTE_MS],
  ])("P-A13 a click %s and after a restart works, and the card says who decided", async (_, ms) => {
    const begun = await bot.begins(ada, "delete a.txt");
    await card(begun);
    await bot.rests(begun.thread);
    bot.discord.world.clock.advance(ms);
    await bot.restart();
    const { message, value } = await card(begun);
    const clicked = await ada.clicks(message, value("Approve once"));
    expect(clicked.response).toBeDefined();
    await bot.shows(ada, begun.channel, "Done with it.");
    await bot.shows(ada, begun.channel, "Approved once by ada");
    expect(bot.begunIn(begun.thread)).toHaveLength(1);
    expect(ada.failures).toEqual([]);
  });

  it("a phrase is asked for in a window, also after a restart; a wrong one is said to them alone", async () => {
    const begun = await bot.begins(ada, "sudo");
    await card(begun);
    await bot.restart();
    const { message, value } = await card(begun);
    await sam.clicks(message, value("Approve once"));
    const [field = ""] = fieldsOfModal(sam.window ?? {});
    const [waiting] = await bot.core.authorization.approvals.waiting(begun.thread);
    const phrase = waiting?.approval.effect.phrase ?? "";
    expect(JSON.stringify(sam.window)).toContain(phrase);
    await sam.submits({ [field]: "phrase does not match" });
    const alone = () => bot.whispers(sam, begun.channel).map(({ text }) => text);
    await until(() => alone().length > 0, "the answer");
    expect(alone().join()).toContain("phrase does not match");
    expect(bot.sees(sam, sam.direct)).toEqual([]);
    await sam.clicks(message, value("Approve once"));
    await sam.submits({ [field]: phrase });
    await bot.shows(ada, begun.channel, "Done with it.");
  });

  it("a click is acknowledged within three seconds, however long keeping it takes", async () => {
    const begun = await bot.begins(ada, "delete a.txt");
    const { message, value } = await card(begun);
    await bot.rests(begun.thread);
    const put = bot.store.inbox.put.bind(bot.store.inbox);
    const clickAnswered = Promise.withResolvers<void>();
    bot.store.inbox.put = async (row) => {
      await clickAnswered.promise;
      return put(row);
    };
    const clicked = await ada.clicks(message, value("Approve once"));
    expect(clicked.response).toBeDefined();
    expect(ada.failures).toEqual([]);
    bot.store.inbox.put = put;
    clickAnswered.resolve();
    await bot.shows(ada, begun.channel, "Done with it.");
  });

  it("somebody who may not decide is told so alone, where they clicked", async () => {
    const begun = await bot.begins(ada, "delete a.txt");
    const { message, value } = await card(begun);
    const guest = bot.discord.human({ username: "gus" }, { flags: 1 << 4 });
    await guest.clicks(message, value("Approve once"));
    await until(() => bot.whispers(guest, begun.channel).length > 0, "the refusal");
    expect(bot.whispers(ada, begun.channel)).toEqual([]);
    expect(bot.begunIn(begun.thread)).toEqual([]);
  });
});
