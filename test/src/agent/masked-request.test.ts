import { describe, expect, it } from "vitest";
import { maskedRequest } from "../../../src/agent/masked-request.ts";
import type { StepRequest, TranscriptItem } from "../../../src/contract/model.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";

const SECRET = 'p"ss\\word-9f8e7d6c';
const redactor = createRedactor({ secrets: { OPERATOR_TOKEN: SECRET } });

function masked(...items: TranscriptItem[]): readonly TranscriptItem[] {
  const signal = new AbortController().signal;
  return maskedRequest(redactor, { system: "s", items, tools: [], signal }).items;
}

describe("what a model is sent", () => {
  it("P-X1 keeps the arguments of calls JSON, and says what stood there", () => {
    const given = { command: `deploy --key '${SECRET}' --to x`, deep: [{ [SECRET]: 1 }] };
    const [item] = masked({
      type: "call",
      callId: "c",
      name: "run",
      arguments: JSON.stringify(given),
    });
    expect(JSON.parse(item?.type === "call" ? item.arguments : "")).toEqual({
      command: "deploy --key '[redacted: OPERATOR_TOKEN]' --to x",
      deep: [{ "[redacted: OPERATOR_TOKEN]": 1 }],
    });
  });

  it("keeps them JSON where a secret seems to go from one member into the next", () => {
    const hex = Buffer.from(SECRET).toString("hex");
    const given = { parts: [hex.slice(0, 12), hex.slice(12)], whole: SECRET };
    const [item] = masked({
      type: "call",
      callId: "c",
      name: "run",
      arguments: JSON.stringify(given),
    });
    expect(JSON.parse(item?.type === "call" ? item.arguments : "")).toEqual({
      parts: given.parts,
      whole: "[redacted: OPERATOR_TOKEN]",
    });
  });

  it("leaves arguments without secrets as the model wrote them, byte by byte", () => {
    for (const args of ['{ "a":1.0,\n"b": "\\u0041" }', '{"a', ""]) {
      const item = { type: "call", callId: "c", name: "run", arguments: args } as const;
      expect(masked(item)).toEqual([item]);
    }
  });

  it("leaves what only the origin understands, and masks what can be read", () => {
    const encrypted = Buffer.from(SECRET).toString("base64");
    const [item] = masked({
      type: "reasoning",
      text: `I use ${SECRET}`,
      origin: {
        wire: "responses",
        model: "m",
        extra: { encrypted_content: encrypted, summary: [{ text: SECRET }], id: "rs_1" },
      },
    });
    expect(item).toMatchObject({
      text: "I use [redacted: OPERATOR_TOKEN]",
      origin: {
        extra: {
          encrypted_content: encrypted,
          summary: [{ text: "[redacted: OPERATOR_TOKEN]" }],
          id: "rs_1",
        },
      },
    });
  });

  it("gives the same bytes for the same items, so that providers can cache them", () => {
    const items: TranscriptItem[] = [
      { type: "user", text: `my key is ${SECRET}`, author: "Ada" },
      { type: "assistant", text: "Fine." },
    ];
    const first = JSON.stringify(masked(...items));
    const later = JSON.stringify(masked(...structuredClone(items), { type: "user", text: "on" }));
    expect(later.startsWith(first.slice(0, -1))).toBe(true);
  });

  it("masks the prompt and the tools, and keeps their names", () => {
    const request: StepRequest = {
      system: `Never say ${SECRET}.`,
      items: [],
      tools: [{ name: "token", description: SECRET, parameters: { title: SECRET } }],
      signal: new AbortController().signal,
    };
    const sent = maskedRequest(redactor, request);
    expect(JSON.stringify(sent)).not.toContain("9f8e7d6c");
    expect(sent.tools[0]?.name).toBe("token");
  });
});
