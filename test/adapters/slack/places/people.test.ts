import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { View } from "../../../../src/contract/platform/view.ts";
import { skipTime } from "../../../support/skip-time.ts";
import { SlackLab } from "../../../support/slack-lab.ts";
import { until } from "../../../support/until.ts";

let lab: SlackLab;
beforeEach(async () => {
  lab = await SlackLab.start();
});
afterEach(() => lab[Symbol.asyncDispose]());

const card: View = {
  kind: "notice",
  level: "info",
  text: "?",
  buttons: [{ action: "verb:todos", label: "Todos" }],
};

/** Ada has just spoken, and looks at a card of her thread. */
async function withCard() {
  const { thread, root } = await lab.thread();
  await lab.adapter.post(thread, card, "k");
  const [seen] = lab.sees(root);
  if (!seen) throw new Error("no card");
  return {
    thread,
    clicked: async () => {
      await lab.ada.clicks(seen.message, "verb:todos");
      return lab.incoming.at(-1);
    },
  };
}

describe("P-A2 what was taken from somebody is gone at their next click", () => {
  it("their seat in the channel", async () => {
    const { thread, clicked } = await withCard();
    const clicking = clicked();
    lab.channel.members.delete(lab.ada.user.id);
    expect(await clicking).toMatchObject({ type: "click", isChannelMember: false });
    using _later = skipTime(600);
    expect(await lab.adapter.presence(thread, lab.ada.user.id)).toMatchObject({
      place: { isChannelMember: false },
    });
  });

  it("their full membership", async () => {
    const { thread, clicked } = await withCard();
    expect(await clicked()).toMatchObject({ actor: { kind: "member" } });
    lab.ada.user.kind = "guest";
    using _later = skipTime(600);
    expect(await clicked()).toMatchObject({ type: "click", actor: { kind: "guest" } });
    expect(await lab.adapter.presence(thread, lab.ada.user.id)).toMatchObject({
      actor: { kind: "guest" },
    });
  });

  it("their place in a group", async () => {
    const users = new Set([lab.ada.user.id]);
    lab.slack.world.groups.set("S0SRE", { handle: "sre", users });
    const { thread, clicked } = await withCard();
    expect((await clicked())?.actor.groups).toHaveLength(1);
    users.clear();
    using _later = skipTime(3_100);
    expect((await clicked())?.actor.groups).toEqual([]);
    const presence = await lab.adapter.presence(thread, lab.ada.user.id);
    expect(presence?.actor.groups).toEqual([]);
  });

  it("and nobody is taken for a member because somebody has deleted what they said", async () => {
    const { message } = lab.ada.says(lab.channel, "hello", { mention: true });
    await lab.heard(1);
    const thread = lab.threadAt(message.ts);
    lab.channel.members.delete(lab.ada.user.id);
    using _later = skipTime(600);
    lab.ada.deletes(message);
    await lab.heard(2);
    const elsewhere = lab.slack.channel([lab.ada]);
    const link = `https://x.slack.com/archives/${lab.channel.id}/p${message.ts.replace(".", "")}`;
    await lab.ada.runs(elsewhere, "/todos", link);
    expect(lab.incoming.at(-1)).toMatchObject({ type: "command", thread, isChannelMember: false });
  });
});

describe("what Slack does not say", () => {
  it("groups that cannot be read just now are waited for: nobody loses a right by it", async () => {
    const users = new Set([lab.ada.user.id]);
    lab.slack.world.groups.set("S0SRE", { handle: "sre", users });
    lab.slack.faults.refuseNext(1_000, "usergroups.list");
    await lab.thread();
    expect(lab.incoming[0]?.actor.groups).toHaveLength(1);
  });

  it("to a channel that the bot was taken out of nobody belongs; the home tab shows the others", async () => {
    const closed = lab.slack.channel([lab.ada], { type: "group" });
    const { message } = lab.ada.says(closed, "in the closed one", { mention: true });
    await lab.heard(1);
    await lab.thread("fix the build");
    await until(async () => (await lab.rig.documents.keys("thread:")).length === 2, "both threads");
    closed.members.delete(lab.slack.app.user.id);
    const presence = await lab.adapter.presence(lab.threadAt(message.ts, closed), lab.ada.user.id);
    expect(presence).toMatchObject({ place: { isChannelMember: false } });
    lab.ada.opensHome();
    const home = () =>
      JSON.stringify(lab.slack.world.homes.get(lab.ada.user.id)?.content.blocks ?? "");
    await until(() => home().includes("fix the build"), "the home tab");
    expect(home()).not.toContain("in the closed one");
  });
});
