import { afterEach, describe, expect, it } from "vitest";
import type { View } from "../../../src/contract/platform/view.ts";
import { SlackLab } from "../../support/slack-lab.ts";
import type { SlackRigOptions } from "../../support/slack-rig.ts";
import { until } from "../../support/until.ts";

let lab: SlackLab;
const open = async (options: SlackRigOptions = {}) => {
  lab = await SlackLab.start(options);
  return lab;
};
afterEach(() => lab[Symbol.asyncDispose]());

const notice = (text: string): View => ({ kind: "notice", level: "info", text });

describe("who people are", () => {
  it("is not asked for what they say to each other in a channel: Slack answers a hundred times a minute", async () => {
    await open();
    const others = Array.from({ length: 150 }, () => lab.slack.human());
    for (const { user } of others) lab.channel.members.add(user.id);
    const said = others.flatMap((one) => one.says(lab.channel, "lunch?").deliveries);
    await until(() => said.every(({ isAcknowledged }) => isAcknowledged), "the others' words");
    expect(lab.calls("users.info")).toEqual([]);
    await lab.thread("deploy");
    expect(lab.incoming).toMatchObject([{ text: "deploy", isMention: true }]);
  });

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

  it("somebody who has given no names is known by their handle", async () => {
    await open();
    const said = { real_name: null, profile: { real_name: null, display_name: null } };
    const other = lab.slack.human({ name: "zoe", said });
    lab.channel.members.add(other.user.id);
    other.says(lab.channel, "hi", { mention: true });
    const [message] = await lab.heard(1);
    expect(message).toMatchObject({ actorName: "zoe", actor: { kind: "member" } });
  });

  it.each([
    ["of no team that Slack names", { team_id: undefined }, "external"],
    [
      "of another team of the same organization, who is in ours too",
      { team_id: "T0OTHER", enterprise_user: { teams: ["T0OTHER", "T0OURS"] } },
      "member",
    ],
    [
      "of another team of the same organization",
      { team_id: "T0OTHER", enterprise_user: { teams: ["T0OTHER"] } },
      "external",
    ],
  ])("somebody %s", async (_, said, kind) => {
    await open({ teamId: "T0OURS" });
    const other = lab.slack.human({ said });
    lab.channel.members.add(other.user.id);
    other.says(lab.channel, "hi", { mention: true });
    const [message] = await lab.heard(1);
    expect(message?.actor).toMatchObject({ kind });
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
