import { afterEach, describe, expect, it } from "vitest";
import type { View } from "../../../../src/contract/platform/view.ts";
import { SAMPLES } from "../../../contracts/adapter/views.ts";
import { SlackLab } from "../../../support/slack-lab.ts";
import type { SlackRigOptions } from "../../../support/slack-rig.ts";
import { until } from "../../../support/until.ts";

let lab: SlackLab | undefined;
const open = async (options: SlackRigOptions = {}) => {
  lab = await SlackLab.start({ statusPace: QUICK, ...options });
  return lab;
};
afterEach(async () => {
  await lab?.[Symbol.asyncDispose]();
  lab = undefined;
});
const QUICK = { firstAfterMs: 20, changeEveryMs: 40 };
const notice = (text: string): View => ({ kind: "notice", level: "info", text });

describe("what Slack shows of an agent at work", () => {
  it("a status and its own stop button, from the first sign to the last", async () => {
    const { adapter, thread, slack, lab: here, root } = await at();
    const key = `${here.channel.id}:${root}`;
    await adapter.mark(thread, root, "seen");
    await until(() => slack.world.sessions.get(key)?.status === "processing", "processing");
    await until(() => slack.world.statuses.has(key), "the status");
    const post = await adapter.post(thread, SAMPLES.activity.view, "k");
    await until(
      () => slack.world.statuses.get(key)?.text.includes("npm test") ?? false,
      "the tool",
    );
    await adapter.edit(thread, post, { ...SAMPLES.activity.view, status: "waiting" } as View);
    await until(() => slack.world.sessions.get(key)?.status === "suspended", "the wait");
    await adapter.mark(thread, root, "done");
    await until(() => slack.world.sessions.get(key)?.status === "active", "the end");
    await until(() => !slack.world.statuses.has(key), "no status");
  });

  it("a status that is there again after each card, since Slack takes it away with every message", async () => {
    const { adapter, thread, slack, lab: here, root } = await at();
    const key = `${here.channel.id}:${root}`;
    await adapter.mark(thread, root, "seen");
    await until(() => slack.world.statuses.has(key), "the status");
    await adapter.post(thread, notice("a card"), "k");
    await until(() => slack.world.statuses.has(key), "the status after the card");
    // What is said last is not followed by it.
    await adapter.post(thread, { kind: "reply", text: "Done.", isFinal: true }, "k2");
    await adapter.mark(thread, root, "done");
    await until(() => slack.world.sessions.get(key)?.status === "active", "the end");
    await until(() => !slack.world.statuses.has(key), "no status");
    expect(here.calls("assistant.threads.setStatus").map(({ args }) => args.status)).toEqual([
      ...["is thinking …", "is thinking …"],
    ]);
  });

  it("nothing of a turn that is over before the first status is due", async () => {
    const { adapter, thread, lab: here, root } = await at({ statusPace: {} });
    await adapter.mark(thread, root, "seen");
    await adapter.post(thread, SAMPLES.activity.view, "k");
    await adapter.post(thread, { kind: "reply", text: "Done.", isFinal: true }, "k2");
    await adapter.mark(thread, root, "done");
    const methods = here.slack.calls.map(({ method }) => method);
    expect(methods.filter((method) => method.endsWith("setStatus"))).toEqual([]);
  });

  it("the end of a turn that a process began which is gone", async () => {
    const { adapter, thread, slack, lab: here, root } = await at();
    const key = `${here.channel.id}:${root}`;
    await adapter.mark(thread, root, "seen");
    await until(() => slack.world.sessions.get(key)?.status === "processing", "processing");
    const other = await here.another();
    await adapter[Symbol.asyncDispose]();
    await other.mark(thread, root, "stopped");
    await until(() => slack.world.sessions.get(key)?.status === "active", "the end");
    await until(() => !slack.world.statuses.has(key), "no status");
  });

  it("its own stop button also where the last turn has ended just before", async () => {
    const { adapter, thread, slack, lab: here, root } = await at();
    const key = `${here.channel.id}:${root}`;
    await adapter.mark(thread, root, "seen");
    await until(() => slack.world.sessions.get(key)?.status === "processing", "processing");
    slack.faults.answerAfterMs = 10;
    await Promise.all([
      adapter.mark(thread, root, "done"),
      adapter.mark(thread, root, "seen"),
      adapter.post(thread, SAMPLES.activity.view, "k"),
    ]);
    await until(() => slack.world.statuses.get(key)?.text.includes("npm test") ?? false, "it");
    expect(slack.world.sessions.get(key)?.status).toBe("processing");
  });

  it("nothing where the app is no agent, and everything else goes on", async () => {
    const { adapter, thread, slack, root, lab: here } = await at({ isAgent: false });
    for (const turn of [1, 2]) {
      await adapter.mark(thread, root, "seen");
      const lines = () => here.calls("assistant.threads.setStatus").length;
      await until(() => lines() === 2 * turn - 1, "the line");
      await adapter.mark(thread, root, "done");
      await until(() => lines() === 2 * turn, "its end");
    }
    // The refusal is remembered.
    expect(here.calls("agents.sessions.setStatus")).toHaveLength(1);
    expect(slack.world.sessions.size).toBe(0);
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
