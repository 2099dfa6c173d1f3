import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { LINE_LIMIT_BYTES } from "../../../../src/contract/workspace/channel.ts";
import { Channel } from "../../../../src/workspace/channel/channel.ts";
import { type Asked, Bus, playServer } from "../../../support/bus.ts";

const CENSUS = { processes: [] };

afterEach(() => {
  vi.useRealTimers();
});

describe("the channel to a workspace's server", () => {
  it("writes a newline before anything else, for the half line of a client that was killed", async () => {
    const bus = new Bus();
    const stream = bus.attach();
    stream.push(null);
    const written = vi.spyOn(stream, "write");
    await expect(Channel.open(stream)).rejects.toThrow("does not respond");
    expect(written.mock.calls[0]).toEqual(["\n"]);
  });

  it("gives every caller its own answer under any chunking and any order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 8 }),
        fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 6 }),
        async (chunkSizes, texts) => {
          const bus = new Bus(chunkSizes);
          playServer(bus, (asked) => ({ structuredContent: { success: true, ...echo(asked) } }));
          const channel = await Channel.open(bus.attach());
          const results = await Promise.all(
            texts.map((text) => channel.call({ tool: "t", args: { text }, meta: {} })),
          );
          expect(results.map((result) => result.text)).toEqual(texts);
          channel.close();
        },
      ),
      { numRuns: 200 },
    );
  });

  it("takes no other client's reply for its own, although both see all", async () => {
    const bus = new Bus();
    const held: Asked[] = [];
    playServer(bus, (asked) => {
      held.push(asked);
      return undefined;
    });
    const [one, two] = [await Channel.open(bus.attach()), await Channel.open(bus.attach())];
    const answers = [one, two].map((channel, index) =>
      channel.call({ tool: "t", args: { text: `${index}` }, meta: {} }),
    );
    await expect.poll(() => held.length).toBe(2);
    for (const asked of held.toReversed()) bus.say(reply(asked, echo(asked)));
    expect((await Promise.all(answers)).map((result) => result.text)).toEqual(["0", "1"]);
    one.close();
    two.close();
  });

  it("hands progress to the call that it belongs to and to no other", async () => {
    const bus = new Bus();
    playServer(bus, (asked) => {
      const progressToken = asked.params?._meta?.progressToken;
      const note = (token: unknown, message: string) =>
        bus.say({
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken: token, progress: 1, message },
        });
      note(0, "foreign");
      note(`x${String(progressToken)}`, "foreign");
      note(progressToken, "half done");
      setImmediate(() => bus.say(reply(asked, {})));
      return undefined;
    });
    const channel = await Channel.open(bus.attach());
    const onProgress = vi.fn<(message: string) => void>();
    await channel.call({ tool: "t", args: {}, meta: {}, onProgress });
    expect(onProgress.mock.calls).toEqual([["half done"]]);
    channel.close();
  });

  it("drops noise, hostile JSON and questions of the server, and goes on", async () => {
    const bus = new Bus([7]);
    playServer(bus, () => CENSUS);
    const channel = await Channel.open(bus.attach());
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (noise) => {
        bus.write(`${noise.replaceAll("\n", " ")}\n`);
        bus.say({ jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params: {} });
        bus.say({ jsonrpc: "2.0", id: "other:1", result: { processes: ["forged"] } });
        expect(await channel.request("census", {})).toEqual(CENSUS);
      }),
      { numRuns: 300 },
    );
    channel.close();
  });

  it("refuses a result of the wrong shape", async () => {
    const bus = new Bus();
    playServer(bus, () => ({ processes: "many" }));
    const channel = await Channel.open(bus.attach());
    await expect(channel.request("census", {})).rejects.toThrow("Invalid result");
    channel.close();
  });

  it("ends when a line is longer than the limit, and says so to whoever waits", async () => {
    const bus = new Bus([1024 * 1024]);
    playServer(bus, () => undefined);
    const channel = await Channel.open(bus.attach());
    const census = channel.request("census", {});
    bus.write("x".repeat(LINE_LIMIT_BYTES + 1));
    await expect(census).rejects.toThrow("over the limit");
    expect(channel.isOpen).toBe(false);
  });

  it.each([
    ["a line was refused", { jsonrpc: "2.0", id: null, error: { code: -32700, message: "no" } }],
    [
      "another client has begun",
      { jsonrpc: "2.0", id: "o:0", result: { protocolVersion: "1", serverInfo: {} } },
    ],
  ])("asks again when %s, because its question may be lost", async (_why, sign) => {
    const bus = new Bus();
    let asked = 0;
    playServer(bus, ({ method }) => {
      if (method === "ping") return {};
      asked += 1;
      return asked === 1 ? undefined : CENSUS;
    });
    const channel = await Channel.open(bus.attach());
    const census = channel.request("census", {});
    await expect.poll(() => asked).toBe(1);
    bus.say(sign);
    expect(await census).toEqual(CENSUS);
    channel.close();
  });

  it("notices within seconds that the server gives no sign of life", async () => {
    const bus = new Bus();
    playServer(bus, () => undefined);
    const channel = await Channel.open(bus.attach());
    vi.useFakeTimers();
    const census = expect(channel.request("census", {})).rejects.toThrow(
      "does not respond to pings",
    );
    await vi.advanceTimersByTimeAsync(15_000);
    await census;
  });

  it("tells whoever waits when the server is gone", async () => {
    const bus = new Bus();
    playServer(bus, () => {
      setImmediate(() => bus.hangUp());
      return undefined;
    });
    const channel = await Channel.open(bus.attach());
    const census = channel.request("census", {});
    await expect(census).rejects.toThrow("server exited");
  });
});

function echo(asked: Asked): Record<string, unknown> {
  return z.object({ text: z.string() }).parse(asked.params?.arguments);
}

function reply(asked: Asked, content: Record<string, unknown>): unknown {
  const structuredContent = { success: true, ...content };
  return { jsonrpc: "2.0", id: asked.id, result: { structuredContent } };
}
