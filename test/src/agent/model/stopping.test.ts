import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ModelEvent } from "../../../../src/contract/model.ts";
import { hang, type Reply, rateLimited, say } from "../../../support/model-server/replies.ts";
import { startModelServer } from "../../../support/model-server.ts";
import { modelAt, step, stepRequest } from "../../../support/model-step.ts";

describe.each(["chat", "responses"] as const)("stopping over %s", (api) => {
  const stopped = new Error("stopped by a person");

  it("closes the connection at once, and the reason is thrown", async () => {
    await using server = await startModelServer();
    server.script([say("A long story ".repeat(50), { paceMs: 20 })]);
    const controller = new AbortController();
    const events: ModelEvent[] = [];
    const run = async () => {
      for await (const event of modelAt(server, { api }).step(
        stepRequest({ signal: controller.signal }),
      )) {
        events.push(event);
        if (events.length === 3) controller.abort(stopped);
      }
    };
    await expect(run()).rejects.toBe(stopped);
    expect(events).toHaveLength(3);
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);
  });

  it.each<[string, Reply, boolean]>([
    ["for the first byte, which the server sees", hang(), true],
    ["to try again", rateLimited("30"), false],
  ])("ends a wait %s", async (_title, reply, aborted) => {
    await using server = await startModelServer();
    server.script([reply]);
    const controller = new AbortController();
    const running = step(modelAt(server, { api }), { signal: controller.signal });
    running.catch(() => {});
    // An answer was sent where there is one; what comes of it takes a moment.
    await expect.poll(() => server.requests).toMatchObject([aborted ? {} : { status: 429 }]);
    await sleep(50);
    controller.abort(stopped);
    await expect(running).rejects.toBe(stopped);
    await expect.poll(() => server.requests).toMatchObject([{ aborted }]);
  });

  it("asks nobody when it is already stopped", async () => {
    await using server = await startModelServer();
    await expect(
      step(modelAt(server, { api }), { signal: AbortSignal.abort(stopped) }),
    ).rejects.toBe(stopped);
    expect(server.requests).toEqual([]);
  });

  it("leaving the loop closes the connection as well", async () => {
    await using server = await startModelServer();
    server.script([say("A long story ".repeat(50), { paceMs: 20 })]);
    for await (const event of modelAt(server, { api }).step(stepRequest({}))) {
      if (event.type === "textDelta") break;
    }
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);
  });

  it("a listener that takes its time is not taken for a silent server", async () => {
    await using server = await startModelServer();
    server.script([say("One two three four five six seven.")]);
    const events: ModelEvent[] = [];
    for await (const event of modelAt(server, { api, idleMs: 2_000 }).step(stepRequest({}))) {
      events.push(event);
      if (events.length === 1) await sleep(3_000);
    }
    expect(events.at(-1)).toMatchObject({ type: "finished", reason: "stop" });
  });
});
