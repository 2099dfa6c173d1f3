import { afterEach, describe, expect, it, vi } from "vitest";
import { CatchUp } from "../../../adapters/slack/connection/catch-up.ts";
import { ownSleep } from "../../support/own-clock.ts";
import { SlackLab } from "../../support/slack-lab.ts";
import { until } from "../../support/until.ts";

/** Slack does not try again: what was said while nobody listened is told to nobody. */
const FORGETFUL = { retryMs: [] };

afterEach(() => vi.useRealTimers());

describe("P-C4 what was said while the bot was down for long", () => {
  async function down(lab: SlackLab, minutes: number) {
    await lab.adapter[Symbol.asyncDispose]();
    lab.slack.app.events.clear();
    await lab.rig.documents.set("alive", Date.now() - minutes * 60_000);
  }
  const texts = (lab: SlackLab) => lab.incoming.map((event) => "text" in event && event.text);

  it("in its threads, and to it in their channels, is heard once it is back, and once only", async () => {
    await using lab = await SlackLab.start(FORGETFUL);
    const { root } = await lab.thread("before");
    await until(async () => (await lab.rig.documents.keys("thread:")).length > 0, "the thread");
    await down(lab, 10);
    lab.ada.says(lab.channel, "go on", { thread: root });
    lab.ada.says(lab.channel, "and this", { mention: true });
    lab.ada.says(lab.channel, "not for you");
    await lab.another();
    await until(() => lab.incoming.length >= 3, "what was missed");
    await ownSleep(100);
    const missed = texts(lab).slice(1);
    expect(missed).toContain("go on");
    expect(missed).toContain("and this");
    expect(missed).not.toContain("not for you");
    // What had been heard has its old id, by which the core knows it.
    const ids = lab.incoming.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
  });

  it("is heard however much else was said in the channel", async () => {
    await using lab = await SlackLab.start(FORGETFUL);
    await lab.thread("before");
    await until(async () => (await lab.rig.documents.keys("thread:")).length > 0, "the thread");
    await down(lab, 10);
    lab.ada.says(lab.channel, "the oldest of all", { mention: true });
    for (let index = 0; index < 450; index += 1) lab.ada.says(lab.channel, "among ourselves");
    await lab.another();
    await until(() => texts(lab).includes("the oldest of all"), "what was missed");
  });

  it("counts from when the line was lost, not from when the process ended", async () => {
    await using lab = await SlackLab.start(FORGETFUL);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    using catchUp = new CatchUp(lab.rig.documents);
    let isListening = true;
    catchUp.begin(() => isListening);
    vi.advanceTimersByTime(5 * 60_000);
    const lostAtMs = Date.now();
    isListening = false;
    vi.advanceTimersByTime(20 * 60_000);
    vi.useRealTimers();
    expect(await catchUp.lastAlive()).toBe(lostAtMs);
  });

  it("is not looked for after a short time: then Slack sends it again by itself", async () => {
    await using lab = await SlackLab.start(FORGETFUL);
    await lab.thread("before");
    await down(lab, 1);
    await lab.another();
    await ownSleep(100);
    expect(lab.calls("conversations.history")).toEqual([]);
  });

  it("for more than an hour is not answered any more", async () => {
    await using lab = await SlackLab.start(FORGETFUL);
    await lab.thread("before");
    await until(async () => (await lab.rig.documents.keys("thread:")).length > 0, "the thread");
    await down(lab, 600);
    await lab.another();
    await until(() => lab.calls("conversations.history").length > 0, "the look");
    const { oldest } = lab.calls("conversations.history")[0]?.args ?? {};
    expect(Date.now() / 1000 - Number(oldest)).toBeLessThan(3_700);
  });
});
