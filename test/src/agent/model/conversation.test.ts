import { describe, expect, it } from "vitest";
import { TranscriptItem } from "../../../../src/contract/model.ts";
import { call, calls, say } from "../../../support/model-server/replies.ts";
import { startModelServer } from "../../../support/model-server.ts";
import { modelAt, step, user } from "../../../support/model-step.ts";

const result = (callId: string, text: string): TranscriptItem => ({ type: "result", callId, text });

describe.each(["chat", "responses"] as const)("a conversation over %s", (api) => {
  it("streams what the model says, piece by piece, and ends with the item to keep", async () => {
    await using server = await startModelServer();
    server.script([say("Ahoy, this is a somewhat longer answer. 🚢")]);
    const told = await step(modelAt(server, { api }));
    expect(told.text).toBe("Ahoy, this is a somewhat longer answer. 🚢");
    expect(told.events.filter(({ type }) => type === "textDelta").length).toBeGreaterThan(3);
    expect(told.reason).toBe("stop");
    expect(told.items).toMatchObject([{ type: "assistant", text: told.text }]);
    expect(server.problems).toEqual([]);
  });

  it("hands calls on in the model's order, with the arguments as raw text", async () => {
    await using server = await startModelServer();
    const text = '{ "path" : "a b.txt" }';
    server.script([
      calls(
        [
          ["read_file", text],
          ["list_todos", {}],
        ],
        { text: "Let me look." },
      ),
    ]);
    const told = await step(modelAt(server, { api }));
    expect(told.reason).toBe("calls");
    expect(told.calls).toMatchObject([
      { name: "read_file", arguments: text },
      { name: "list_todos", arguments: "{}" },
    ]);
    const [first] = told.calls;
    const deltas = told.events.filter((event) => event.type === "argumentsDelta");
    const ofFirst = deltas.filter(({ callId }) => callId === first?.callId);
    expect(ofFirst.map((delta) => delta.text).join("")).toBe(text);
    const started = told.events.findIndex((event) => event.type === "callStarted");
    expect(told.events[started]).toMatchObject({ callId: first?.callId, name: "read_file" });
    expect(started).toBeLessThan(told.events.findIndex(({ type }) => type === "argumentsDelta"));
  });

  it("1.33 goes on after calls: each result reaches the model under the id of its call, in the order of the calls", async () => {
    await using server = await startModelServer();
    server.script([
      calls(
        [
          ["read_file", { path: "a" }],
          ["read_file", { path: "b" }],
        ],
        { thoughts: "Two files." },
      ),
      call("list_todos", {}, { thoughts: "Now the todos." }),
      say("Done."),
    ]);
    const model = modelAt(server, { api });
    const items: TranscriptItem[] = [user("read both")];
    for (let left = 3; left > 0; left -= 1) {
      const told = await step(model, { items });
      items.push(...told.items);
      // The second result comes first, as it may when calls run beside each other.
      items.push(...told.calls.toReversed().map((made) => result(made.callId, made.arguments)));
    }
    expect(items.at(-1)).toMatchObject({ type: "assistant", text: "Done." });
    expect(server.problems).toEqual([]);
    expect(server.requests[1]?.results.map(({ text }) => text)).toEqual([
      '{"path":"a"}',
      '{"path":"b"}',
    ]);
    expect(server.requests[2]?.results).toHaveLength(3);
  });

  it("gives back, untouched, what the model thought, and keeps it apart from what it said", async () => {
    await using server = await startModelServer();
    server.script([
      call("list_todos", {}, { thoughts: "Hm, todos first." }),
      say("Nothing to do."),
    ]);
    const model = modelAt(server, { api });
    const first = await step(model);
    expect(first).toMatchObject({ text: "", thoughts: "Hm, todos first." });
    const kept = TranscriptItem.array().parse(JSON.parse(JSON.stringify(first.items)));
    expect(kept.map(({ type }) => type)).toEqual(["reasoning", "call"]);
    const answer = result(first.calls[0]?.callId ?? "", "none");
    await step(model, { items: [user("hello"), ...kept, answer] });
    const sent = server.requests[1]?.text;
    expect(sent).toContain(
      api === "chat" ? '"reasoning_content":"Hm, todos first."' : '"encrypted_content":"',
    );
    expect(server.problems).toEqual([]);
  });

  it("drops the thoughts of another model or wire, and the conversation goes on", async () => {
    await using server = await startModelServer({ model: "old" });
    await using next = await startModelServer({ model: "new" });
    server.script([call("list_todos", {}, { thoughts: "Secret.", text: "Looking." })]);
    const told = await step(modelAt(server, { api }));
    const answer = result(told.calls[0]?.callId ?? "", "none");
    const items = [user("hello"), ...told.items, answer];
    next.script(() => say("I see."));
    expect((await step(modelAt(next, { api }), { items })).text).toBe("I see.");
    const other = api === "chat" ? "responses" : "chat";
    expect((await step(modelAt(next, { api: other }), { items })).text).toBe("I see.");
    expect(next.problems).toEqual([]);
    for (const { text } of next.requests) expect(text).not.toContain("Secret.");
  });

  it("begins every request with the bytes of the one before, as long as the transcript only grows", async () => {
    await using server = await startModelServer();
    server.script([
      call("read_file", { path: "a" }, { thoughts: "Hm." }),
      call("list_todos", {}),
      say("Done."),
      say("Again."),
    ]);
    const model = modelAt(server, { api });
    const items: TranscriptItem[] = [user("one")];
    for (const more of [undefined, undefined, user("two"), undefined]) {
      const told = await step(model, { items });
      items.push(...told.items, ...told.calls.map((made) => result(made.callId, "some text")));
      if (more) items.push(more);
    }
    const texts = server.requests.map(({ text }) => text);
    expect(texts).toHaveLength(4);
    texts.slice(1).forEach((text, index) => {
      const before = texts[index]?.replace(/\]\}$/, "") ?? "";
      expect(text.startsWith(before)).toBe(true);
    });
  });

  it("says what it used and what that cost, cached input apart", async () => {
    await using server = await startModelServer();
    const usage = { input: 1000, cached: 800, output: 50, reasoning: 20 };
    server.script(() => say("Hi.", { usage }));
    const prices = { [server.model]: { input: 2, cachedInput: 0.5, output: 10 } };
    expect((await step(modelAt(server, { api, prices }))).usage).toEqual({
      inputTokens: 1000,
      cachedTokens: 800,
      outputTokens: 50,
      reasoningTokens: 20,
      cost: (200 * 2 + 800 * 0.5 + 50 * 10) / 1_000_000,
    });
    expect((await step(modelAt(server, { api }))).usage).not.toHaveProperty("cost");
  });

  it("tells a reply that was cut by a limit from one that was withheld", async () => {
    await using server = await startModelServer();
    server.script([
      call("read_file", '{"path": "a', { finish: "length" }),
      say("I can", { finish: "filtered" }),
    ]);
    const model = modelAt(server, { api });
    const cut = await step(model, { limits: { outputTokens: 100 } });
    expect(cut).toMatchObject({ reason: "length", calls: [{ arguments: '{"path": "a' }] });
    expect(server.requests[0]?.text).toMatch(/"max_(output_)?tokens":100/);
    expect((await step(model)).reason).toBe("filtered");
  });

  it("1.15 can go on after arguments that were no JSON: the next request is accepted", async () => {
    await using server = await startModelServer();
    server.script([
      calls([
        ["read_file", '{"path": "a'],
        ["list_todos", ""],
      ]),
      say("Sorry."),
    ]);
    const model = modelAt(server, { api });
    const told = await step(model);
    expect(told.calls.map((made) => made.arguments)).toEqual(['{"path": "a', ""]);
    const refused = told.calls.map((made) => result(made.callId, "not JSON"));
    expect((await step(model, { items: [user("hi"), ...told.items, ...refused] })).text).toBe(
      "Sorry.",
    );
    expect(server.problems).toEqual([]);
  });

  it("uses its connection again", async () => {
    await using server = await startModelServer();
    server.script(() => say("Still here."));
    const model = modelAt(server, { api });
    for (let left = 6; left > 0; left -= 1) await step(model);
    expect(new Set(server.requests.map(({ port }) => port)).size).toBeLessThan(4);
  });

  it("keeps several conversations apart that run at the same time", async () => {
    await using server = await startModelServer();
    const names = ["ant", "bee", "cat", "dog"];
    for (const name of names) {
      const replies = [say(`${name} one`, { paceMs: 1 }), say(`${name} two`, { paceMs: 1 })];
      server.script(replies, { when: `marker-${name}` });
    }
    const model = modelAt(server, { api });
    const told = await Promise.all(
      names.map(async (name) => {
        const items = [user(`marker-${name}`)];
        const first = await step(model, { items });
        return [
          first.text,
          (await step(model, { items: [...items, ...first.items, user("on")] })).text,
        ];
      }),
    );
    expect(told).toEqual(names.map((name) => [`${name} one`, `${name} two`]));
  });
});
