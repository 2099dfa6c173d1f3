import { afterEach, describe, expect, it } from "vitest";
import type { View } from "../../../../src/contract/platform/view.ts";
import { SlackLab } from "../../../support/slack-lab.ts";
import type { SlackRigOptions } from "../../../support/slack-rig.ts";
import { until } from "../../../support/until.ts";

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

  it("a reply that is shown in the channel as well is in its thread", async () => {
    await open();
    const { thread, root } = await lab.thread("begin");
    lab.ada.says(lab.channel, "go on", { thread: root, broadcast: true });
    const events = await lab.heard(2);
    expect(events[1]).toMatchObject({ type: "message", text: "go on", thread });
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

  it("names that Slack has made links of come as they were typed", async () => {
    await open();
    const typed =
      "$ cat <http://README.md|README.md> &amp;&amp; ./<http://deploy.sh|deploy.sh> <mailto:a@b.example|a@b.example> <http://a.example/x?y&amp;z>";
    lab.ada.says(lab.channel, `<@${lab.slack.app.user.id}> ${typed}`, { isMarkup: true });
    const [message] = await lab.heard(1);
    const text = "$ cat README.md && ./deploy.sh a@b.example http://a.example/x?y&z";
    expect(message).toMatchObject({ text });
  });

  it("blanks that must not break, which Slack puts beside links and into what is pasted, are blanks", async () => {
    await open();
    lab.ada.says(lab.channel, "\u00a0$ ls\u00a0-la", { mention: true });
    const [message] = await lab.heard(1);
    expect(message).toMatchObject({ text: "$ ls -la" });
    await lab.ada.runs(lab.channel, "/deckhand", "terminal\u00a0history");
    expect(lab.incoming.at(-1)).toMatchObject({ type: "command", text: "terminal history" });
  });

  it.each([
    ["```exit 137```", "exit 137"],
    ["```npm test\nexit 137```", "npm test\nexit 137"],
    ["```\nexit 137\n```", "exit 137"],
    ["&gt; exit 137\n&gt; killed\nwhy?", "exit 137\nkilled"],
  ])(
    "15.3 what is quoted, or stands in a block of code, is pointed at: %j",
    async (said, meant) => {
      await open();
      lab.ada.says(lab.channel, `<@${lab.slack.app.user.id}> ${said}`, { isMarkup: true });
      const [message] = await lab.heard(1);
      expect(message).toMatchObject({ pointedAt: meant });
    },
  );

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
