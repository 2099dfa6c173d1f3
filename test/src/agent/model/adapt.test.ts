import { describe, expect, it } from "vitest";
import { call, refuse, say } from "../../../support/model-server/replies.ts";
import { startModelServer } from "../../../support/model-server.ts";
import { failure, modelAt, step, user } from "../../../support/model-step.ts";

describe("a server that refuses what we can do without", () => {
  it.each<[string, "chat" | "responses", string, object]>([
    [
      "stream_options",
      "chat",
      "stream_options",
      { message: "Extra inputs are not permitted: stream_options" },
    ],
    [
      "encrypted thoughts",
      "responses",
      "include",
      { message: "Encrypted content is not supported with this model.", param: "include" },
    ],
  ])("is asked without it, once and for all: %s", async (_title, api, field, error) => {
    await using server = await startModelServer();
    server.script(({ body }) =>
      field in body ? refuse(400, error as { message: string }) : say("Fine."),
    );
    const model = modelAt(server, { api });
    expect(await step(model)).toMatchObject({ text: "Fine.", retries: [] });
    await step(model);
    expect(server.requests.map(({ body }) => field in body)).toEqual([true, false, false]);
  });

  it("goes on without thoughts that the server can no longer read", async () => {
    await using server = await startModelServer({ key: "sk-first-secret-key" });
    await using later = await startModelServer({ key: "sk-second-secret-key" });
    server.script([call("list_todos", {}, { thoughts: "Hm." })]);
    const first = await step(modelAt(server, { api: "responses" }));
    const answer = { type: "result", callId: first.calls[0]?.callId ?? "", text: "none" } as const;
    later.script(() => say("Fine."));
    const told = await step(modelAt(later, { api: "responses" }), {
      items: [user("hi"), ...first.items, answer],
    });
    expect(told.text).toBe("Fine.");
    expect(later.problems).toMatchObject([expect.stringContaining("could not be verified")]);
  });

  it.each([
    ["chat", "temperature", "top_p", "reasoning_effort"],
    ["responses", "temperature", "top_p", "effort"],
  ] as const)(
    "10.1 over %s does without what it does not know of a way of its own to be asked",
    async (api, ...fields) => {
      await using server = await startModelServer({ reasoningModel: api === "responses" });
      server.script(({ text }) => {
        const known = fields.find((field) => text.includes(`"${field}"`));
        if (known === undefined) return say("Fine.");
        const param = known === "effort" ? "reasoning.effort" : known;
        return refuse(400, { message: `Unsupported parameter: '${param}'.`, param });
      });
      const model = modelAt(server, { api });
      const sampling = { temperature: 0.2, topP: 0.5, reasoning: true };
      expect((await step(model, { sampling })).text).toBe("Fine.");
      expect(server.requests).toHaveLength(4);
      // The next request asks in its own way again: it may be for another model.
      await step(model, { sampling });
      expect(server.requests[4]?.text).toContain('"temperature"');
      await step(model);
      expect(server.requests.at(-1)?.body).not.toHaveProperty("temperature");
    },
  );

  it("is not asked without the effort that the operator chose: the refusal is said", async () => {
    await using server = await startModelServer();
    server.script(() =>
      refuse(400, { message: "reasoning_effort: unsupported value", param: "reasoning_effort" }),
    );
    const error = await failure(modelAt(server, { api: "responses", reasoningEffort: "max" }));
    expect(error.kind).toBe("badRequest");
    expect(error.message).toContain("REASONING_EFFORT");
  });
});

describe("LLM_API=auto", () => {
  it("changes over to responses when chat says so, and remembers it", async () => {
    await using server = await startModelServer();
    server.script(() => say("Thought about it."));
    const model = modelAt(server, { reasoningEffort: "high" });
    expect((await step(model)).text).toBe("Thought about it.");
    await step(model);
    expect(server.requests.map(({ wire }) => wire)).toEqual(["chat", "responses", "responses"]);
  });

  it("changes over when the address of the first wire does not exist", async () => {
    await using server = await startModelServer({ wires: ["responses"] });
    server.script(() => say("Only here."));
    expect((await step(modelAt(server))).text).toBe("Only here.");
    expect(server.problems).toEqual(["404 Invalid URL (POST /v1/chat/completions)"]);
  });

  it("does not change over for an unknown model, and not back and forth", async () => {
    await using server = await startModelServer();
    expect((await failure(modelAt(server, { name: "gpt-nine" }))).kind).toBe("unknownModel");
    expect(server.requests).toHaveLength(1);
    await using nothing = await startModelServer({ wires: [] });
    expect((await failure(modelAt(nothing))).kind).toBe("wrongAddress");
    expect(nothing.problems).toHaveLength(2);
  });

  it("forgets a change that did not help", async () => {
    await using server = await startModelServer();
    const gone = refuse(404, { message: "Not Found" });
    server.script([gone, gone, say("Back again.")]);
    const model = modelAt(server);
    expect((await failure(model)).kind).toBe("wrongAddress");
    expect((await step(model)).text).toBe("Back again.");
    expect(server.requests.map(({ wire }) => wire)).toEqual(["chat", "responses", "chat"]);
  });

  it("does not change over where the operator has chosen", async () => {
    await using server = await startModelServer({ wires: ["responses"] });
    expect((await failure(modelAt(server, { api: "chat" }))).kind).toBe("wrongAddress");
  });
});
