import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Channel } from "../../../../src/workspace/channel/channel.ts";
import { followTerminal } from "../../../../src/workspace/channel/follow.ts";
import { Bus, playServer } from "../../../support/bus.ts";

/** A workspace whose server hangs up as soon as it is asked to follow, the first `times` times. */
function hangingUp(times: number) {
  const seen = { opened: 0, asked: [] as unknown[] };
  const open = async () => {
    seen.opened += 1;
    const isLost = seen.opened <= times;
    const bus = new Bus();
    playServer(bus, ({ method, params }) => {
      if (method !== "deckhand/follow") return {};
      seen.asked.push(params?.from_index);
      if (isLost) bus.hangUp();
      else setImmediate(() => bus.say({ jsonrpc: "2.0", method: "deckhand/output", params: LAST }));
      return isLost ? undefined : { from_index: 7, dropped: 0 };
    });
    return Channel.open(bus.attach(), {});
  };
  return { seen, open };
}

const LAST = { session_id: "main", from_index: 7, output: "end", ended: true };

describe("following a terminal", () => {
  it("goes on where it was when the channel is lost before the server has answered", async () => {
    const { seen, open } = hangingUp(2);
    const heard: string[] = [];
    await followTerminal(open, "main", {
      fromIndex: 7,
      signal: new AbortController().signal,
      onOutput: async ({ output }) => void heard.push(output),
    });
    expect(heard).toEqual(["end"]);
    expect(seen.asked).toEqual([7, 7, 7]);
  });

  it("waits longer each time for a server that ends every channel, and ends with its reader", async () => {
    const { seen, open } = hangingUp(Number.POSITIVE_INFINITY);
    const reader = new AbortController();
    const options = { fromIndex: 0, signal: reader.signal, onOutput: async () => {} };
    const following = followTerminal(open, "main", options);
    await expect.poll(() => seen.opened).toBe(3);
    for (let count = 0; count < 1000; count += 1) await turn();
    expect(seen.opened).toBeLessThan(6);
    reader.abort();
    await following;
  });
});
