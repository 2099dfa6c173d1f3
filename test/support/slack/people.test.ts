import { describe, expect, it } from "vitest";
import { until } from "../until.ts";
import type { Seen } from "./human.ts";
import { SlackLab } from "./test-lab.ts";
import { isFields } from "./values.ts";

const plain = (text: string) => ({ type: "plain_text", text });
const button = (value: string) => ({ type: "button", action_id: value, value, text: plain(value) });
const row = (...values: string[]) => ({ type: "actions", elements: values.map(button) });
const form = {
  type: "modal",
  callback_id: "form",
  title: plain("Why?"),
  submit: plain("Send"),
  blocks: [
    {
      type: "input",
      block_id: "why",
      label: plain("Reason"),
      element: { type: "plain_text_input", action_id: "typed", max_length: 20 },
    },
  ],
};
const words = (seen: readonly Seen[]) => seen.map(({ text }) => text);

describe("people in front of Slack", () => {
  it("see a thread in its order, and its replies not in the channel", async () => {
    await using lab = await SlackLab.start();
    const { message } = lab.ada.says(lab.channel, "root");
    await lab.post({ text: "one &lt; two", thread_ts: message.ts });
    lab.ada.says(lab.channel, "three", { thread: message.ts });
    expect(words(lab.ada.sees(lab.channel, message.ts))).toEqual(["root", "one < two", "three"]);
    expect(words(lab.ada.sees(lab.channel))).toEqual(["root"]);
    expect(lab.slack.human().sees(lab.channel)).toEqual([]);
  });

  it("see a reply to a root that is gone alone in the channel, and the bot can tell", async () => {
    await using lab = await SlackLab.start();
    const { message } = lab.ada.says(lab.channel, "never mind");
    lab.ada.deletes(message);
    const args = { channel: lab.channel.id, text: "lost", thread_ts: message.ts };
    const { body } = await lab.call("chat.postMessage", args);
    expect(body.message).not.toHaveProperty("thread_ts");
    expect(words(lab.ada.sees(lab.channel))).toEqual(["lost"]);
  });

  it("see a whisper alone, and in a thread only once it has a reply", async () => {
    await using lab = await SlackLab.start();
    const { ts } = lab.ada.says(lab.channel, "root").message;
    const args = { channel: lab.channel.id, user: lab.ada.user.id, thread_ts: ts };
    await lab.call("chat.postEphemeral", { ...args, text: "unseen" });
    await lab.post({ text: "reply", thread_ts: ts });
    await lab.call("chat.postEphemeral", { ...args, text: "seen" });
    const bob = lab.slack.human();
    lab.channel.members.add(bob.user.id);
    expect(words(lab.ada.sees(lab.channel, ts))).toEqual(["root", "reply", "seen"]);
    expect(words(bob.sees(lab.channel, ts))).toEqual(["root", "reply"]);
  });

  it("see every block's words, and its buttons apart from them", async () => {
    await using lab = await SlackLab.start();
    const rich = { type: "rich_text_section", elements: [{ type: "text", text: "rich" }] };
    await lab.post({
      blocks: [
        { type: "header", text: plain("head") },
        { type: "section", text: { type: "mrkdwn", text: "a &amp; <https://a.b|link>" } },
        { type: "markdown", text: "**bold** \\*star" },
        { type: "rich_text", elements: [rich] },
        { type: "context", elements: [{ type: "mrkdwn", text: "small" }] },
        row("yes", "no"),
        {
          type: "actions",
          elements: [
            {
              type: "static_select",
              action_id: "s",
              options: [{ text: plain("One"), value: "1" }],
            },
          ],
        },
      ],
    });
    const [seen] = lab.ada.sees(lab.channel);
    expect(seen?.text.split("\n")).toEqual(["head", "a & link", "**bold** *star", "rich", "small"]);
    expect(seen?.buttons.map(({ value }) => value)).toEqual(["yes", "no", "1"]);
  });

  it("click what is there, and nothing else", async () => {
    await using lab = await SlackLab.start();
    using client = await lab.connect();
    const root = lab.ada.says(lab.channel, "root").message.ts;
    await lab.post({ thread_ts: root, blocks: [row("yes", "no")] });
    const message = lab.ada.sees(lab.channel, root)[1]?.message;
    if (!message) throw new Error("there is no message");
    await expect(lab.ada.clicks(message, "maybe")).rejects.toThrow("sees no button maybe");
    await lab.ada.clicks(message, "no");
    expect(client.envelopes.at(-1)).toMatchObject({
      type: "interactive",
      payload: {
        type: "block_actions",
        user: { id: lab.ada.user.id },
        container: { message_ts: message.ts, thread_ts: root, is_ephemeral: false },
        actions: [{ action_id: "no", value: "no" }],
      },
    });
  });

  it("fill in a window: an error stays at its field, then it closes", async () => {
    await using lab = await SlackLab.start();
    using client = await lab.connect();
    await lab.post({ blocks: [row("ask")] });
    const message = lab.ada.sees(lab.channel)[0]?.message;
    if (!message) throw new Error("there is no message");
    await lab.ada.clicks(message, "ask");
    const { trigger_id } = client.payload;
    expect((await lab.call("views.open", { trigger_id, view: form })).body).toMatchObject({
      ok: true,
    });
    client.answer = () => ({ response_action: "errors", errors: { why: "Say more." } });
    await lab.ada.submits({ typed: "no" });
    expect(lab.ada.window?.errors).toEqual({ why: "Say more." });
    await expect(lab.ada.submits({ typed: "x".repeat(21) })).rejects.toThrow("takes 20");
    client.answer = () => ({});
    await lab.ada.submits({ typed: "because" });
    expect(lab.ada.window).toBeUndefined();
    const { view } = client.payload;
    expect(isFields(view) && view.state).toEqual({
      values: { why: { typed: { type: "plain_text_input", value: "because" } } },
    });
  });

  it("see that an action failed when nobody answers in time", async () => {
    await using lab = await SlackLab.start({ ackMs: 30 });
    using client = await lab.connect();
    client.answer = undefined;
    await lab.ada.runs(lab.channel, "/todos");
    expect(lab.ada.failures).toEqual(["/todos: timeout"]);
    expect(client.envelopes).toHaveLength(1);
  });

  it("answers at a response_url reach the one who acted, five times within half an hour", async () => {
    await using lab = await SlackLab.start();
    using client = await lab.connect();
    await lab.ada.runs(lab.channel, "/todos");
    const responseUrl = String(client.payload.response_url);
    const answer = () =>
      fetch(responseUrl, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ text: "none" }),
      });
    for (let use = 0; use < 5; use += 1) expect((await answer()).status).toBe(200);
    const refused = await answer();
    expect([refused.status, await refused.text()]).toEqual([404, "used_url"]);
    expect(lab.ada.sees(lab.channel).filter(({ isWhisper }) => isWhisper)).toHaveLength(5);
    await lab.ada.runs(lab.channel, "/todos");
    const later = String(client.payload.response_url);
    lab.slack.world.clock.advance(31 * 60_000);
    expect((await fetch(later, { method: "POST", body: "{}" })).status).toBe(404);
  });

  it("edit and delete: a root with replies becomes a tombstone", async () => {
    await using lab = await SlackLab.start();
    using client = await lab.connect();
    const { message } = lab.ada.says(lab.channel, "tpyo");
    lab.ada.edits(message, "typo");
    lab.ada.says(lab.channel, "reply", { thread: message.ts });
    lab.ada.deletes(message);
    await client.atLeast(4);
    expect(client.events.map(({ subtype }) => subtype)).toEqual([
      undefined,
      "message_changed",
      undefined,
      "message_changed",
    ]);
    expect(client.events[1]).toMatchObject({
      message: { text: "typo", ts: message.ts },
      previous_message: { text: "tpyo" },
    });
    expect(client.events[3]).toMatchObject({ message: { subtype: "tombstone" } });
  });

  it("stop an agent where it works, and its stream with it", async () => {
    await using lab = await SlackLab.start();
    using client = await lab.connect();
    const root = lab.ada.says(lab.channel, "go").message.ts;
    expect(() => lab.ada.stops(lab.channel, root)).toThrow("no stop button");
    const place = { channel_id: lab.channel.id, thread_ts: root };
    await lab.call("agents.sessions.setStatus", { ...place, status: "processing" });
    lab.ada.stops(lab.channel, root);
    await until(
      () => client.events.some(({ type }) => type === "agent_session_stopped"),
      "the stop",
    );
    expect(client.events.at(-1)).toMatchObject({
      user: lab.ada.user.id,
      thread_ts: root,
      streaming_message_ts: [],
    });
  });

  it("a status goes with the bot's next message", async () => {
    await using lab = await SlackLab.start();
    const root = lab.ada.says(lab.channel, "go").message.ts;
    const place = { channel_id: lab.channel.id, thread_ts: root };
    await lab.call("assistant.threads.setStatus", { ...place, status: "thinks" });
    expect(lab.slack.world.statuses.size).toBe(1);
    await lab.post({ thread_ts: root });
    expect(lab.slack.world.statuses.size).toBe(0);
  });
});
