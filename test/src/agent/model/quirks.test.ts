import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../../../src/contract/model.ts";
import { call, calls, type Quirk, type Reply, say } from "../../../support/model-server/replies.ts";
import { startModelServer } from "../../../support/model-server.ts";
import { modelAt, type Step, step, user } from "../../../support/model-step.ts";

/** Everything but the random ids. */
function essence({ text, thoughts, calls: made, reason }: Step) {
  return {
    text,
    thoughts,
    reason,
    calls: made.map(({ name, arguments: given }) => `${name} ${given}`),
  };
}

const TWO_CALLS = calls(
  [
    ["read_file", { path: "a.txt", deep: { list: [1, 2, 3] } }],
    ["list_todos", { done: false }],
  ],
  { text: "Looking. ", thoughts: "Two things." },
);

const WANTED = {
  text: "Looking. ",
  thoughts: "Two things.",
  reason: "calls",
  calls: ['read_file {"path":"a.txt","deep":{"list":[1,2,3]}}', 'list_todos {"done":false}'],
};

async function told(reply: Reply, api: "chat" | "responses"): Promise<Step> {
  await using server = await startModelServer();
  server.script([reply]);
  return await step(modelAt(server, { api }));
}

describe("a server that speaks chat in its own way", () => {
  it.each<[string, Quirk[]]>([
    ["never says who speaks", ["noRole"]],
    ["leaves the index of calls out", ["noIndex"]],
    ["gives every call the index 0", ["repeatedIndex"]],
    ["gives every call the index 0 and sends it whole", ["repeatedIndex", "wholeCalls"]],
    ["leaves the ids of calls out", ["noIds"]],
    ["sends empty ids", ["emptyIds"]],
    ["gives all calls the same id", ["repeatedIds"]],
    ["leaves out both the ids and the index", ["noIds", "noIndex"]],
    ["sends whole calls without id and index", ["noIds", "noIndex", "wholeCalls"]],
    ["repeats the id with every piece", ["idInEveryPiece"]],
    ["makes up a new id for every piece", ["newIdInEveryPiece"]],
    ["sends names in pieces", ["splitNames"]],
    ["repeats the name with every piece", ["nameInEveryPiece"]],
    ["repeats the name with every piece and gives no ids", ["nameInEveryPiece", "noIds"]],
    ["sends arguments as an object", ["argumentsAsObject"]],
    ["sends content in parts", ["contentParts"]],
    ["sends messages instead of deltas", ["messageInsteadOfDelta"]],
    ["calls its thoughts reasoning", ["reasoningField"]],
    ["never says why it ends", ["noFinishReason"]],
    ["says stop when it wants calls", ["finishStop"]],
    ["ends without [DONE]", ["noDone"]],
    ["sends comments in between", ["comments"]],
    ["ends lines with CR LF", ["crlf"]],
    ["leaves the space after the colon out", ["noSpaces"]],
    [
      "has all of the common habits at once",
      ["noRole", "repeatedIndex", "noFinishReason", "comments", "crlf"],
    ],
  ])("and %s is understood", async (_title, quirks) => {
    expect(essence(await told({ ...TWO_CALLS, quirks }, "chat"))).toEqual(WANTED);
  });

  it("and answers in one piece is understood", async () => {
    const reply = await told({ ...TWO_CALLS, quirks: ["notStreamed"] }, "chat");
    expect(essence(reply)).toEqual({ ...WANTED, thoughts: "" });
  });

  it("and still has the old function_call is understood", async () => {
    const reply = await told(
      call("read_file", { path: "a" }, { quirks: ["legacyFunctionCall"] }),
      "chat",
    );
    expect(essence(reply)).toMatchObject({ reason: "calls", calls: ['read_file {"path":"a"}'] });
  });

  it("tells two calls without arguments apart by the names that it was offered", async () => {
    const reply = calls(
      [
        ["list_todos", ""],
        ["read_file", ""],
      ],
      { quirks: ["noIds", "repeatedIndex"] },
    );
    expect((await told(reply, "chat")).calls.map(({ name }) => name)).toEqual([
      "list_todos",
      "read_file",
    ]);
  });

  it("and ends its streams without any mark is believed from the second time on, and not asked twice again", async () => {
    await using server = await startModelServer();
    server.script(() => say("All of it.", { quirks: ["noDone", "noFinishReason"] }));
    const model = modelAt(server, { api: "chat" });
    const first = await step(model);
    expect(first).toMatchObject({
      text: "All of it.",
      retries: [{ because: "cutStream", restarts: true }],
    });
    expect((await step(model)).retries).toEqual([]);
    expect(server.requests).toHaveLength(3);
  });

  it.each<[string, Quirk, number]>([
    ["counts in every chunk", "usageInEveryChunk", 7],
    ["names cached input differently", "cacheHitTokens", 7],
  ])("and %s has its usage read", async (_title, quirk, cached) => {
    const reply = say("Hi.", { usage: { input: 9, cached, output: 2 }, quirks: [quirk] });
    expect((await told(reply, "chat")).usage).toMatchObject({
      inputTokens: 9,
      cachedTokens: 7,
      outputTokens: 2,
    });
  });

  it("and counts nothing has no usage, rather than one of zero", async () => {
    expect((await told(say("Hi.", { quirks: ["noUsage"] }), "chat")).usage).toBeUndefined();
  });

  it("gets back what it hung onto a call, and only it", async () => {
    await using server = await startModelServer();
    const extraContent = { google: { thought_signature: "AY89a18" } };
    server.script([
      { calls: [{ name: "list_todos", arguments: "{}", extraContent }] },
      say("Done."),
    ]);
    const model = modelAt(server, { api: "chat" });
    const first = await step(model);
    const answer = { type: "result", callId: first.calls[0]?.callId ?? "", text: "none" } as const;
    await step(model, { items: [user("hi"), ...first.items, answer] });
    expect(server.requests[1]?.text).toContain(
      '"extra_content":{"google":{"thought_signature":"AY89a18"}}',
    );
  });
});

describe("a server that speaks responses in its own way", () => {
  it.each<[string, Quirk[]]>([
    ["leaves the place of items out", ["noIndex"]],
    ["announces no items", ["noAdded"]],
    ["announces no items and leaves their place out", ["noAdded", "noIndex"]],
    ["sends nothing but the finished response", ["onlyCompleted"]],
    ["leaves the ids of calls out", ["noIds"]],
    ["answers in one piece", ["notStreamed"]],
    ["sends comments in between", ["comments"]],
    ["ends lines with CR LF", ["crlf"]],
  ])("and %s is understood", async (_title, quirks) => {
    const reply = await told({ ...TWO_CALLS, quirks }, "responses");
    const silent = quirks.includes("onlyCompleted") || quirks.includes("notStreamed");
    expect(essence(reply)).toEqual({ ...WANTED, thoughts: silent ? "" : WANTED.thoughts });
    expect(reply.items.map(({ type }) => type)).toEqual(["reasoning", "assistant", "call", "call"]);
  });
});

describe.each(["chat", "responses"] as const)("ids over %s", (api) => {
  it("are unique within the conversation, even where a server calls every call call_0", async () => {
    await using server = await startModelServer();
    const again = call("list_todos", {}, { quirks: ["repeatedIds"] });
    server.script([again, again, again, say("Done.")]);
    const model = modelAt(server, { api });
    const items: TranscriptItem[] = [user("hi")];
    const ids = new Set<string>();
    for (let left = 4; left > 0; left -= 1) {
      const { items: more, calls: made } = await step(model, { items });
      for (const { callId } of made) ids.add(callId);
      items.push(
        ...more,
        ...made.map(({ callId }) => ({ type: "result", callId, text: callId }) as const),
      );
    }
    expect(ids.size).toBe(3);
    expect(server.requests[3]?.results.map(({ text }) => text)).toEqual([...ids]);
    expect(server.problems).toEqual([]);
  });
});

describe.each(["chat", "responses"] as const)("the bytes of a reply over %s", (api) => {
  it("may be cut anywhere and give the same", async () => {
    await using server = await startModelServer();
    const model = modelAt(server, { api });
    const reply = { ...TWO_CALLS, text: "Grüße 🚢 👩‍🚒\u2028 ok", thoughts: "思考" };
    const wanted = { ...WANTED, text: reply.text, thoughts: reply.thoughts };
    const sizes = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 8 });
    const framing = fc.subarray<Quirk>(["comments", "crlf", "noSpaces"]);
    await fc.assert(
      fc.asyncProperty(sizes, framing, async (chunkSizes, quirks) => {
        // One byte at a time for a whole reply takes long; one such size among others does not.
        server.script([{ ...reply, quirks, chunkSizes: [...chunkSizes, 400] }]);
        expect(essence(await step(model))).toEqual(wanted);
      }),
      { numRuns: 60 },
    );
    server.script([{ ...reply, chunkSizes: [1] }]);
    expect(essence(await step(model))).toEqual(wanted);
  });
});
