import { expect, it } from "vitest";
import { DeliveryError } from "../../../src/contract/platform/adapter.ts";
import type { View } from "../../../src/contract/platform/view.ts";
import { until } from "../../support/until.ts";
import type { Stage } from "./rig.ts";

const notice = (text: string): View => ({ kind: "notice", level: "info", text });

export function trouble(stage: Stage): void {
  const visible = () => stage.rig.people.visible(stage.thread);
  const texts = async () => (await visible()).map(({ text }) => text);

  /** As the reply does it: again, as long as the adapter says "later". */
  async function persistently<Value>(attempt: () => Promise<Value>): Promise<Value> {
    for (const endMs = performance.now() + 30_000; ; ) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof DeliveryError) || error.when !== "later") throw error;
        if (performance.now() > endMs) throw error;
        await new Promise((resolve) =>
          setTimeout(resolve, Math.min(500, error.retryAfterMs ?? 20)),
        );
      }
    }
  }

  it("P-C5 a lost answer to a post gives one visible message", async () => {
    const { rig, thread } = stage;
    rig.people.faults.loseNextAnswer();
    const post = await persistently(() => rig.adapter.post(thread, notice("once"), "k"));
    expect(await visible()).toHaveLength(1);
    expect(await rig.adapter.edit(thread, post, notice("and it is ours"))).toBe("edited");
    expect(await texts()).toEqual([expect.stringContaining("and it is ours")]);
  });

  it("a lost answer to an upload gives one visible file", async () => {
    const { rig, thread } = stage;
    const file = { name: "f.txt", mimeType: "text/plain", bytes: new Uint8Array([1, 2, 3]) };
    rig.people.faults.loseNextAnswer();
    await persistently(() => rig.adapter.upload(thread, file, "k"));
    expect((await visible()).flatMap(({ files }) => files)).toHaveLength(1);
  });

  it("after a lost answer a newer view takes the place of the older one", async () => {
    const { rig, thread } = stage;
    rig.people.faults.loseNextAnswer();
    const posted = await rig.adapter.post(thread, notice("old"), "k").catch(() => undefined);
    const again = await persistently(() => rig.adapter.post(thread, notice("new"), "k"));
    if (posted !== undefined) expect(again).toBe(posted);
    expect(await texts()).toEqual([expect.stringContaining("new")]);
  });

  it("13.7 a 429 is told with its time, or waited for", async () => {
    const { rig, thread } = stage;
    rig.people.faults.refuseNext(120);
    const before = performance.now();
    const refusal = await rig.adapter.post(thread, notice("wait"), "k").then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refusal === undefined) expect(performance.now() - before).toBeGreaterThanOrEqual(110);
    else {
      expect(refusal).toMatchObject({ name: "DeliveryError", when: "later" });
      // Some platforms tell whole seconds only.
      expect((refusal as DeliveryError).retryAfterMs).toBeGreaterThanOrEqual(120);
    }
    await persistently(() => rig.adapter.post(thread, notice("wait"), "k"));
    expect(await visible()).toHaveLength(1);
  });

  it("a 429 on an edit loses neither the message nor the edit", async () => {
    const { rig, thread } = stage;
    const post = await rig.adapter.post(thread, notice("one"), "k");
    rig.people.faults.refuseNext(30);
    expect(await persistently(() => rig.adapter.edit(thread, post, notice("two")))).toBe("edited");
    expect(await texts()).toEqual([expect.stringContaining("two")]);
  });

  it("P-C4 what is said while the connection is away arrives once it is back", async () => {
    const { rig, ada, thread } = stage;
    await rig.people.faults.disconnect();
    const saying = rig.people.say(ada, thread, "can you hear me?");
    await new Promise((resolve) => setTimeout(resolve, 30));
    await rig.people.faults.reconnect();
    await saying;
    const events = await stage.received.atLeast(1);
    expect(events.map((event) => "text" in event && event.text)).toContain("can you hear me?");
  });

  it("what is posted while the connection is away can be posted once it is back", async () => {
    const { rig, thread } = stage;
    await rig.people.faults.disconnect();
    const early = rig.adapter.post(thread, notice("now"), "k").catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await rig.people.faults.reconnect();
    const outcome = await early;
    if (outcome instanceof Error) {
      expect(outcome).toMatchObject({ name: "DeliveryError", when: "later" });
    }
    await persistently(() => rig.adapter.post(thread, notice("now"), "k"));
    expect(await visible()).toHaveLength(1);
  });

  it("messages from before a reconnect can still be edited, and their buttons still work", async () => {
    const { rig, ada, thread } = stage;
    const buttons = [{ action: "verb:todos", label: "Todos" }];
    const view = { kind: "notice", level: "info", text: "before", buttons } as const;
    const post = await rig.adapter.post(thread, view, "k");
    await rig.people.faults.disconnect();
    await rig.people.faults.reconnect();
    // Edits need no connection that brings clicks, and a click without one is lost.
    if (!stage.lacks.has("reconnects")) await until(() => stage.reconnects > 0, "the connection");
    const edited = await persistently(() =>
      rig.adapter.edit(thread, post, { ...view, text: "after" }),
    );
    expect(edited).toBe("edited");
    await rig.people.click(ada, thread, { post, action: "verb:todos" });
    await until(() => stage.received.events.some(({ type }) => type === "click"), "the click");
  });

  it("a core that is slow does not keep people from being heard", async () => {
    const { rig, ada, thread } = stage;
    const other = await rig.people.newThread();
    const { promise: free, resolve: release } = Promise.withResolvers<void>();
    const heard: string[] = [];
    stage.receive = async (incoming) => {
      heard.push(incoming.thread);
      if (incoming.thread === thread) await free;
      return { outcome: "accepted" };
    };
    const first = rig.people.say(ada, thread, "slow");
    await until(() => heard.length === 1, "the first");
    const second = rig.people.say(ada, other, "quick");
    await until(() => heard.length === 2, "the second");
    release();
    await Promise.all([first, second]);
    expect(heard).toEqual([thread, other]);
  });

  it("once closed it hears nothing more, and closing again does no harm", async () => {
    const { rig, ada, thread } = stage;
    await rig.adapter[Symbol.asyncDispose]();
    await rig.people.say(ada, thread, "anybody?").catch(() => {
      // On some platforms nobody can speak to a bot that is gone.
    });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(stage.received.events).toEqual([]);
    await rig.adapter[Symbol.asyncDispose]();
  });
}
