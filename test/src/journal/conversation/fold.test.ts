import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/contract/store.ts";
import { givenResult } from "../../../../src/conversation/turn/given-result.ts";
import { conversationState } from "../../../../src/journal/conversation/fold.ts";
import { noState } from "../../../../src/journal/conversation/state.ts";
import { type ConversationLine, JOURNAL_VERSION } from "../../../../src/journal/lines.ts";

const asked = (event: string, text: string): ConversationLine => ({
  kind: "message",
  data: {
    event,
    messageId: `m-${event}`,
    author: "chat:ann",
    name: "Ann",
    text,
    at: "2030-01-01T00:00:00.000Z",
    attachments: [],
    mode: "turn",
  },
});

const started: ConversationLine = {
  kind: "turn.started",
  data: {
    turn: "t1",
    messages: ["e1"],
    requester: "chat:ann",
    name: "Ann",
    mode: "agent",
    maximum: 50,
  },
};

const stepWith = (step: number, callId: string): ConversationLine => ({
  kind: "step.finished",
  data: {
    turn: "t1",
    step,
    items: [{ type: "call", callId, name: "think", arguments: "{}" }],
    reason: "calls",
    model: "m",
    ms: 1,
  },
});

const ended = (callId: string): ConversationLine => ({
  kind: "call.finished",
  data: {
    turn: "t1",
    callId,
    result: givenResult({ callId, name: "think" }, `Result of ${callId}.`, { success: true }),
  },
});

const archived = (items: number, kept: number[]): ConversationLine => ({
  kind: "archived",
  data: {
    turn: "t1",
    items,
    kept,
    shortened: [],
    from: "2030-01-01T00:00:00.000Z",
    to: "2030-01-01T00:00:00.000Z",
    summary: "",
    topics: [],
    messages: 2,
    tokens: 10,
  },
});

function folded(...lines: readonly ConversationLine[]) {
  const state = noState();
  for (const [index, { kind, data }] of lines.entries()) {
    const at = new Date(Date.UTC(2030, 0, 1, 0, 0, index)).toISOString();
    const line = { seq: index + 1, at, kind, data: JSON.parse(JSON.stringify(data)) as Json };
    conversationState.add(state, line, JOURNAL_VERSION);
  }
  return state;
}

const texts = (state: ReturnType<typeof noState>) =>
  state.transcript.map((item) => (item.type === "call" ? item.callId : item.text));

describe("a transcript of which a part was archived", () => {
  const lines = [asked("e1", "Do it."), started, stepWith(1, "c1"), ended("c1"), stepWith(2, "c2")];

  it("has what stays first, and then goes on as before", () => {
    const state = folded(...lines, ended("c2"), archived(3, [0]), stepWith(3, "c3"), ended("c3"));
    expect(texts(state)).toEqual(["Do it.", "c2", "Result of c2.", "c3", "Result of c3."]);
    expect(state.archived).toHaveLength(1);
  });

  it("still gets what was said before anybody asked us, at its beginning", () => {
    const earlier: ConversationLine = {
      kind: "earlier",
      data: { messages: [{ author: "Bob", text: "Long ago." }] },
    };
    const state = folded(...lines, ended("c2"), archived(3, [0]), earlier);
    expect(texts(state)).toEqual(["Long ago.", "Do it.", "c2", "Result of c2."]);
    const [first] = state.transcript;
    expect(first && state.times.get(first)).toBe("2030-01-01T00:00:07.000Z");
  });

  it("keeps in view that a message of the turn was deleted or edited", () => {
    const changes: ConversationLine[] = [
      { kind: "message.deleted", data: { messageId: "m-e1" } },
      ended("c2"),
    ];
    const state = folded(...lines, ...changes);
    const about = state.open?.about.map((item) => (item.type === "user" ? item.text : ""));
    expect(about).toEqual(["Do it.", expect.stringContaining("was deleted")]);
  });
});
