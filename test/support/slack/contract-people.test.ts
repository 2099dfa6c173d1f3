import { describe, expect, it } from "vitest";
import { SlackContractPeople, type SlackPlace } from "./contract-people.ts";
import { SlackLab } from "./test-lab.ts";

const encode = ({ team, channel, root }: SlackPlace) => `slack:${team}:${channel}:${root}`;
const decode = (thread: string): SlackPlace => {
  const [, team = "", channel = "", root = ""] = thread.split(":");
  return { team, channel, root };
};

async function openPeople() {
  const lab = await SlackLab.start();
  const signs = { seen: "eyes", done: "white_check_mark" };
  const names = { encode, decode, signs, command: "/deckhand", commandBy: "shortcut" } as const;
  const people = new SlackContractPeople(lab.slack, names);
  const thread = await people.newThread();
  const ada = people.person();
  const { channel, root: thread_ts } = decode(thread);
  return {
    lab,
    people,
    thread,
    ada,
    place: { channel, thread_ts },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
}

describe("the people of the adapter contract, on Slack", () => {
  it("a thread begins empty, and what the bot posts is seen in it", async () => {
    await using stage = await openPeople();
    const { lab, people, thread, place, ada } = stage;
    expect(await people.visible(thread)).toEqual([]);
    await people.say(ada, thread, "hello");
    await lab.post({ ...place, text: "hi" });
    expect(await people.visible(thread)).toMatchObject([{ text: "hi", buttons: [], files: [] }]);
    expect(await people.visible(thread, people.person({ isOutside: true }))).toEqual([]);
    expect(await people.visible(await people.newThread())).toEqual([]);
  });

  it("what they do is told to the app, acknowledged and told again", async () => {
    await using stage = await openPeople();
    const { lab, people, thread, ada } = stage;
    using client = await lab.connect();
    const said = await people.say(ada, thread, "run", { mention: false, quoting: "exit code 137" });
    await client.atLeast(1);
    expect(client.events).toMatchObject([{ ts: said.messageId, text: "&gt; exit code 137\nrun" }]);
    await expect.poll(() => people.isAcknowledged(said)).toBe(true);
    await people.redeliver(said);
    await client.atLeast(2);
    const [first, second] = client.envelopes;
    expect(second?.payload).toEqual(first?.payload);
    await people.command(ada, thread, "todos");
    expect(client.payload).toMatchObject({ type: "message_action", callback_id: "todos" });
    await people.stop(ada, thread);
    await people.archive(ada, thread);
    await client.atLeast(5);
    expect(client.events.slice(-2)).toMatchObject([
      { type: "agent_session_stopped" },
      { type: "channel_archive" },
    ]);
  });

  it("they click, type where a window opens, and read what is whispered to them alone", async () => {
    await using stage = await openPeople();
    const { lab, people, thread, ada, place } = stage;
    using client = await lab.connect();
    const text = { type: "plain_text", text: "Why" };
    const elements = [{ type: "button", action_id: "a", value: "ask", text }];
    await lab.post({ ...place, blocks: [{ type: "actions", elements }] });
    const [post] = await people.visible(thread);
    expect(post?.buttons).toMatchObject([{ action: "ask", label: "Why" }]);
    const typing = people.click(ada, thread, {
      post: post?.post ?? "",
      action: "ask",
      typed: "so",
    });
    await client.atLeast(2);
    const blocks = [{ type: "input", label: text, element: { type: "plain_text_input" } }];
    const view = { type: "modal", title: text, submit: text, blocks };
    await lab.call("views.open", { trigger_id: client.payload.trigger_id, view });
    await typing;
    expect(JSON.stringify(client.payload)).toContain('"value":"so"');
    await lab.call("chat.postEphemeral", { channel: place.channel, user: ada.id, text: "psst" });
    expect(await people.whispers(thread, ada)).toMatchObject([{ text: "psst" }]);
    expect(await people.whispers(thread, people.person())).toEqual([]);
  });

  it("marks are told as signs, and faults reach Slack", async () => {
    await using stage = await openPeople();
    const { lab, people, thread, ada, place } = stage;
    const { messageId } = await people.say(ada, thread, "mark me");
    const item = { channel: place.channel, timestamp: messageId, name: "eyes" };
    await lab.call("reactions.add", item);
    expect(await people.marks(thread, messageId)).toEqual(["seen"]);
    people.faults.loseNextAnswer();
    await expect(lab.post({ ...place, text: "once" })).rejects.toThrow();
    const [post] = await people.visible(thread);
    await people.faults.deletePost(thread, post?.post ?? "");
    expect(await people.visible(thread)).toEqual([]);
    people.faults.refuseNext(100);
    expect((await lab.call("auth.test")).status).toBe(429);
    await lab.post({ ...place, text: "<!here>" });
    expect(await people.alarms(thread)).not.toEqual([]);
  });
});
