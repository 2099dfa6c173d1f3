import { afterEach, expect, it } from "vitest";
import { SlackLab } from "../../support/slack-lab.ts";

let lab: SlackLab;
afterEach(() => lab[Symbol.asyncDispose]());

const open = async () => {
  lab = await SlackLab.start();
  const bob = lab.slack.human({ name: "bob", realName: "Bob Builder" });
  const nameless = lab.slack.human({ name: "", realName: "" });
  const unseen = lab.slack.human({ name: "\u3164 \u200b", realName: "Zoe\u202e\nDoe" });
  const secret = lab.slack.world.addChannel({ name: "secret", type: "group" });
  lab.slack.world.groups.set("S0SRE", { handle: "sre", users: new Set([bob.user.id]) });
  return {
    bob: bob.user.id,
    nameless: nameless.user.id,
    unseen: unseen.user.id,
    here: lab.slack.channel([], { name: "general" }).id,
    secret: secret.id,
  };
};
type Ids = Awaited<ReturnType<typeof open>>;

const CASES: readonly (readonly [string, (ids: Ids) => string, string])[] = [
  ["a person", ({ bob }) => `ask <@${bob}> now`, "ask @bob now"],
  ["a person with a label", ({ bob }) => `ask <@${bob}|old>`, "ask @bob"],
  ["a person twice", ({ bob }) => `<@${bob}> and <@${bob}>`, "@bob and @bob"],
  ["a person without a name", ({ nameless }) => `ask <@${nameless}>`, "ask @someone"],
  ["a person whose name is not seen", ({ unseen }) => `ask <@${unseen}>`, "ask @Zoe Doe"],
  ["a person whom Slack does not know", () => "ask <@U0NOBODY1>", "ask @someone"],
  ["a channel without a label", ({ here }) => `in <#${here}|>`, "in #general"],
  ["a channel that the bot may not see", ({ secret }) => `in <#${secret}>`, "in a channel"],
  ["a channel with a label", () => "in <#C0ELSEWHERE|ops>", "in #ops"],
  ["a group", () => "tell <!subteam^S0SRE>", "tell @sre"],
  ["a group that is gone", () => "tell <!subteam^S0GONE>", "tell a group"],
  ["everyone", () => "tell <!channel> and <!here|here>", "tell @channel and here"],
  ["a date", () => "at <!date^1392734382^{time}|6:39 AM>", "at 6:39 AM"],
  ["text that looks so", () => "type &lt;@U0123ABC&gt;", "type <@U0123ABC>"],
];

it.each(CASES)("%s in a message is read by name, never by an id", async (_, said, read) => {
  const ids = await open();
  const self = lab.slack.app.user.id;
  const { message } = lab.ada.says(lab.channel, `<@${self}> ${said(ids)}`, { isMarkup: true });
  const [heard] = await lab.heard(1);
  expect(heard).toMatchObject({ text: read });
  const later = lab.ada.says(lab.channel, "and?", { thread: message.ts });
  const earlier = await lab.adapter.earlier(lab.threadAt(message.ts), later.message.ts, 5);
  expect(earlier.map(({ text }) => text)).toEqual([read]);
});

it("the author of an earlier message whom Slack does not know is someone", async () => {
  await open();
  const { thread, root } = await lab.thread();
  const gone = lab.slack.human({ name: "gone" });
  lab.channel.members.add(gone.user.id);
  lab.slack.human({ id: gone.user.id }).says(lab.channel, "bye", { thread: root });
  lab.slack.world.users.delete(gone.user.id);
  const last = lab.ada.says(lab.channel, "and?", { thread: root });
  const earlier = await lab.adapter.earlier(thread, last.message.ts, 5);
  expect(earlier.map(({ author }) => author)).toEqual(["ada", "someone"]);
});

it("names that Slack does not tell cost the name only", async () => {
  const { bob } = await open();
  lab.slack.faults.lacks.set("usergroups.list", "missing_scope");
  lab.slack.faults.lacks.set("conversations.info", "missing_scope");
  const self = lab.slack.app.user.id;
  const said = `<@${self}> <@${bob}> <#C0123> <!subteam^S0SRE>`;
  lab.ada.says(lab.channel, said, { isMarkup: true });
  expect(await lab.heard(1)).toMatchObject([{ text: "@bob a channel a group" }]);
});
