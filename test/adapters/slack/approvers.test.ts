import { afterEach, describe, expect, it } from "vitest";
import { obeyCommands } from "../../support/policy.ts";
import { skipTime } from "../../support/skip-time.ts";
import type { Human, Seen } from "../../support/slack/human.ts";
import type { UserKind } from "../../support/slack/world.ts";
import { SlackBot, type SlackBotOptions } from "../../support/slack-bot.ts";
import { until } from "../../support/until.ts";

const DANGEROUS = "run `sudo rm -rf /opt/old`";
const HARMLESS = "run `sudo id`";

let bot: SlackBot;
afterEach(() => bot[Symbol.asyncDispose]());

async function start(options: SlackBotOptions = {}): Promise<void> {
  bot = await SlackBot.start(options);
  obeyCommands(bot.model);
}

interface Asked {
  readonly root: string;
  readonly thread: string;
}

async function asks(human: Human, request: string): Promise<Asked> {
  const { message } = await bot.says(human, `please ${request}`, { mention: true });
  return { root: message.ts, thread: bot.threadAt(message.ts) };
}

async function cardIn(human: Human, { root }: Asked) {
  const found = (): Seen | undefined =>
    bot
      .sees(human, root)
      .find(({ buttons }) => buttons.some(({ label }) => label === "Approve once"));
  await until(() => found() !== undefined, `the card. ${bot.problems.join()}`);
  const seen = found();
  if (!seen) throw new Error("The card is gone.");
  const clicks = (who: Human, label: string) => {
    const value = seen.buttons.find((button) => button.label === label)?.value ?? "";
    return who.clicks(seen.message, value);
  };
  return { seen, text: seen.text, clicks };
}

function whispers(human: Human, { root }: Asked): string[] {
  const all = human.sees(bot.channel, root);
  return all.filter(({ isWhisper }) => isWhisper).map(({ text }) => text);
}

async function reads(human: Human, asked: Asked, words: string): Promise<string> {
  const all = () => bot.sees(human, asked.root).map(({ text }) => text);
  await until(() => all().some((text) => text.includes(words)), `${words} in ${all()}`);
  return all().join("\n");
}

describe("who approves on Slack without a policy", () => {
  it.each<UserKind>(["primaryOwner", "owner", "admin"])(
    "a workspace's %s approves a phrase call by typing its phrase in a window that shows the command",
    async (kind) => {
      await start();
      const ada = bot.human({ name: "ada" });
      const olga = bot.human({ name: "olga", kind });
      const asked = await asks(ada, DANGEROUS);
      const { text, clicks } = await cardIn(ada, asked);
      expect(text).toContain("sudo rm -rf /opt/old");
      expect(text).toContain("Asked by ada.");
      expect(text).toContain("Waiting for olga.");
      expect(text).not.toMatch(/U0|slack:|\d{4}-\d\d-\d\dT/);

      await clicks(olga, "Approve once");
      const window = JSON.stringify(olga.window?.content);
      expect(window).toContain(
        '"rich_text_preformatted","elements":[{"type":"text","text":"sudo rm -rf /opt/old"}',
      );
      expect(window).toContain(
        '"rich_text_preformatted","elements":[{"type":"text","text":"delete /opt/old"}',
      );
      await olga.submits({ typed: "delete /opt/new" });
      expect(olga.window?.errors).toEqual({ typed: "The phrase does not match the one above." });
      await olga.submits({ typed: "  delete /opt/old " });
      await reads(ada, asked, "Approved once by olga");
      await reads(ada, asked, "Result:");
      expect(bot.begunIn(asked.thread)).toHaveLength(1);
    },
  );

  it("a member approves their own click call, and is refused a phrase call before a window opens", async () => {
    await start();
    const ada = bot.human({ name: "ada" });
    const olga = bot.human({ name: "olga", kind: "owner" });
    const own = await asks(ada, HARMLESS);
    const click = await cardIn(ada, own);
    expect(click.text).toContain("Waiting for ada or olga.");
    await click.clicks(ada, "Approve once");
    expect(ada.window).toBeUndefined();
    await reads(ada, own, "Approved once by ada");
    await until(() => bot.begunIn(own.thread).length === 1, "the approved call");

    const asked = await asks(ada, DANGEROUS);
    const { clicks } = await cardIn(ada, asked);
    await clicks(ada, "Approve once");
    await until(() => whispers(ada, asked).length > 0, "the refusal");
    expect(ada.window).toBeUndefined();
    expect(whispers(ada, asked).join()).toContain(
      "You cannot approve this. It can be approved by olga.",
    );
    expect(bot.begunIn(asked.thread)).toEqual([]);
    await clicks(olga, "Approve once");
    expect(olga.window).toBeDefined();
  });

  it("refuses at once, with the remedy, a call that no one in the channel could approve", async () => {
    await start();
    const ada = bot.human({ name: "ada" });
    // An owner who is not in this channel does not count.
    bot.slack.human({ name: "olga", kind: "owner" });
    const asked = await asks(ada, DANGEROUS);
    await reads(ada, asked, "Result:");
    // People read it from the bot itself, not only from a model that may leave it out.
    const activity = () => bot.sees(ada, asked.root).find(({ text }) => text.startsWith("Failed"));
    await until(() => activity() !== undefined, "the activity of the finished turn");
    expect(activity()?.text).toContain(
      "Refused: No one in this channel can approve it. Only the owners and admins of this Slack workspace can: " +
        "invite one of them to this channel, or name owners in the setting OWNERS.",
    );
    expect(bot.begunIn(asked.thread)).toEqual([]);
    expect(await bot.core.authorization.approvals.waiting(asked.thread)).toEqual([]);
  });

  it("an admin who lost the role after the card was posted is refused at the click", async () => {
    await start();
    const ada = bot.human({ name: "ada" });
    const olga = bot.human({ name: "olga", kind: "admin" });
    const asked = await asks(ada, DANGEROUS);
    const { clicks } = await cardIn(ada, asked);
    olga.user.kind = "member";
    // Answers about people are reused for half a second.
    using _later = skipTime(600);
    await clicks(olga, "Approve once");
    await until(() => whispers(olga, asked).length > 0, "the refusal");
    expect(olga.window).toBeUndefined();
  });

  it("refuses while it cannot look up rights, says so, and works afterwards", async () => {
    await start();
    const ada = bot.human({ name: "ada" });
    const olga = bot.human({ name: "olga", kind: "owner" });
    const asked = await asks(ada, DANGEROUS);
    const { clicks } = await cardIn(ada, asked);
    using _later = skipTime(600);
    bot.slack.faults.refuseNext(30_000, "users.info");
    await clicks(olga, "Approve once");
    await until(() => whispers(olga, asked).length > 0, "the refusal");
    expect(olga.window).toBeUndefined();
    expect(whispers(olga, asked).join()).toContain("Your rights could not be checked");
  });
});

describe("OWNERS on Slack", () => {
  it("replaces the workspace's owners by the people it names", async () => {
    await start({ owners: ({ world }) => `slack:${world.team.id}:U0SAM` });
    const ada = bot.human({ name: "ada" });
    const sam = bot.human({ id: "U0SAM", name: "sam" });
    const olga = bot.human({ name: "olga", kind: "primaryOwner" });
    const asked = await asks(ada, DANGEROUS);
    const { text, clicks } = await cardIn(ada, asked);
    expect(text).toContain("Waiting for sam.");
    await clicks(olga, "Approve once");
    await until(() => whispers(olga, asked).length > 0, "the refusal");
    expect(whispers(olga, asked).join()).toContain("It can be approved by sam.");
    await clicks(sam, "Approve once");
    await sam.submits({ typed: "delete /opt/old" });
    await reads(ada, asked, "Approved once by sam");
  });

  it("names a group of the platform", async () => {
    await start({ owners: ({ world }) => `group:slack:${world.team.id}:S0SRE` });
    const ada = bot.human({ name: "ada" });
    const sam = bot.human({ name: "sam" });
    bot.slack.world.groups.set("S0SRE", { handle: "sre", users: new Set([sam.user.id]) });
    const asked = await asks(ada, DANGEROUS);
    const { text, clicks } = await cardIn(ada, asked);
    expect(text).toContain("Waiting for sam.");
    await clicks(sam, "Approve once");
    await sam.submits({ typed: "delete /opt/old" });
    await reads(ada, asked, "Approved once by sam");
  });

  it("that names no one in the channel refuses at once, with the remedy", async () => {
    await start({ owners: ({ world }) => `slack:${world.team.id}:U0SAM` });
    const ada = bot.human({ name: "ada" });
    bot.human({ name: "olga", kind: "primaryOwner" });
    const asked = await asks(ada, DANGEROUS);
    const seen = await reads(ada, asked, "Result:");
    expect(seen).toContain("OWNERS");
    expect(seen).toContain("invite one of them");
  });
});
