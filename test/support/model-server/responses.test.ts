import { describe, expect, it } from "vitest";
import { startModelServer } from "../model-server.ts";
import { type Body, post, said } from "./ask.ts";
import { call } from "./replies.ts";

/*
 * https://developers.openai.com/api/reference/resources/responses, .../api/docs/guides/reasoning and .../conversation-state.
 * Seen, as GitHub threads: a call without output bytedance/trae-agent#358; a thought without its follower vercel/ai#7099; a
 * follower without its thought mastra-ai/mastra#8738 (in 2026 not always enforced: jin-bo/agentao#321); a missing
 * summary newo-ether/Agora#141. The other wordings are ours.
 */
describe("the scripted responses server refuses what the real one refuses", () => {
  const respond = (input: unknown, more: Body = {}) =>
    said("/responses", { model: "scripted-1", input, store: false, ...more });
  const message = { type: "message", role: "user", content: "hi" };
  const functionCall = (more: Body = {}) => ({
    type: "function_call",
    call_id: "a",
    name: "look",
    arguments: "{}",
    ...more,
  });
  const output = { type: "function_call_output", call_id: "a", output: "done" };
  const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "made up" };
  const flat = (more: Body = {}) => ({
    type: "function",
    name: "look",
    parameters: { type: "object", properties: { a: { type: "string" } } },
    ...more,
  });

  it.each<[string, unknown, Body, RegExp]>([
    ["no input", [], {}, /^400 empty_array/],
    [
      "an output without a call",
      [message, output],
      {},
      /No tool call found for function call output with call_id a/,
    ],
    [
      "a call without an output",
      [message, functionCall()],
      {},
      /No tool output found for function call a/,
    ],
    ["an output before its call", [output, functionCall()], {}, /No tool call found/],
    ["two outputs", [functionCall(), output, output], {}, /Duplicate/],
    ["an id of the wrong kind", [functionCall({ id: "call_1" }), output], {}, /begins with 'fc'/],
    [
      "an assistant's text as input_text",
      [{ role: "assistant", content: [{ type: "input_text", text: "x" }] }],
      {},
      /'output_text'/,
    ],
    ["an item of an unknown type", [{ type: "tool" }], {}, /Invalid value: 'tool'/],
    [
      "a thought without its summary",
      [{ ...thought, summary: undefined }, functionCall(), output],
      {},
      /summary/,
    ],
    [
      "a thought that was not kept",
      [{ ...thought, encrypted_content: undefined }, functionCall(), output],
      {},
      /^404 .*not persisted when `store` is set to false/,
    ],
    [
      "a thought of somebody else",
      [thought, functionCall(), output],
      {},
      /^400 invalid_encrypted_content/,
    ],
    [
      "a schema that is not strict, without saying so",
      [message],
      { tools: [flat()] },
      /'additionalProperties' is required/,
    ],
    [
      "two tools of one name",
      [message],
      { tools: [flat({ strict: false }), flat({ strict: false })] },
      /must be unique/,
    ],
    [
      "an unknown wish to include",
      [message],
      { include: ["everything"] },
      /Invalid value: 'everything'/,
    ],
    ["a response that was not kept", [message], { previous_response_id: "resp_1" }, /not found/],
    ["an unknown field", [message], { messages: [] }, /unknown_parameter/],
    ["empty instructions", [message], { instructions: "" }, /empty_string/],
  ])("%s", async (_title, input, more, refusal) => {
    expect(await respond(input, more)).toMatch(refusal);
  });

  it("and accepts what is right", async () => {
    expect(
      await respond([message, functionCall(), output], {
        tools: [flat({ strict: false })],
        stream: true,
      }),
    ).toBe("accepted");
    expect(await respond("hi")).toBe("accepted");
  });

  it("encrypted thoughts of a model that has none", async () => {
    const body = { model: "scripted-1", input: "hi", include: ["reasoning.encrypted_content"] };
    expect(await said("/responses", body, { reasoningModel: false })).toMatch(
      /Encrypted content is not supported/,
    );
  });

  it("a thought apart from what it led to, both ways", async () => {
    await using server = await startModelServer();
    server.script(() => call("look", {}, { thoughts: "Hm.", id: "a" }));
    const body = { model: server.model, store: false, include: ["reasoning.encrypted_content"] };
    const first = await post(server, "/responses", { ...body, input: "hi" });
    const [given, follower] = JSON.parse(first.text).output;
    const ask = async (input: unknown[]) =>
      (await post(server, "/responses", { ...body, input })).text;
    expect(await ask([given, message])).toContain("without its required following item");
    expect(await ask([given, { ...follower, id: undefined }, output])).toContain(
      "without its required following item",
    );
    expect(await ask([follower, output])).toContain("without its required 'reasoning' item");
    expect(await ask([given, follower, output])).toContain('"status":"completed"');
    expect(await ask([{ ...follower, id: undefined }, output])).toContain('"status":"completed"');
  });
});
