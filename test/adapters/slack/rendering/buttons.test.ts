import { afterEach, describe, expect, it } from "vitest";
import type { View } from "../../../../src/contract/platform/view.ts";
import { FORM_BUTTON } from "../../../contracts/adapter/views.ts";
import { ownMs } from "../../../support/own-clock.ts";
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

describe("buttons and their windows", () => {
  const question: View = { kind: "question", prompt: "Which?", buttons: [FORM_BUTTON] };

  it("a wrong phrase is said in the window, which stays, and is handed over to be counted", async () => {
    await open({
      hooks: {
        problemWith: async ({ typed }) => (typed === "right" ? undefined : "Not the phrase."),
      },
    });
    const { thread, root } = await lab.thread();
    await lab.adapter.post(thread, question, "k");
    const [seen] = lab.sees(root);
    if (seen) await lab.ada.clicks(seen.message, FORM_BUTTON.action);
    await lab.ada.submits({ typed: "wrong" });
    expect(lab.ada.window?.errors).toEqual({ typed: "Not the phrase." });
    await lab.ada.submits({ typed: "right" });
    expect(lab.ada.window).toBeUndefined();
    const typed = lab.incoming.flatMap((event) => (event.type === "click" ? [event.typed] : []));
    expect(typed).toEqual(["wrong", "right"]);
    expect(new Set(lab.incoming.map(({ id }) => id)).size).toBe(3);
  });

  it("P-A18 a window opens in time however long the store takes", async () => {
    await open();
    const { thread, root } = await lab.thread();
    await lab.adapter.post(thread, question, "k");
    const opened = Promise.withResolvers<void>();
    lab.receive = async () => {
      await opened.promise;
      return { outcome: "accepted" };
    };
    const [seen] = lab.sees(root);
    const clicking = seen && lab.ada.clicks(seen.message, FORM_BUTTON.action);
    await until(() => lab.ada.window !== undefined, "the window");
    opened.resolve();
    await clicking;
    expect(lab.ada.failures).toEqual([]);
  });

  it("a window for which it is too late is asked to be opened again", async () => {
    await open();
    const { thread, root } = await lab.thread();
    await lab.adapter.post(thread, question, "k");
    const [seen] = lab.sees(root);
    lab.slack.faults.deliverAfterMs = 3_100;
    if (seen) await lab.ada.clicks(seen.message, FORM_BUTTON.action);
    lab.slack.faults.deliverAfterMs = 0;
    expect(lab.ada.window).toBeUndefined();
    const isTold = () => lab.sees(root).some(({ text }) => text.includes("Click again"));
    await until(isTold, "what to do");
    expect(lab.ada.failures).toEqual([]);
    if (seen) await lab.ada.clicks(seen.message, FORM_BUTTON.action);
    expect(lab.ada.window).toBeDefined();
  });

  it("P-C10 20 threads at once are acknowledged in time although the store takes half a second", async () => {
    await open();
    lab.slack.rates.isEnforced = false;
    const buttons = [{ action: "verb:todos", label: "Todos" }];
    const threads = [];
    for (let number = 0; number < 20; number += 1) threads.push(await lab.thread());
    for (const { thread } of threads)
      await lab.adapter.post(thread, { ...notice("?"), buttons } as View, "k");
    lab.receive = async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return { outcome: "accepted" };
    };
    const clicks = threads.map(async ({ root }) => {
      const [seen] = lab.sees(root);
      const from = ownMs();
      if (seen) await lab.ada.clicks(seen.message, "verb:todos");
      return ownMs() - from;
    });
    expect(Math.max(...(await Promise.all(clicks)))).toBeLessThan(2_500);
    expect(lab.ada.failures).toEqual([]);
  });

  it("P-A13 the buttons and windows of a process that is gone work in the next one", async () => {
    await open();
    const { thread, root } = await lab.thread();
    await lab.adapter.post(thread, question, "k");
    await lab.adapter[Symbol.asyncDispose]();
    await lab.another();
    const [seen] = lab.sees(root);
    if (seen) await lab.ada.clicks(seen.message, FORM_BUTTON.action);
    await lab.ada.submits({ typed: "still here" });
    expect(lab.incoming.at(-1)).toMatchObject({
      type: "click",
      action: FORM_BUTTON.action,
      typed: "still here",
      thread,
    });
  });

  it("P-A4 a click that names another thread than its message counts for nothing", async () => {
    await open();
    const { thread, root } = await lab.thread();
    const buttons = [{ action: "verb:todos", label: "Todos" }];
    await lab.adapter.post(thread, { ...notice("?"), buttons } as View, "k");
    const [seen] = lab.sees(root);
    const elsewhere = await lab.thread("another");
    const button = seen?.buttons[0];
    if (!seen || !button) throw new Error("no button");
    const forged = button.blockId.replace(root, elsewhere.root);
    for (const block of seen.message.blocks)
      if (block.block_id === button.blockId) block.block_id = forged;
    const heard = lab.incoming.length;
    await lab.ada.clicks(seen.message, "verb:todos");
    expect(lab.incoming).toHaveLength(heard);
  });
});
