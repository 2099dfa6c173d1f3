import { describe, expect, it } from "vitest";
import { startModelServer } from "../model-server.ts";
import { type Body, post, said } from "./ask.ts";

const user = { role: "user", content: "hi" };
const made = (id: string, args = "{}") => ({
  id,
  type: "function",
  function: { name: "look", arguments: args },
});
const calling = (...ids: string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => made(id)),
});
const answer = (id: string) => ({ role: "tool", tool_call_id: id, content: "done" });
const tool = (more: Body = {}) => ({
  type: "function",
  function: {
    name: "look",
    description: "Looks.",
    parameters: { type: "object", properties: {} },
    ...more,
  },
});
const schema = (parameters: unknown) => tool({ parameters });

/*
 * Names, schemas, pairing: https://developers.openai.com/api/docs/guides/function-calling and .../structured-outputs.
 * Seen from real servers, as GitHub threads: pairing agno-agi/agno#3105; 128 tools vishalmysore/Tools4AI#16; description
 * of 1024 getsentry/sentry-mcp#106; unique names tailcallhq/forgecode#892 (Anthropic); ids of 64 jin-bo/agentao#321; missing
 * properties spring-projects/spring-ai#4776; strict bytedance/trae-agent#173; empty additionalProperties
 * chattermate/chattermate.chat#303. Empty texts and arguments that are no JSON object are refused by some compatible servers
 * only: what passes here passes everywhere. The other wordings are ours.
 */
describe("the scripted chat server refuses what the real one refuses", () => {
  const chat = (more: Body) =>
    said("/chat/completions", { model: "scripted-1", messages: [user], ...more });

  it.each<[string, Body, RegExp]>([
    ["no model", { model: undefined }, /^400 .*must provide a model/],
    [
      "an unknown model",
      { model: "gpt-nine" },
      /^404 model_not_found The model `gpt-nine` does not exist/,
    ],
    ["no messages", { messages: [] }, /^400 empty_array/],
    ["messages that are none", { messages: "hi" }, /^400 invalid_type/],
    ["an unknown field", { colour: "red" }, /^400 unknown_parameter .*'colour'/],
    [
      "an unknown role",
      { messages: [{ role: "robot", content: "x" }] },
      /^400 .*Invalid value: 'robot'/,
    ],
    ["a missing content", { messages: [{ role: "user" }] }, /^400 missing_required_parameter/],
    ["an empty content", { messages: [{ role: "user", content: " " }] }, /^400 empty_string/],
    ["a name with spaces", { messages: [{ ...user, name: "Ada L" }] }, /^400 .*\.name/],
    [
      "an assistant without anything",
      { messages: [user, { role: "assistant", content: null }] },
      /^400/,
    ],
    [
      "a result without a call",
      { messages: [user, answer("a")] },
      /must be a response to a preceeding message/,
    ],
    [
      "a call without a result",
      { messages: [user, calling("a")] },
      /did not have response messages: a$/,
    ],
    [
      "one result for two calls",
      { messages: [user, calling("a", "b"), answer("b")] },
      /response messages: a$/,
    ],
    [
      "a message between call and result",
      { messages: [user, calling("a"), user, answer("a")] },
      /response messages: a$/,
    ],
    [
      "a result given twice",
      { messages: [user, calling("a"), answer("a"), answer("a")] },
      /preceeding message/,
    ],
    [
      "two calls of one id",
      { messages: [user, calling("a", "a"), answer("a")] },
      /Duplicate tool call id/,
    ],
    [
      "arguments that are no object",
      { messages: [user, { ...calling(), tool_calls: [made("a", "{")] }, answer("a")] },
      /not a JSON object/,
    ],
    ["no tools at all", { tools: [] }, /^400 empty_array/],
    [
      "129 tools",
      { tools: Array.from({ length: 129 }, (_, index) => tool({ name: `t${index}` })) },
      /array_above_max_length/,
    ],
    ["a tool name with a dot", { tools: [tool({ name: "a.b" })] }, /does not match pattern/],
    [
      "a tool name of 65 letters",
      { tools: [tool({ name: "a".repeat(65) })] },
      /does not match pattern/,
    ],
    ["two tools of one name", { tools: [tool(), tool()] }, /must be unique/],
    [
      "a tool of another type",
      { tools: [{ ...tool(), type: "gadget" }] },
      /Invalid value: 'gadget'/,
    ],
    [
      "a description of 1025 letters",
      { tools: [tool({ description: "a".repeat(1025) })] },
      /string_above_max_length/,
    ],
    ["a schema that is no object", { tools: [schema({ type: "string" })] }, /got 'type: "string"'/],
    [
      "a schema with oneOf at the top",
      { tools: [schema({ type: "object", properties: {}, oneOf: [] })] },
      /at the top level/,
    ],
    ["a schema without properties", { tools: [schema({ type: "object" })] }, /missing properties/],
    [
      "a property of an unknown type",
      { tools: [schema({ type: "object", properties: { a: { type: "text" } } })] },
      /"text" is not valid/,
    ],
    [
      "an array without items",
      { tools: [schema({ type: "object", properties: { a: { type: "array" } } })] },
      /missing items/,
    ],
    [
      "an empty additionalProperties",
      {
        tools: [
          schema({
            type: "object",
            properties: { a: { type: "object", additionalProperties: {} } },
          }),
        ],
      },
      /must have a 'type' key/,
    ],
    [
      "a strict schema that is open",
      { tools: [tool({ strict: true })] },
      /'additionalProperties' is required/,
    ],
    [
      "a strict schema with an optional field",
      {
        tools: [
          tool({
            strict: true,
            parameters: {
              type: "object",
              additionalProperties: false,
              properties: { a: { type: "string" } },
              required: [],
            },
          }),
        ],
      },
      /Missing 'a'/,
    ],
    [
      "stream_options without stream",
      { stream_options: { include_usage: true } },
      /only allowed when 'stream' is enabled/,
    ],
    // Seen: danny-avila/LibreChat#14231.
    ["tools with reasoning", { tools: [tool()], reasoning_effort: "low" }, /use \/v1\/responses/],
  ])("%s", async (_title, more, refusal) => {
    expect(await chat(more)).toMatch(refusal);
  });

  it("and accepts what is right", async () => {
    const messages = [
      { role: "system", content: "s" },
      user,
      calling("a", "b"),
      answer("b"),
      answer("a"),
      user,
    ];
    expect(
      await chat({
        messages,
        tools: [tool()],
        stream: true,
        stream_options: { include_usage: true },
      }),
    ).toBe("accepted");
    expect(await chat({ tools: [tool()], reasoning_effort: "none" })).toBe("accepted");
  });

  it("half a surrogate pair, and a body that is no JSON", async () => {
    const broken = '{"model":"scripted-1","messages":[{"role":"user","content":"\\ud800"}]}';
    expect(await said("/chat/completions", broken)).toMatch(/not a valid Unicode string/);
    expect(await said("/chat/completions", "{")).toMatch(/could not parse the JSON body/);
  });

  it("what is too long, in the words of each wire", async () => {
    const long = "word ".repeat(1000);
    const options = { contextTokens: 100 };
    const messages = [{ role: "user", content: long }];
    expect(await said("/chat/completions", { model: "scripted-1", messages }, options)).toMatch(
      /^400 context_length_exceeded This model's maximum context length is 100 tokens/,
    );
    expect(await said("/responses", { model: "scripted-1", input: long }, options)).toMatch(
      /^400 context_length_exceeded Your input exceeds the context window/,
    );
    expect(
      await said("/responses", { model: "scripted-1", input: long }, { maxBodyBytes: 100 }),
    ).toMatch(/^413/);
  });

  it("a missing and a wrong key, and an address that is none", async () => {
    await using server = await startModelServer();
    const body = { model: server.model, messages: [user] };
    expect(
      await post(server, "/chat/completions", body, { authorization: "Bearer sk-x" }),
    ).toMatchObject({ status: 401 });
    expect(await fetch(`${server.url}/models`)).toMatchObject({ status: 401 });
    expect(await post(server, "/completions", body)).toMatchObject({ status: 404 });
    expect(server.requests).toEqual([]);
  });
});
