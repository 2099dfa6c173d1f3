import { describe, expect, it, vi } from "vitest";
import type { QueueWait } from "../../../../src/contract/workspace/workspace.ts";
import { Opening } from "../../../../src/workspace/lifecycle/opening.ts";
import { Slots, type WaitOptions } from "../../../../src/workspace/lifecycle/slots.ts";

const nothingIsIdle = async () => {};

describe("the cap on live workspaces", () => {
  it("admits up to the cap and then first come, first served", async () => {
    const slots = new Slots(2, nothingIsIdle);
    const order: string[] = [];
    await slots.acquire("a");
    await slots.acquire("b");
    const waiting = ["c", "d"].map((key) => slots.acquire(key).then(() => order.push(key)));
    await vi.waitFor(() => expect(order).toEqual([]));
    slots.release("a");
    await waiting[0];
    slots.release("b");
    await waiting[1];
    expect(order).toEqual(["c", "d"]);
  });

  it("tells everybody who waits their place, and again when it changes", async () => {
    const slots = new Slots(1, nothingIsIdle);
    await slots.acquire("a");
    const places: Record<string, number[]> = { b: [], c: [] };
    const waiting = ["b", "c"].map((key) =>
      slots.acquire(key, { onQueued: ({ place }) => places[key]?.push(place) }),
    );
    await expect.poll(() => places.c?.at(-1)).toBe(2);
    slots.release("a");
    await waiting[0];
    expect(places).toMatchObject({
      b: expect.arrayContaining([1]),
      c: expect.arrayContaining([1]),
    });
    slots.release("b");
    await waiting[1];
  });

  it("makes room by stopping an idle workspace before anybody waits visibly", async () => {
    const slots: Slots = new Slots(1, async () => slots.release("a"));
    await slots.acquire("a");
    const onQueued = vi.fn<(wait: QueueWait) => void>();
    await slots.acquire("b", { onQueued });
    expect(onQueued).not.toHaveBeenCalled();
    expect([slots.holds("a"), slots.holds("b")]).toEqual([false, true]);
  });

  it("lets somebody leave the queue", async () => {
    const slots = new Slots(1, nothingIsIdle);
    await slots.acquire("a");
    const stop = new AbortController();
    const left = expect(slots.acquire("b", { signal: stop.signal })).rejects.toThrow(
      "changed my mind",
    );
    const next = slots.acquire("c");
    stop.abort(new Error("changed my mind"));
    await left;
    slots.release("a");
    await next;
    expect(slots.holds("b")).toBe(false);
  });
});

describe("a shared opening", () => {
  it("is given up only when everybody who waited has gone", async () => {
    let signal: AbortSignal | undefined;
    const opening = new Opening<string>((options: WaitOptions) => {
      signal = options.signal;
      return new Promise(() => {});
    });
    const [one, two] = [new AbortController(), new AbortController()];
    const joined = [one, two].map((stop) =>
      opening.join({ signal: stop.signal }).catch((error: Error) => error.message),
    );
    one.abort(new Error("one"));
    expect(signal?.aborted).toBe(false);
    two.abort(new Error("two"));
    expect(signal?.aborted).toBe(true);
    expect(await Promise.all(joined)).toEqual(["one", "two"]);
  });

  it("tells the place in the queue also to those who come later", async () => {
    const result = Promise.withResolvers<string>();
    const opening = new Opening<string>(({ onQueued }) => {
      onQueued?.({ place: 3, cap: 8 });
      return result.promise;
    });
    const onQueued = vi.fn<(wait: QueueWait) => void>();
    const joined = opening.join({ onQueued });
    expect(onQueued).toHaveBeenCalledWith({ place: 3, cap: 8 });
    result.resolve("open");
    expect(await joined).toBe("open");
  });
});
