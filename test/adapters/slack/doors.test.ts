import { afterEach, describe, expect, it } from "vitest";
import type { View } from "../../../src/contract/view.ts";
import { until } from "../../contracts/adapter/rig.ts";
import { SlackLab } from "../../support/slack-lab.ts";
import type { SlackRigOptions } from "../../support/slack-rig.ts";

let lab: SlackLab;
const open = async (options: SlackRigOptions = {}) => {
  lab = await SlackLab.start(options);
  return lab;
};
afterEach(() => lab[Symbol.asyncDispose]());

const notice = (text: string): View => ({ kind: "notice", level: "info", text });

describe("15.1 which thread something belongs to", () => {
  it("a mention outside of threads begins one below itself, and replies to it are in it", async () => {
    await open();
    const { thread, root } = await lab.thread("begin");
    lab.ada.says(lab.channel, "go on", { thread: root });
    const events = await lab.heard(2);
    expect(events.map((event) => event.thread)).toEqual([thread, thread]);
    expect(events[1]).toMatchObject({ isMention: false, text: "go on" });
  });

  it("each message of a conversation of two begins a thread of its own", async () => {
    await open();
    const direct = lab.slack.world.directMessage(lab.ada.user.id, lab.slack.app.user.id);
    lab.ada.says(direct, "one");
    lab.ada.says(direct, "two");
    const events = await lab.heard(2);
    expect(new Set(events.map(({ thread }) => thread)).size).toBe(2);
    expect(events).toMatchObject([{ isDirect: true }, { isDirect: true }]);
  });

  it("the same channel in two teams is two threads", async () => {
    await open({ teamId: "T0ONE" });
    const { thread } = await lab.thread();
    expect(thread).toContain(":T0ONE:");
  });
});

describe("what Slack says in its own words", () => {
  it("markup comes as people read it", async () => {
    await open();
    const bot = lab.slack.app.user.id;
    lab.ada.says(
      lab.channel,
      `<@${bot}> see <https://a.example/x|the page>, <https://b.example>, <#C1|general>, <@U9|bob> and <!here>, 1 &lt; 2`,
      { isMarkup: true },
    );
    const [message] = await lab.heard(1);
    expect(message).toMatchObject({
      text: "see the page (https://a.example/x), https://b.example, #general, @bob and @here, 1 < 2",
      isMention: true,
    });
  });

  it("15.3 what is quoted, or stands in a block of code, is pointed at", async () => {
    await open();
    await lab.thread("what is\n```\nexit 137\n```");
    expect(lab.incoming[0]).toMatchObject({ pointedAt: "exit 137" });
  });

  it("15.3 a message that is shared beside one's own words is pointed at", async () => {
    await open();
    const { slack, ada, channel } = lab;
    const ts = slack.world.clock.nextTs();
    const text = `<@${slack.app.user.id}> what is this?`;
    const shared = { is_share: true, is_msg_unfurl: true, text: "exit &lt;137&gt;", ts };
    const said = { user: ada.user.id, channel: channel.id, ts, text, attachments: [shared] };
    slack.events.happened("app_mention", said, channel);
    const [message] = await lab.heard(1);
    expect(message).toMatchObject({ text: "what is this?", pointedAt: "exit <137>" });
  });

  it("a message with a file counts, and a joining does not", async () => {
    await open();
    const files = [{ name: "a.txt", bytes: new Uint8Array([1]) }];
    const { deliveries } = lab.slack.human().joins(lab.channel);
    lab.ada.says(lab.channel, "look", { mention: true, files });
    const [message] = await lab.heard(1);
    expect(message).toMatchObject({ attachments: [{ name: "a.txt", bytes: 1 }] });
    await until(() => deliveries.every(({ isAcknowledged }) => isAcknowledged), "the joining");
    expect(deliveries).toHaveLength(1);
    expect(lab.incoming).toHaveLength(1);
  });

  it("what Slack itself changes at a message, such as the preview of a link, is no edit", async () => {
    await open();
    const { message } = lab.ada.says(lab.channel, "https://a.example", { mention: true });
    await lab.heard(1);
    lab.slack.events.changed(message, lab.slack.events.wire(message));
    lab.ada.edits(message, "really changed");
    const events = await lab.heard(2);
    expect(events.map(({ type }) => type)).toEqual(["message", "edit"]);
  });

  it("the end of a message that has replies comes as a deletion", async () => {
    await open();
    const { thread, root } = await lab.thread();
    await lab.adapter.post(thread, notice("here"), "k");
    const message = lab.slack.world.find(lab.channel.id, root);
    if (message) lab.ada.deletes(message);
    const events = await lab.heard(2);
    expect(events[1]).toMatchObject({ type: "deletion", messageId: root, thread });
  });
});

describe("who people are", () => {
  it.each([
    ["guest", "guest"],
    ["external", "external"],
    ["admin", "member"],
  ] as const)("somebody whom Slack calls %s is a %s", async (kind, expected) => {
    await open();
    const other = lab.slack.human({ kind, name: "zoe" });
    lab.channel.members.add(other.user.id);
    other.says(lab.channel, "hi", { mention: true });
    const [message] = await lab.heard(1);
    expect(message?.actor).toMatchObject({ kind: expected, id: other.user.id });
    const isOurs = message?.actor.team === lab.slack.world.team.id;
    expect(isOurs).toBe(expected !== "external");
    const presence = await lab.adapter.presence(message?.thread ?? "", other.user.id);
    expect(presence).toMatchObject({
      actor: { kind: expected },
      place: { team: lab.slack.world.team.id, channel: lab.channel.id, isChannelMember: true },
    });
  });

  it("somebody who was deactivated is known as such", async () => {
    await open();
    const { thread } = await lab.thread();
    const gone = lab.slack.human({ kind: "deactivated" });
    expect(await lab.adapter.presence(thread, gone.user.id)).toMatchObject({
      actor: { kind: "deactivated" },
      place: { isChannelMember: false },
    });
  });

  it("groups of Slack come along, as a policy names them", async () => {
    await open();
    lab.slack.world.groups.set("S0SRE", { handle: "sre", users: new Set([lab.ada.user.id]) });
    await lab.thread();
    expect(lab.incoming[0]?.actor.groups).toEqual([`slack:${lab.slack.world.team.id}:S0SRE`]);
  });

  it("files in shared channels are looked up, since their events do not name them", async () => {
    await open();
    const shared = lab.slack.channel([lab.ada], { isExternallyShared: true });
    const files = [{ name: "deal.txt", bytes: new TextEncoder().encode("deal") }];
    lab.ada.says(shared, "see", { mention: true, files });
    const [message] = await lab.heard(1);
    if (message?.type !== "message") throw new Error("no message");
    const [attachment] = message.attachments;
    expect(attachment).toMatchObject({ name: "deal.txt", bytes: 4 });
    if (!attachment) return;
    const bytes = await lab.adapter.fetchAttachment(message.thread, attachment);
    expect(new TextDecoder().decode(bytes)).toBe("deal");
  });

  it("and where the app may not look them up, the message counts all the same", async () => {
    await open();
    lab.slack.app.scopes.delete("files:read");
    const shared = lab.slack.channel([lab.ada], { isExternallyShared: true });
    const files = [{ name: "deal.txt", bytes: new TextEncoder().encode("deal") }];
    lab.ada.says(shared, "see", { mention: true, files });
    const [message] = await lab.heard(1);
    expect(message).toMatchObject({ text: "see", attachments: [{ name: "file" }] });
  });

  it("a click of somebody who is not in the channel says so", async () => {
    await open();
    const { thread } = await lab.thread();
    const buttons = [{ action: "verb:todos", label: "Todos" }];
    await lab.adapter.post(thread, { ...notice("?"), buttons } as View, "k");
    const bob = lab.slack.human();
    lab.channel.members.add(bob.user.id);
    const [seen] = lab.sees(lab.incoming[0]?.thread.split(":")[3] ?? "", bob);
    const clicking = seen && bob.clicks(seen.message, "verb:todos");
    lab.channel.members.delete(bob.user.id);
    await clicking;
    expect(lab.incoming.at(-1)).toMatchObject({ type: "click", isChannelMember: false });
  });
});
