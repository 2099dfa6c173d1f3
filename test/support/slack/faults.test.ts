import { describe, expect, it } from "vitest";
import { until } from "../until.ts";
import { SlackLab } from "./test-lab.ts";

const texts = (events: readonly { text?: unknown }[]) => events.map(({ text }) => text);

describe("what can be made to go wrong", () => {
  it("a lost answer: it was done, and nobody was told", async () => {
    await using lab = await SlackLab.start();
    lab.slack.faults.loseNextAnswer("chat.postMessage");
    expect((await lab.call("auth.test")).body.ok).toBe(true);
    await expect(lab.post({ text: "once" })).rejects.toThrow();
    await lab.post({ text: "twice" });
    expect(lab.ada.sees(lab.channel).map(({ text }) => text)).toEqual(["once", "twice"]);
  });

  it("a refusal with a time to wait, in whole seconds: it was not done", async () => {
    await using lab = await SlackLab.start();
    lab.slack.faults.refuseNext(1_200);
    const { status, headers, body } = await lab.call("chat.postMessage", {
      channel: lab.channel.id,
      text: "x",
    });
    expect([status, headers.get("retry-after"), body.error]).toEqual([429, "2", "ratelimited"]);
    expect(lab.ada.sees(lab.channel)).toEqual([]);
    await lab.post();
  });

  it("every third call refused", async () => {
    await using lab = await SlackLab.start();
    lab.slack.faults.refuseEvery = 3;
    const outcomes: number[] = [];
    for (let call = 0; call < 6; call += 1) outcomes.push((await lab.call("auth.test")).status);
    expect(outcomes).toEqual([200, 200, 429, 200, 200, 429]);
    expect(lab.slack.calls.map(({ outcome }) => outcome)).toContain("ratelimited");
  });

  it("every event three times, as the same event", async () => {
    await using lab = await SlackLab.start();
    using client = await lab.connect();
    lab.slack.faults.copies = 3;
    lab.ada.says(lab.channel, "echo");
    const envelopes = await client.atLeast(3);
    expect(new Set(envelopes.map(({ payload }) => JSON.stringify(payload))).size).toBe(1);
  });

  it("events in the opposite order", async () => {
    await using lab = await SlackLab.start();
    using client = await lab.connect();
    lab.slack.faults.reorderNext(3);
    for (const text of ["1", "2", "3", "4"]) lab.ada.says(lab.channel, text);
    await client.atLeast(4);
    expect(texts(client.events)).toEqual(["3", "2", "1", "4"]);
  });

  it("slow answers and slow deliveries", async () => {
    await using lab = await SlackLab.start();
    using client = await lab.connect();
    lab.slack.faults.answerAfterMs = 60;
    lab.slack.faults.deliverAfterMs = 60;
    const before = performance.now();
    await lab.call("auth.test");
    expect(performance.now() - before).toBeGreaterThanOrEqual(50);
    const saidAt = performance.now();
    lab.ada.says(lab.channel, "late");
    await client.atLeast(1);
    expect(performance.now() - saidAt).toBeGreaterThanOrEqual(50);
  });

  it("no way in or out, until there is one again", async () => {
    await using lab = await SlackLab.start();
    using first = await lab.connect();
    lab.slack.disconnect();
    await until(() => first.isClosed, "the end");
    await expect(lab.call("auth.test")).rejects.toThrow();
    lab.ada.says(lab.channel, "can you hear me?");
    lab.slack.reconnect();
    using second = await lab.connect();
    await second.atLeast(1);
    expect(texts(second.events)).toEqual(["can you hear me?"]);
  });
});
