import { describe, expect, it } from "vitest";
import {
  disconnect,
  hang,
  type Reply,
  rateLimited,
  say,
  serverError,
} from "../../../support/model-server/replies.ts";
import { startModelServer } from "../../../support/model-server.ts";
import { failure, modelAt, step } from "../../../support/model-step.ts";

describe.each(["chat", "responses"] as const)("a passing failure over %s", (api) => {
  it.each<[string, Reply]>([
    ["too many requests", rateLimited("0")],
    ["an internal error", serverError()],
    [
      "a bad gateway with a page of HTML",
      { fault: { kind: "http", status: 502, body: "<h1>Bad gateway</h1>" } },
    ],
    ["an overloaded server", serverError(529)],
    ["a dead line before the first byte", disconnect(say("x"), 0)],
  ])("is tried again: %s", async (_title, reply) => {
    await using server = await startModelServer();
    server.script([reply, reply, say("Here I am.")]);
    const told = await step(modelAt(server, { api }));
    expect(told.text).toBe("Here I am.");
    expect(told.retries.length).toBeGreaterThan(0);
    expect(told.retries.every(({ restarts }) => !restarts)).toBe(true);
  });

  it("is tried again only so often, and then said", async () => {
    await using server = await startModelServer();
    server.script(() => serverError());
    const error = await failure(modelAt(server, { api, retries: 3 }));
    expect(error).toMatchObject({ kind: "unavailable", status: 500 });
    expect(error.message).toContain("The server had an error");
    expect(server.requests).toHaveLength(4);
  });

  it("waits as long as the server asks, in seconds or until a date", async () => {
    await using server = await startModelServer();
    const soon = new Date(Date.now() + 3000).toUTCString();
    server.script([rateLimited("0.2"), rateLimited(soon), say("Now.")]);
    const { retries } = await step(modelAt(server, { api }));
    expect(retries.map(({ because }) => because)).toEqual(["rateLimited", "rateLimited"]);
    expect(retries[0]?.waitMs).toBe(200);
    // How long it had to wait depends on when it was told, not until when. Timers may be a moment early.
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(soon) - 50);
  });

  it("does not wait longer than the operator's patience: it says when to come back", async () => {
    await using server = await startModelServer();
    server.script([rateLimited("3600")]);
    const error = await failure(modelAt(server, { api }));
    expect(error).toMatchObject({ kind: "rateLimited", retryAfterMs: 3_600_000 });
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, (reply: Reply) => Reply]>([
    ["the line goes dead", (reply) => disconnect(reply, 6)],
    ["the stream just ends", (reply) => ({ ...reply, fault: { kind: "end", afterEvents: 6 } })],
    [
      "an error stands in the stream",
      (reply) => ({
        ...reply,
        fault: { kind: "error", afterEvents: 6, error: { message: "Overloaded", code: 502 } },
      }),
    ],
  ])("in the middle of a reply restarts it once: %s", async (_title, broken) => {
    await using server = await startModelServer();
    server.script([broken(say("Half of a sentence that")), say("The whole sentence.")]);
    const told = await step(modelAt(server, { api }));
    expect(told.text).toBe("The whole sentence.");
    expect(told.retries).toMatchObject([{ restarts: true }]);
    const before = told.events.slice(
      0,
      told.events.findIndex(({ type }) => type === "retrying"),
    );
    expect(before.some(({ type }) => type === "textDelta")).toBe(true);
  });

  it("in the middle of a reply is said when it happens again", async () => {
    await using server = await startModelServer();
    server.script(() => disconnect(say("Half of a sentence that"), 6));
    expect((await failure(modelAt(server, { api }))).kind).toBe("cutStream");
    expect(server.requests).toHaveLength(2);
  });

  it("an empty reply is asked for once more, and then said", async () => {
    await using server = await startModelServer();
    server.script([say(""), say("Something.")]);
    expect((await step(modelAt(server, { api }))).text).toBe("Something.");
    const html: Reply = {
      fault: { kind: "raw", contentType: "text/html", body: "<h1>Welcome</h1>" },
    };
    for (const reply of [say("  \n"), html, { thoughts: "Only thoughts." }]) {
      server.script(() => reply);
      expect((await failure(modelAt(server, { api }))).kind).toBe("emptyReply");
    }
  });

  it("garbage in the stream is like a dead line", async () => {
    await using server = await startModelServer();
    const garbage: Reply = {
      fault: { kind: "raw", contentType: "text/event-stream", body: 'data: {"choices":[{"del\n\n' },
    };
    server.script([garbage, say("Better.")]);
    expect((await step(modelAt(server, { api }))).text).toBe("Better.");
  });

  it("silence before the first byte and in the middle ends the wait", async () => {
    await using server = await startModelServer();
    server.script([hang(), hang(say("One two three four five six seven"), 8), say("Awake.")]);
    const told = await step(modelAt(server, { api, firstByteMs: 2_000, idleMs: 2_000 }));
    expect(told.text).toBe("Awake.");
    expect(told.retries).toMatchObject([
      { because: "unavailable", restarts: false },
      { because: "unavailable", restarts: true },
    ]);
    await expect
      .poll(() => server.requests.map(({ aborted }) => aborted))
      .toEqual([true, true, false]);
  });

  it("a slow stream is no silent one, and comments are signs of life", async () => {
    await using server = await startModelServer();
    server.script([say("Slow but steady, word by word.", { paceMs: 30, commentsForMs: 3_000 })]);
    const told = await step(modelAt(server, { api, firstByteMs: 2_000, idleMs: 2_000 }));
    expect(told).toMatchObject({ text: "Slow but steady, word by word.", retries: [] });
  });

  it("nobody is at the address: it is said with the address", async () => {
    const server = await startModelServer();
    const model = modelAt(server, { api, retries: 1 });
    await server[Symbol.asyncDispose]();
    const error = await failure(model);
    expect(error.kind).toBe("unavailable");
    expect(error.message).toContain(error.message.match(/http:\/\/127\.0\.0\.1:\d+\/v1/)?.[0]);
    expect(error.message).toContain("ECONNREFUSED");
  });
});
