import { describe, expect, it } from "vitest";
import { SlackLab } from "../../../support/slack-lab.ts";
import { until } from "../../../support/until.ts";

const texts = (lab: SlackLab) =>
  lab.incoming.flatMap((event) => ("text" in event ? [event.text] : []));

describe("P-C3 what Slack tells while it does not say who somebody is", () => {
  it("is acknowledged at once and handed over as soon as it says so, in the thread's order", async () => {
    await using lab = await SlackLab.start();
    const bob = lab.slack.human();
    lab.channel.members.add(bob.user.id);
    lab.slack.faults.refuseNext(6_000, "users.info");
    const first = bob.says(lab.channel, "first", { mention: true });
    const second = lab.ada.says(lab.channel, "second", { thread: first.message.ts });
    const deliveries = [...first.deliveries, ...second.deliveries];
    await until(() => deliveries.every((one) => one.isAcknowledged), "the acknowledgement");
    expect(texts(lab)).toEqual([]);
    expect(await lab.rig.documents.keys("unread:")).toHaveLength(2);
    await until(() => lab.incoming.length === 2, "both");
    expect(texts(lab)).toEqual(["first", "second"]);
    await until(async () => (await lab.rig.documents.keys("unread:")).length === 0, "nothing left");
  });

  it("is handed over by whoever starts next where the bot was ended meanwhile", async () => {
    await using lab = await SlackLab.start();
    const bob = lab.slack.human();
    lab.channel.members.add(bob.user.id);
    lab.slack.faults.refuseNext(30_000, "users.info");
    const { deliveries } = bob.says(lab.channel, "kept", { mention: true });
    await until(() => deliveries.every((one) => one.isAcknowledged), "the acknowledgement");
    await lab.adapter[Symbol.asyncDispose]();
    expect(texts(lab)).toEqual([]);
    await lab.another();
    await until(() => lab.incoming.length === 1, "what was kept");
    expect(texts(lab)).toEqual(["kept"]);
    await until(async () => (await lab.rig.documents.keys("unread:")).length === 0, "nothing left");
  });

  it("comes in the order in which it was said, and what cannot be understood keeps nobody from starting", async () => {
    await using lab = await SlackLab.start();
    await lab.adapter[Symbol.asyncDispose]();
    const { documents } = lab.rig;
    const said = { type: "message", channel: lab.channel.id, user: lab.ada.user.id };
    const [first, second, third] = ["1700000000.000100", "1700000001.000100", "1600000000.000100"];
    const edited = { user: lab.ada.user.id, ts: second };
    const change = { ...said, subtype: "message_changed", ts: second };
    const message = { ts: first, user: lab.ada.user.id, text: "after", edited };
    const text = `<@${lab.slack.app.user.id}> before`;
    const kept = {
      [`unread:message:${lab.channel.id}:${first}`]: { ...said, ts: first, text },
      [`unread:edit:${lab.channel.id}:${first}:${second}`]: { ...change, message },
      [`unread:message:${lab.channel.id}:${third}`]: { ...said, user: "U0NOBODY", ts: third, text },
      "unread:nonsense": { nonsense: true },
    };
    for (const [name, event] of Object.entries(kept)) await documents.set(name, event);
    await lab.another();
    await until(() => lab.incoming.length === 2, "both");
    expect(texts(lab)).toEqual(["before", "after"]);
    await until(
      async () => (await documents.keys("unread:message:")).length === 0,
      "the end of it",
    );
  });
});
