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
const QUICK = { firstAfterMs: 20, renewEveryMs: 40 };
const SESSION = "agents.sessions.setStatus";
const LINE = "assistant.threads.setStatus";

describe("what Slack shows of an agent that works for long", () => {
  it("is its own loading indicator and Stop button, until a person is waited for or the turn ends", async () => {
    const { adapter, thread, slack, lab: here, root } = await at();
    const status = () => slack.world.sessions.get(`${here.channel.id}:${root}`)?.status;
    await adapter.mark(thread, root, "seen");
    await until(() => status() === "processing", "processing");
    const post = await adapter.post(thread, SAMPLES.activity.view, "k");
    await adapter.edit(thread, post, { ...SAMPLES.activity.view, status: "waiting" } as View);
    await until(() => status() === "suspended", "the wait");
    await adapter.edit(thread, post, SAMPLES.activity.view);
    await until(() => status() === "processing", "processing again");
    await adapter.mark(thread, root, "done");
    await until(() => status() === "active", "the end");
    expect(here.calls(SESSION)).toHaveLength(4);
    // The indicator and the card say it all.
    expect(here.calls(LINE)).toEqual([]);
  });

  it("costs nothing in a turn that is over before, or that this process did not begin", async () => {
    const { adapter, thread, lab: here, root } = await at({ statusPace: {} });
    await adapter.mark(thread, root, "seen");
    await adapter.post(thread, SAMPLES.activity.view, "k");
    await adapter.post(thread, { kind: "reply", text: "Done.", isFinal: true }, "k2");
    await adapter.mark(thread, root, "done");
    const other = await here.another();
    await other.mark(thread, root, "done");
    const methods = here.slack.calls.map(({ method }) => method);
    expect(methods.filter((method) => method.endsWith("setStatus"))).toEqual([]);
  });

  it("ends with a turn whose process is gone", async () => {
    const { adapter, thread, slack, lab: here, root } = await at();
    const key = `${here.channel.id}:${root}`;
    await adapter.mark(thread, root, "seen");
    await until(() => slack.world.sessions.get(key)?.status === "processing", "processing");
    const other = await here.another();
    await adapter[Symbol.asyncDispose]();
    await other.mark(thread, root, "stopped");
    await until(() => slack.world.sessions.get(key)?.status === "active", "the end");
    expect(here.calls(SESSION)).toHaveLength(2);
  });

  it("ends although Slack does not take it at once", async () => {
    const { adapter, thread, slack, lab: here, root } = await at();
    const key = `${here.channel.id}:${root}`;
    await adapter.mark(thread, root, "seen");
    await until(() => slack.world.sessions.get(key)?.status === "processing", "processing");
    slack.faults.refuseNext(1_000, SESSION);
    await adapter.mark(thread, root, "done");
    await until(() => slack.world.sessions.get(key)?.status === "active", "the end");
  });

  it("stays, without a further call, where the next turn begins at once", async () => {
    const { adapter, thread, slack, lab: here, root } = await at();
    const key = `${here.channel.id}:${root}`;
    await adapter.mark(thread, root, "seen");
    await until(() => slack.world.sessions.get(key)?.status === "processing", "processing");
    slack.faults.answerAfterMs = 10;
    await Promise.all([adapter.mark(thread, root, "done"), adapter.mark(thread, root, "seen")]);
    expect(slack.world.sessions.get(key)?.status).toBe("processing");
    await adapter.mark(thread, root, "done");
    await until(() => slack.world.sessions.get(key)?.status === "active", "the end");
    expect(here.calls(SESSION)).toHaveLength(2);
  });

  it("is a line where the app is no agent, which Slack removes with the next message", async () => {
    const { adapter, thread, slack, root, lab: here } = await at({ isAgent: false });
    for (const turn of [1, 2]) {
      await adapter.mark(thread, root, "seen");
      await until(() => here.calls(LINE).length >= turn, "the line");
      await adapter.post(thread, { kind: "reply", text: "So.", isFinal: true }, `k${turn}`);
      await adapter.mark(thread, root, "done");
    }
    // The refusal is remembered.
    expect(here.calls(SESSION)).toHaveLength(1);
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
