import { describe, expect, it } from "vitest";
import { refuse, say } from "../../../support/model-server/replies.ts";
import { startModelServer } from "../../../support/model-server.ts";
import { failure, modelAt, step, user } from "../../../support/model-step.ts";

describe.each(["chat", "responses"] as const)("what the operator is told over %s", (api) => {
  it.each<[string, object, string, RegExp]>([
    ["a refused key", { apiKey: "sk-wrong-key-123" }, "refusedKey", /rejected OPENAI_API_KEY/],
    [
      "a missing key",
      { apiKey: undefined },
      "refusedKey",
      /requires an API key. Set OPENAI_API_KEY/,
    ],
    ["an unknown model", { name: "gpt-nine" }, "unknownModel", /no model "gpt-nine".*Set MODEL/],
  ])("%s", async (_title, settings, kind, sentence) => {
    await using server = await startModelServer();
    const error = await failure(modelAt(server, { api, ...settings }));
    expect(error.kind).toBe(kind);
    expect(error.message).toMatch(sentence);
    expect(error.message).not.toContain("sk-wrong-key-123");
    expect(server.requests.length).toBeLessThan(2);
  });

  it("a wrong address", async () => {
    await using server = await startModelServer();
    const error = await failure(modelAt(server, { api, baseUrl: server.url.replace("/v1", "") }));
    expect(error.kind).toBe("wrongAddress");
    expect(error.message).toMatch(/Set OPENAI_BASE_URL/);
  });

  it("an account without money is not asked again", async () => {
    await using server = await startModelServer();
    server.script([
      refuse(429, { message: "You exceeded your current quota", code: "insufficient_quota" }),
    ]);
    const error = await failure(modelAt(server, { api }));
    expect(error.kind).toBe("outOfQuota");
    expect(server.requests).toHaveLength(1);
  });

  it("a conversation that is too long, in the server's own words", async () => {
    await using server = await startModelServer({ contextTokens: 500 });
    server.script(() => say("short"));
    const model = modelAt(server, { api });
    expect((await step(model)).text).toBe("short");
    const error = await failure(model, { items: [user("word ".repeat(1000))] });
    expect(error.kind).toBe("contextTooLong");
  });

  it.each([
    [
      "llama.cpp",
      400,
      {
        message: "the request exceeds the available context size",
        type: "exceed_context_size_error",
      },
    ],
    [
      "vLLM",
      400,
      {
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000",
      },
    ],
    ["a proxy", 413, { message: "Payload Too Large" }],
  ])("a conversation that is too long for %s", async (_title, status, error) => {
    await using server = await startModelServer();
    server.script([refuse(status, error)]);
    expect((await failure(modelAt(server, { api }))).kind).toBe("contextTooLong");
  });

  it("an error in the stream of a server that gives its events no names", async () => {
    await using server = await startModelServer();
    const event = {
      type: "error",
      code: "context_length_exceeded",
      message: "Too much.",
      param: null,
    };
    const error = api === "chat" ? { error: event } : event;
    const body = `data: ${JSON.stringify(error)}\n\n`;
    server.script([{ fault: { kind: "raw", contentType: "text/event-stream", body } }]);
    expect((await failure(modelAt(server, { api }))).kind).toBe("contextTooLong");
  });

  it("an error that Google wraps in an array, and one in the middle of a stream with a code of its own", async () => {
    await using server = await startModelServer();
    const google = [
      {
        error: {
          code: 400,
          message: "Function call is missing a thought_signature",
          status: "INVALID_ARGUMENT",
        },
      },
    ];
    server.script([{ fault: { kind: "http", status: 400, body: google } }]);
    const error = await failure(modelAt(server, { api }));
    expect(error).toMatchObject({ kind: "badRequest", status: 400 });
    expect(error.message).toContain("thought_signature");
    const inner = { message: "too big", code: "context_length_exceeded" };
    server.script([say("Well", { fault: { kind: "error", afterEvents: 2, error: inner } })]);
    expect((await failure(modelAt(server, { api }))).kind).toBe("contextTooLong");
  });

  it("a key that the server repeats is not repeated by us, and its text is one bounded line", async () => {
    await using server = await startModelServer();
    const message = `bad ${server.key}\n\u001b[31m${"x".repeat(9000)}`;
    server.script([refuse(400, { message })]);
    const error = await failure(modelAt(server, { api }));
    expect(error.message).not.toContain(server.key);
    expect(error.message).not.toMatch(/\p{Cc}/u);
    expect(error.message.length).toBeLessThan(1000);
  });

  it("at the start: whether the key and the model will do", async () => {
    await using server = await startModelServer();
    const { signal } = new AbortController();
    expect(await modelAt(server, { api }).check(signal)).toBeUndefined();
    expect(await modelAt(server, { api, apiKey: "sk-no" }).check(signal)).toMatchObject({
      kind: "refusedKey",
    });
    const unknown = await modelAt(server, { api, name: "gpt-nine" }).check(signal);
    expect(unknown).toMatchObject({ kind: "unknownModel" });
    expect(unknown?.message).toContain(server.model);
    expect(server.problems).toHaveLength(1);
  });
});
