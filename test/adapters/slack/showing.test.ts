import { afterEach, describe, expect, it } from "vitest";
import type { View } from "../../../src/contract/platform/view.ts";
import { SAMPLES, todoList } from "../../contracts/adapter/views.ts";
import { SlackLab } from "../../support/slack-lab.ts";
import type { SlackRigOptions } from "../../support/slack-rig.ts";

let lab: SlackLab | undefined;
const open = async (options: SlackRigOptions = {}) => {
  lab = await SlackLab.start(options);
  return lab;
};
afterEach(async () => {
  await lab?.[Symbol.asyncDispose]();
  lab = undefined;
});
const notice = (text: string): View => ({ kind: "notice", level: "info", text });

describe("plans", () => {
  const board: View = { kind: "todoBoard", todos: todoList(["Find it", "Fix it"]), buttons: [] };

  it("are Slack's own for the todo board and for what is going on", async () => {
    const { adapter, sees, ...slack } = await at();
    await adapter.post(slack.thread, board, "1");
    await adapter.post(slack.thread, SAMPLES.activity.view, "2");
    const blocks = sees().map(({ message }) => message.blocks[0]);
    expect(blocks).toMatchObject([
      { type: "plan", tasks: [{ status: "in_progress" }, { status: "pending" }] },
      { type: "plan", title: "Working …", tasks: [{ status: "complete" }, {}] },
    ]);
  });

  it("are lists where the workspace does not have them, and that is remembered", async () => {
    const { adapter, sees, thread, slack } = await at();
    slack.faults.lacksBlocks.add("plan");
    const post = await adapter.post(thread, board, "1");
    expect(sees()[0]?.text).toContain("Fix it");
    await adapter.edit(thread, post, board);
    const refused = slack.calls.filter(({ outcome }) => outcome === "invalid_blocks");
    expect(refused).toHaveLength(1);
  });
});

describe("threads that are not what they were", () => {
  it("below a message that was deleted nothing is shown, and nothing is left in the channel", async () => {
    const { adapter, thread, slack, lab: here, root } = await at();
    const message = slack.world.find(here.channel.id, root);
    if (message) here.ada.deletes(message);
    await expect(adapter.post(thread, notice("lost"), "k")).rejects.toMatchObject({
      when: "never",
    });
    expect(here.ada.sees(here.channel).map(({ text }) => text)).toEqual([]);
  });

  it("also where Slack does not let it be taken away at once", async () => {
    const { adapter, thread, slack, lab: here, root } = await at();
    const message = slack.world.find(here.channel.id, root);
    if (message) here.ada.deletes(message);
    slack.faults.refuseNext(1_000, "chat.delete");
    await expect(adapter.post(thread, notice("lost"), "k")).rejects.toMatchObject({
      when: "never",
    });
    expect(here.ada.sees(here.channel).map(({ text }) => text)).toEqual([]);
  });

  it("what cannot be reached for good says so, and what the operator must do", async () => {
    const { adapter, thread, slack } = await at();
    slack.app.scopes.delete("chat:write");
    await expect(adapter.post(thread, notice("x"), "k")).rejects.toThrow(
      /missing_scope.*Add the scope chat:write.*reinstall it/,
    );
  });

  it("a thread of another team is refused", async () => {
    const { adapter, thread } = await at();
    const foreign = thread.replace(/:T[A-Z0-9]+:/, ":T0OTHER:");
    await expect(adapter.post(foreign, notice("x"), "k")).rejects.toMatchObject({ when: "never" });
  });
});

describe("P-C5 what was sent before a process ended", () => {
  it("is found by its key, and not sent again", async () => {
    const { adapter, thread, sees, lab: here } = await at();
    const post = await adapter.post(thread, notice("once"), "k");
    const other = await here.another();
    expect(await other.post(thread, notice("once more"), "k")).toBe(post);
    expect(sees().map(({ text }) => text)).toEqual([expect.stringContaining("once more")]);
  });

  it("a key that nobody has tried costs no look at Slack", async () => {
    const { adapter, thread, slack } = await at();
    await adapter.post(thread, notice("new"), "k");
    const looked = slack.calls.filter(({ method }) => method === "conversations.replies");
    expect(looked).toEqual([]);
  });
});

describe("P-C7 after a 429", () => {
  it.each(["rate_limited", "ratelimited", "message_limit_exceeded", "team_added_to_org"])(
    "or %s, which Slack also says without one, it is tried again",
    async (code) => {
      const { adapter, thread, slack, sees } = await at();
      slack.faults.lacks.set("chat.postMessage", code);
      const refused = adapter.post(thread, notice("x"), "k");
      await expect(refused).rejects.toMatchObject({ when: "later", isInDoubt: false });
      slack.faults.lacks.clear();
      await adapter.post(thread, notice("x"), "k");
      expect(sees()).toHaveLength(1);
    },
  );

  it("Slack is left alone for as long as it said, and other channels are not", async () => {
    const { adapter, thread, slack, lab: here } = await at();
    slack.faults.refuseNext(2_000, "chat.postMessage");
    for (const key of ["1", "2", "3"])
      await expect(adapter.post(thread, notice(key), key)).rejects.toMatchObject({
        when: "later",
      });
    const posts = () => slack.calls.filter(({ method }) => method === "chat.postMessage");
    expect(posts()).toHaveLength(1);
    const elsewhere = slack.channel([here.ada]);
    const { message } = here.ada.says(elsewhere, "hi", { mention: true });
    await adapter.post(here.threadAt(message.ts, elsewhere), notice("hi"), "k");
    expect(posts()).toHaveLength(2);
  });
});

async function at(options: SlackRigOptions = {}) {
  const here = await open(options);
  const { thread, root } = await here.thread();
  return {
    lab: here,
    adapter: here.adapter,
    slack: here.slack,
    thread,
    root,
    sees: () => here.sees(root),
  };
}
