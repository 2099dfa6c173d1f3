import { describe, expect, it, vi } from "vitest";
import { Channel } from "../../../../src/workspace/channel/channel.ts";
import {
  type ChannelSource,
  cancelCall,
  deliverCall,
} from "../../../../src/workspace/channel/deliver-call.ts";
import { ChannelLostError } from "../../../../src/workspace/errors.ts";
import { type Asked, Bus, playServer } from "../../../support/bus.ts";

const UNSAFE = {
  id: "c1",
  tool: "terminal_operations",
  args: { operation: "run_command", command: "x" },
};
const SAFE = { id: "c2", tool: "file_operations", args: { operation: "read_file", filePath: "x" } };
const OK = { structuredContent: { success: true } };
const options = { meta: { "deckhand/call": "c1" }, probe: () => {} };

describe("performing a call", () => {
  it("sends the same call id again over a new channel when the first one is lost", async () => {
    const asked: Asked[] = [];
    const source = new PlayedSource(
      () => "hang-up",
      (one) => {
        asked.push(one);
        return OK;
      },
    );
    expect(await deliverCall(source, UNSAFE, options)).toEqual({ success: true });
    expect(asked.map((one) => one.params?._meta?.["deckhand/call"])).toEqual(["c1"]);
    expect(source.opened).toBe(2);
  });

  it("says that the outcome is unknown when the memory of calls is lost, and runs nothing", async () => {
    const second = vi.fn(() => OK);
    const source = new PlayedSource(() => "hang-up", second);
    source.forgets = true;
    expect(await deliverCall(source, UNSAFE, options)).toMatchObject({ outcome: "unknown" });
    expect(second).not.toHaveBeenCalled();
  });

  it("simply asks again for what does no harm", async () => {
    const source = new PlayedSource(
      () => "hang-up",
      () => OK,
    );
    source.forgets = true;
    expect(await deliverCall(source, SAFE, options)).toEqual({ success: true });
  });

  it("gives up on a call that takes the server down each time", async () => {
    const source = new PlayedSource(() => "hang-up");
    const result = await deliverCall(source, SAFE, options);
    expect(result).toMatchObject({ success: false, message: expect.stringContaining("each time") });
  });

  it("runs nothing for a signal that was aborted before", async () => {
    const source = new PlayedSource(() => OK);
    const signal = AbortSignal.abort();
    const result = await deliverCall(source, UNSAFE, { ...options, signal });
    expect(result.message).toContain("Stopped before it started");
    expect(source.opened).toBe(0);
  });

  it("answers a cancelled call with the server's word on how it ended", async () => {
    const stop = new AbortController();
    const ended = { success: false, kind: "executionFailed", message: "Stopped." };
    const source = new PlayedSource(({ method }) => {
      if (method === "deckhand/cancel") return ended;
      stop.abort();
      return undefined;
    });
    expect(await deliverCall(source, UNSAFE, { ...options, signal: stop.signal })).toEqual(ended);
    expect(source.restarts).toBe(0);
  });

  it("restarts the workspace when a cancelled call is not proven to have ended", async () => {
    vi.useFakeTimers();
    const stop = new AbortController();
    const source = new PlayedSource(({ method }) => (method === "ping" ? {} : undefined));
    const result = deliverCall(source, UNSAFE, { ...options, signal: stop.signal });
    await vi.advanceTimersByTimeAsync(100);
    stop.abort();
    await vi.advanceTimersByTimeAsync(12_000);
    expect((await result).message).toContain("the workspace was restarted");
    expect(source.restarts).toBe(1);
    vi.useRealTimers();
  });

  it("ends a call that another bot has begun, asking again where the channel is lost", async () => {
    const ended = { success: false, kind: "executionFailed", message: "Stopped." };
    const asked: Asked[] = [];
    const source = new PlayedSource(
      () => "hang-up",
      (one) => {
        asked.push(one);
        return ended;
      },
    );
    expect(await cancelCall(source, UNSAFE, options)).toEqual(ended);
    expect(asked.map(({ method, params }) => [method, params?.call])).toEqual([
      ["deckhand/cancel", "c1"],
    ]);
  });

  it("passes the named points in order", async () => {
    const points: string[] = [];
    const source = new PlayedSource(() => OK);
    await deliverCall(source, UNSAFE, { ...options, probe: (point) => points.push(point) });
    expect(points).toEqual(["before-send", "sent", "before-result"]);
  });
});

type Script = (asked: Asked) => unknown;

/** Each channel is served by the next script; the last one serves all that follow. */
class PlayedSource implements ChannelSource {
  opened = 0;
  restarts = 0;
  forgets = false;
  readonly #scripts: Script[];

  constructor(...scripts: Script[]) {
    this.#scripts = scripts;
  }

  async channel(): Promise<Channel> {
    const script = this.#scripts[Math.min(this.opened, this.#scripts.length - 1)];
    if (!script) throw new ChannelLostError("no script");
    this.opened += 1;
    const bus = new Bus();
    playServer(bus, (asked) => {
      const answer = script(asked);
      if (answer !== "hang-up") return answer;
      bus.hangUp();
      return undefined;
    });
    return Channel.open(bus.attach());
  }

  async restart(): Promise<void> {
    this.restarts += 1;
  }

  forgotSince(): boolean {
    return this.forgets;
  }
}
