import { describe, expect, it } from "vitest";
import type { ArchiveChunk } from "../../../../src/contract/conversation/archive.ts";
import { createRecallHistory, recallHistory } from "../../../../src/tools/memory/recall-history.ts";
import { call, contextOf, failureOf } from "../../../support/calls.ts";

const day = (number: number, hour = 0) =>
  `2030-01-${String(number).padStart(2, "0")}T${String(hour).padStart(2, "0")}:00:00.000Z`;

function chunk(number: number, about: Partial<ArchiveChunk> & { texts?: string[] }): ArchiveChunk {
  const { texts = [], ...more } = about;
  const messages = texts.map((text, index) => ({ at: day(number, index), author: "Ann", text }));
  return {
    conversation: "A",
    from: day(number),
    to: day(number, 12),
    summary: "",
    topics: [],
    messages,
    ...more,
  };
}

const archived: ArchiveChunk[] = [
  chunk(1, {
    summary: "Setting up.",
    topics: ["install"],
    texts: ["npm install", "The port is 4711."],
  }),
  chunk(2, { summary: "The database moved.", topics: ["postgres"], texts: ["Moved to postgres"] }),
  chunk(3, { summary: "Small talk.", texts: ["Lunch?", "The database is slow.", "Yes."] }),
  chunk(4, { conversation: "B", summary: "The database in B.", texts: ["Secret of B"] }),
];
const INFRA = "topic:memory::infra";
const tool = createRecallHistory({
  archive: {
    chunks: async (conversation) => archived.filter((each) => each.conversation === conversation),
  },
  topicMembers: async (topic) => (topic === INFRA ? ["A", "B"] : []),
});

const froms = async (args: object, conversation = "A") => {
  const { data } = await call(tool, { ...args }, contextOf(conversation));
  return (data as { chunks: { from: string }[] }).chunks.map(({ from }) => from);
};

describe("recall_history", () => {
  it("3.11 finds a word that was said, with its time, summary, topics, count and previews", async () => {
    const { text, data } = await call(tool, { query: "4711" });
    expect(text).toBe(
      `From ${day(1)} to ${day(1, 12)}, 2 messages in A\nSummary: Setting up.\nKey topics: install\n` +
        `- ${day(1, 0)} Ann: npm install\n- ${day(1, 1)} Ann: The port is 4711.\n\n` +
        "2 more chunks with 4 messages archived.",
    );
    expect(data).toMatchObject({
      chunks: [{ messageCount: 2, topics: ["install"] }],
      more: { chunks: 2, messages: 4 },
    });
  });

  it("3.11 previews the messages that have most of the words", async () => {
    const texts = [...Array.from({ length: 9 }, () => "a key"), "the release key is KESTREL"];
    const many = createRecallHistory({
      archive: { chunks: async () => [chunk(1, { texts })] },
      topicMembers: async () => [],
    });
    const { text } = await call(many, { query: "release key" });
    expect(text).toContain("KESTREL");
  });

  it("3.11 puts the most relevant first", async () => {
    expect(await froms({ query: "database" })).toEqual([day(2), day(3)]);
  });

  it.each([
    ["recent", [day(3), day(2)]],
    ["early", [day(1), day(2)]],
  ])("3.11 %s goes by time and not by relevance", async (time_hint, expected) => {
    expect(await froms({ query: "database", time_hint, limit: 2 })).toEqual(expected);
  });

  it.each([0, 11, -1, 2.5, "many"])("3.11 refuses %j as a limit", async (limit) => {
    expect(await failureOf(tool, { query: "x", limit })).toMatchObject({
      kind: "invalidParameters",
      message: expect.stringContaining("limit"),
    });
  });

  it.each([{}, { query: "" }, { query: "  " }, { query: "x", time_hint: "yesterday" }])(
    "3.11 refuses %j",
    async (args) => {
      expect(await failureOf(tool, args)).toMatchObject({ kind: "invalidParameters" });
    },
  );

  it("3.11 gives three chunks unless asked for more, ten at most", async () => {
    const many = Array.from({ length: 12 }, (_, index) => chunk(index + 1, { summary: "deploy" }));
    const busy = createRecallHistory({
      archive: { chunks: async () => many },
      topicMembers: async () => [],
    });
    const found = async (args: object) =>
      ((await call(busy, { query: "deploy", ...args })).data as { chunks: object[] }).chunks.length;
    expect([await found({}), await found({ limit: 10 })]).toEqual([3, 10]);
  });

  it.each([INFRA, "infra", "Infra"])(
    "3.11 searches every conversation of a topic it is part of, named as %s",
    async (topic_id) => {
      const within = contextOf("A", { scope: INFRA });
      const { data } = await call(tool, { query: "database", topic_id, limit: 10 }, within);
      const { chunks } = data as { chunks: { from: string }[] };
      expect(chunks.map(({ from }) => from)).toEqual([day(4), day(2), day(3)]);
    },
  );

  it("3.11 says the same of a topic of others and of one that does not exist", async () => {
    for (const scope of ["C", "topic:memory::other"]) {
      const context = contextOf("C", { scope });
      const foreign = await failureOf(tool, { query: "database", topic_id: "infra" }, context);
      const missing = await failureOf(tool, { query: "database", topic_id: "nosuch" }, context);
      expect(foreign.kind).toBe("permissionDenied");
      expect(foreign.message.replace("infra", "nosuch")).toBe(missing.message);
    }
  });

  it("3.11 takes no thread's own name for a topic", async () => {
    const context = contextOf("memory:t:infra");
    const { kind } = await failureOf(tool, { query: "database", topic_id: "infra" }, context);
    expect(kind).toBe("permissionDenied");
  });

  it("3.11 never looks into another conversation by itself", async () => {
    const { text } = await call(tool, { query: "secret" });
    expect(text).toMatch(/Nothing archived matches\. 3 more chunks with 6 messages archived/);
  });

  it("3.11 says when nothing is archived yet, and that is no error", async () => {
    const { text } = await call(tool, { query: "database" }, contextOf("C"));
    expect(text).toMatch(/Nothing has been archived yet/);
  });

  it("3.11 fails where there is no archive", async () => {
    const none = createRecallHistory({ archive: undefined, topicMembers: async () => [] });
    expect((await failureOf(none, { query: "x" })).message).toMatch(/There is no archive/);
  });

  it("3.11 shows five messages at most, those with the word before others, in their order", async () => {
    const texts = ["a", "b", "c", "d", "e", "f", "the port", "g", "another port"];
    const long = createRecallHistory({
      archive: { chunks: async () => [chunk(1, { texts })] },
      topicMembers: async () => [],
    });
    const { data } = await call(long, { query: "port" });
    const [found] = (data as { chunks: { previews: { text: string }[] }[] }).chunks;
    expect(found?.previews.map(({ text }) => text)).toEqual([
      "a",
      "b",
      "c",
      "the port",
      "another port",
    ]);
  });

  it.each([
    ["at the beginning", `port ${"🚢".repeat(2000)}`],
    ["in the middle", `${"🚢".repeat(2000)} Port ${"🚢".repeat(2000)}`],
    ["at the end", `${"🚢".repeat(2000)} port`],
  ])("3.11 cuts a long message to 500 characters around a word %s", async (_, text) => {
    const long = createRecallHistory({
      archive: { chunks: async () => [chunk(1, { texts: [text] })] },
      topicMembers: async () => [],
    });
    const { data } = await call(long, { query: "port" });
    const [found] = (data as { chunks: { previews: { text: string }[] }[] }).chunks;
    const shown = found?.previews[0]?.text ?? "";
    expect(shown).toMatch(/port/i);
    expect(Array.from(shown).length).toBeLessThanOrEqual(500);
    expect(Array.from(shown).length).toBeGreaterThan(490);
    expect(shown.isWellFormed()).toBe(true);
  });

  it.each([
    [{ query: "database" }, "Recalling history: database", []],
    [{ query: "q".repeat(51) }, `Recalling history: ${"q".repeat(47)}...`, []],
    [
      { topic_id: "infra", time_hint: "early" },
      "Recalling history",
      ["Topic: infra", "Order: early"],
    ],
  ])("1.40 %j is shown as %j", (args, line, details) => {
    const operation = recallHistory.operations.recall_history;
    expect(operation.line(args)).toBe(line);
    expect(operation.details?.(args)).toEqual(details);
  });
});
