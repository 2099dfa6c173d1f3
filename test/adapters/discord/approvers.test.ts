import { afterEach, describe, expect, it } from "vitest";
import { type BegunThread, DiscordBot, type DiscordBotOptions } from "../../support/discord/bot.ts";
import type { Human } from "../../support/discord/human.ts";
import { PERMISSIONS } from "../../support/discord/permissions.ts";
import { fieldsOfModal } from "../../support/discord/slash.ts";
import { obeyCommands } from "../../support/policy.ts";
import { until } from "../../support/until.ts";

const DANGEROUS = "please run `sudo rm -rf /opt/old`";
const HARMLESS = "please run `sudo id`";
const SAM = "900000000000000001";

let bot: DiscordBot;
afterEach(() => bot[Symbol.asyncDispose]());

async function start(options: DiscordBotOptions = {}): Promise<void> {
  bot = await DiscordBot.start(options);
  obeyCommands(bot.model);
}

async function cardIn(human: Human, { channel }: BegunThread) {
  const found = () =>
    bot
      .sees(human, channel)
      .find(({ buttons }) => buttons.some(({ label }) => label === "Approve once"));
  await until(() => found() !== undefined, `the card. ${bot.problems.join()}`);
  const seen = found();
  if (!seen) throw new Error("The card is gone.");
  const clicks = (who: Human, label: string) => {
    const value = seen.buttons.find((button) => button.label === label)?.value ?? "";
    return who.clicks(seen.message, value);
  };
  return { text: seen.text, clicks };
}

/** Types into the window in front of somebody. */
async function types(human: Human, words: string): Promise<void> {
  const [field = ""] = fieldsOfModal(human.window ?? {});
  await human.submits({ [field]: words });
}

function serverOwner(): Human {
  const { discord } = bot;
  const user = discord.world.users.get(discord.guild.ownerId);
  if (!user) throw new Error("The server has no owner.");
  return discord.human(user);
}

function administrator(): Human {
  const { discord } = bot;
  const role = discord.world.addRole(discord.guild, { permissions: PERMISSIONS.ADMINISTRATOR });
  return discord.human({ username: "adam" }, { roles: new Set([role.id]) });
}

describe("who approves on Discord without a policy", () => {
  it.each([
    ["owner", serverOwner],
    ["administrator", administrator],
  ])(
    "a server's %s approves a phrase call by typing its phrase in a window that shows the command",
    async (_, approver) => {
      await start();
      const ada = bot.discord.human({ username: "ada" });
      const olga = approver();
      const begun = await bot.begins(ada, DANGEROUS);
      const { text, clicks } = await cardIn(ada, begun);
      expect(text).toContain("sudo rm -rf /opt/old");
      expect(text).toContain("Asked by ada.");
      expect(text).not.toMatch(/discord:|\d{4}-\d\d-\d\dT/);

      await clicks(olga, "Approve once");
      const window = JSON.stringify(olga.window);
      expect(window).toContain("```\\nsudo rm -rf /opt/old\\n```");
      expect(window).toContain("```\\ndelete /opt/old\\n```");
      await types(olga, " delete /opt/old ");
      await bot.shows(ada, begun.channel, "Approved once by");
      await bot.shows(ada, begun.channel, "Result:");
      expect(bot.begunIn(begun.thread)).toHaveLength(1);
    },
  );

  it("a member approves their own click call, and is refused a phrase call before a window opens", async () => {
    await start();
    const ada = bot.discord.human({ username: "ada" });
    const own = await bot.begins(ada, HARMLESS);
    const click = await cardIn(ada, own);
    expect(click.text).toContain("Waiting for ada or guild-owner");
    await click.clicks(ada, "Approve once");
    expect(ada.window).toBeUndefined();
    await bot.shows(ada, own.channel, "Approved once by ada");
    await until(() => bot.begunIn(own.thread).length === 1, "the approved call");

    const begun = await bot.begins(ada, DANGEROUS);
    const { clicks } = await cardIn(ada, begun);
    await clicks(ada, "Approve once");
    await until(() => bot.whispers(ada, begun.channel).length > 0, "the refusal");
    expect(ada.window).toBeUndefined();
    const [refusal] = bot.whispers(ada, begun.channel);
    expect(refusal?.text).toMatch(/You cannot approve this\. It can be approved by guild-owner/);
    expect(bot.begunIn(begun.thread)).toEqual([]);
  });

  it("a channel's own settings make no one an administrator", async () => {
    await start();
    const ada = bot.discord.human({ username: "ada" });
    const allow = PERMISSIONS.ADMINISTRATOR;
    bot.channel.overwrites.push({ id: ada.user.id, kind: "member", allow, deny: 0n });
    const begun = await bot.begins(ada, DANGEROUS);
    const { clicks } = await cardIn(ada, begun);
    await clicks(ada, "Approve once");
    await until(() => bot.whispers(ada, begun.channel).length > 0, "the refusal");
    expect(ada.window).toBeUndefined();
  });

  it("an administrator who lost the role after the card was posted is refused at the click", async () => {
    await start();
    const ada = bot.discord.human({ username: "ada" });
    const adam = administrator();
    const begun = await bot.begins(ada, DANGEROUS);
    const { text, clicks } = await cardIn(ada, begun);
    expect(text).toContain("the owner and administrators of this server");
    bot.discord.guild.members.get(adam.user.id)?.roles.clear();
    await clicks(adam, "Approve once");
    await until(() => bot.whispers(adam, begun.channel).length > 0, "the refusal");
    expect(adam.window).toBeUndefined();
  });

  it("refuses at once, with the remedy, a call that no one in a conversation of two could approve", async () => {
    await start();
    const ada = bot.discord.human({ username: "ada" });
    ada.says(ada.direct, DANGEROUS);
    const shown = await bot.shows(ada, ada.direct, "Result:");
    expect(shown.text).toContain("No one in this channel can approve it");
    expect(shown.text).toContain("the owner and administrators of this server");
    expect(shown.text).toContain("OWNERS");
  });
});

describe("OWNERS on Discord", () => {
  it("replaces the server's owner by the people it names", async () => {
    await start({ owners: ({ guild }) => `discord:${guild.id}:${SAM}` });
    const ada = bot.discord.human({ username: "ada" });
    const sam = bot.discord.human({ id: SAM, username: "sam" });
    const olga = serverOwner();
    const begun = await bot.begins(ada, DANGEROUS);
    const { text, clicks } = await cardIn(ada, begun);
    expect(text).toContain("Waiting for sam.");
    await clicks(olga, "Approve once");
    await until(() => bot.whispers(olga, begun.channel).length > 0, "the refusal");
    expect(olga.window).toBeUndefined();
    await clicks(sam, "Approve once");
    await types(sam, "delete /opt/old");
    await bot.shows(ada, begun.channel, "Approved once by sam");
  });

  it("that names no one who sees the channel refuses at once, with the remedy", async () => {
    await start({ owners: ({ guild }) => `discord:${guild.id}:${SAM}` });
    const ada = bot.discord.human({ username: "ada" });
    const { channel } = await bot.begins(ada, DANGEROUS);
    const { text } = await bot.shows(ada, channel, "Result:");
    expect(text).toContain("OWNERS");
    expect(text).toContain("invite one of them");
  });
});
