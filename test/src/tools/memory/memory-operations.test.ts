import { describe, expect, it } from "vitest";
import { StoreError } from "../../../../src/contract/store.ts";
import { flatSchema } from "../../../../src/contract/tools/tool-schema.ts";
import { createMemories } from "../../../../src/memory/memories.ts";
import {
  createMemoryOperations,
  memoryOperations,
} from "../../../../src/tools/memory/memory-operations.ts";
import { call, contextOf, failureOf } from "../../../support/calls.ts";
import { memoryLab } from "../../memory/lab.ts";

async function makeTool() {
  const lab = await memoryLab();
  const tool = createMemoryOperations({ memories: lab.memories });
  const store = (content: string, more: object = {}, conversation = "A") =>
    call(tool, { operation: "store_memory", content, ...more }, contextOf(conversation));
  const search = (query: string, more: object = {}, conversation = "A") =>
    call(tool, { operation: "search_memory", query, ...more }, contextOf(conversation));
  return { tool, store, search, lab, [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() };
}

describe("memory_operations", () => {
  it("2.37 16.25 offers memories and values, and manage_todos points to todo_operations", async () => {
    await using own = await makeTool();
    const { operation } = flatSchema(memoryOperations).properties;
    const memories = ["search_memory", "store_memory", "list_collections"];
    const values = ["set_value", "get_value", "list_values", "delete_value"];
    expect(operation?.enum).toEqual([...memories, ...values]);
    const failure = await failureOf(own.tool, { operation: "manage_todos", todoList: [] });
    expect(failure.kind).toBe("invalidParameters");
    for (const word of ["todo_operations", "read", "write", "update", "add"]) {
      expect(failure.message).toContain(word);
    }
    const unknown = await failureOf(own.tool, { operation: "forget" });
    expect(unknown.message).not.toContain("manage_todos");
  });

  it("2.39 what was stored is found with its type, tags and context", async () => {
    await using own = await makeTool();
    const stored = await own.store("The staging database is db7", {
      content_type: "fact",
      tags: ["db", "staging"],
      context: "Ann said so",
    });
    expect(stored.text).toMatch(/^Stored as memory \w+\. Continue/);
    expect(stored.data).toMatchObject({ contentType: "fact", length: 27, isDuplicate: false });
    const { text, data } = await own.search("staging database");
    expect(text).toContain("1. [fact]");
    expect(text).toMatch(
      /\d+ %; tags: db, staging; context: Ann said so\n {3}The staging database/,
    );
    expect(data).toMatchObject({ threshold: 0.3, results: [{ context: "Ann said so" }] });
  });

  it("2.39 the type is interaction by default, and an unknown one is refused", async () => {
    await using own = await makeTool();
    expect((await own.store("x")).data).toMatchObject({ contentType: "interaction" });
    const args = { operation: "store_memory", content: "y", content_type: "gossip" };
    const failure = await failureOf(own.tool, args);
    expect(failure).toMatchObject({ kind: "invalidParameters" });
    expect(failure.message).toContain("content_type");
  });

  it("2.39 shows a preview of a hundred characters that splits none", async () => {
    await using own = await makeTool();
    const { data } = await own.store(`${"😀".repeat(150)} end`);
    expect(data?.preview).toBe(`${"😀".repeat(100)}...`);
  });

  it("9.7 a duplicate succeeds with the id that is there, and says to go on", async () => {
    await using own = await makeTool();
    const first = await own.store("once");
    const again = await own.store("once");
    expect(again.data).toMatchObject({ id: first.data?.id, isDuplicate: true });
    expect(again.text).toContain("Continue with the next task");
    expect((await own.store("once", {}, "B")).data).toMatchObject({ isDuplicate: false });
  });

  it("2.38 takes a threshold as number and as text alike", async () => {
    await using own = await makeTool();
    await own.store("red apples and green pears in a basket of wood");
    const question = "apples from distant orchards somewhere";
    const [number, text] = [
      await own.search(question, { similarity_threshold: 0.15 }),
      await own.search(question, { similarity_threshold: "0.15" }),
    ];
    expect(number.data).toMatchObject({ threshold: 0.15, results: [{ accessCount: 1 }] });
    expect(text.data).toMatchObject({ threshold: 0.15, results: [{ accessCount: 2 }] });
    expect((await own.search(question)).data).toMatchObject({ threshold: 0.3, results: [] });
  });

  it.each([1.5, -0.1, "high", "80%", " ", true, [], {}, Number.NaN])(
    "2.38 says that the default was used instead of the threshold %j",
    async (similarity_threshold) => {
      await using own = await makeTool();
      await own.store("apples");
      const { text, data } = await own.search("apples", { similarity_threshold });
      expect(data).toMatchObject({ threshold: 0.3, results: [{ content: "apples" }] });
      expect(text).toMatch(/^similarity_threshold .+ so 0\.3 was used\./);
    },
  );

  it("2.38 no hit is a success that advises lower thresholds", async () => {
    await using own = await makeTool();
    const { text, data } = await own.search("anything");
    expect(data).toMatchObject({ results: [] });
    expect(text).toContain("0.3, then 0.2, then 0.15");
  });

  it("2.38 refuses a blank query and a limit outside of 1 to 50", async () => {
    await using own = await makeTool();
    for (const args of [{ query: " " }, { query: "x", limit: 0 }, { query: "x", limit: 51 }]) {
      const failure = await failureOf(own.tool, { operation: "search_memory", ...args });
      expect(failure.kind).toBe("invalidParameters");
    }
    for (let n = 0; n < 12; n++) await own.store(`apple number ${n}`);
    expect((await own.search("apple")).data?.results).toHaveLength(10);
    expect((await own.search("apple", { limit: "3" })).data?.results).toHaveLength(3);
  });

  it("2.38 a memory that cannot be reached is an error, and not an empty one", async () => {
    const broken = () => Promise.reject(new StoreError("The disk is full."));
    const documents = { get: broken, set: broken, delete: broken, keys: broken };
    const tool = createMemoryOperations({ memories: createMemories({ documents }) });
    for (const args of [
      { operation: "search_memory", query: "x" },
      { operation: "store_memory", content: "x" },
      { operation: "list_collections" },
    ]) {
      const failure = await failureOf(tool, args);
      expect(failure).toMatchObject({ kind: "executionFailed" });
      expect(failure.message).toContain("is not available");
    }
  });

  it("2.40 each conversation sees only its own count", async () => {
    await using own = await makeTool();
    for (const text of ["one", "two"]) await own.store(text, { content_type: "fact" });
    for (const text of ["one", "two", "three"]) await own.store(text, {}, "B");
    const list = (conversation: string) =>
      call(own.tool, { operation: "list_collections" }, contextOf(conversation));
    expect(await list("A")).toMatchObject({ data: { total: 2, byType: { fact: 2 } } });
    expect((await list("B")).text).toBe(
      "Stored: 3, of these 3 within the last day.\nBy type: interaction 3\nAverage importance: 0.50",
    );
    expect(await list("C")).toMatchObject({ data: { total: 0 } });
  });

  it("9.1 a topic is shared by those in it, and left with its memories behind", async () => {
    await using own = await makeTool();
    const inTopic = (conversation: string) => contextOf(conversation, { scope: "topic:infra" });
    const store = (content: string, context: ReturnType<typeof contextOf>) =>
      call(own.tool, { operation: "store_memory", content }, context);
    const search = async (context: ReturnType<typeof contextOf>) => {
      const { data } = await call(
        own.tool,
        { operation: "search_memory", query: "secret" },
        context,
      );
      const results = data?.results as { content: string }[];
      return results.map(({ content }) => content).sort();
    };
    await store("secret of A", contextOf("A"));
    await store("secret of B", contextOf("B"));
    await store("secret shared by A", inTopic("A"));
    await store("secret shared by B", inTopic("B"));
    const shared = ["secret shared by A", "secret shared by B"];
    expect(await search(inTopic("A"))).toEqual(shared);
    expect(await search(inTopic("B"))).toEqual(shared);
    expect(await search(contextOf("A"))).toEqual(["secret of A"]);
    expect(await search(contextOf("B"))).toEqual(["secret of B"]);
  });

  it("9.3 nothing the model says names another scope", async () => {
    await using own = await makeTool();
    await own.store("the secret of B", {}, "B");
    const names = [
      "scope",
      "conversation",
      "conversation_id",
      "conversationId",
      "topic",
      "sharedTopicId",
    ];
    const properties = Object.keys(flatSchema(memoryOperations).properties);
    expect(names.filter((name) => properties.includes(name))).toEqual([]);
    const elsewhere = Object.fromEntries(names.map((name) => [name, "B"]));
    expect((await own.search("secret", elsewhere)).data?.results).toEqual([]);
    await own.store("mine", elsewhere);
    expect((await own.search("mine", {}, "B")).data?.results).toEqual([]);
  });

  it("9.4 tells the model which thresholds are good for what", () => {
    const { similarity_threshold } = flatSchema(memoryOperations).properties;
    expect(similarity_threshold?.description).toMatch(
      /0\.3 when left out.*0\.15 to 0\.25.*0\.3 to 0\.5/,
    );
  });

  it("9.11 storing is work and no planning, and 1.31 runs one after another", () => {
    for (const { category, execution, level } of Object.values(memoryOperations.operations)) {
      expect([category, execution, level]).toEqual(["memory", "serial", "safe"]);
    }
  });

  it.each([
    ["search_memory", { query: "deploy" }, "Searching memory: deploy"],
    ["search_memory", {}, "Searching memory"],
    [
      "search_memory",
      { query: "<!channel>".repeat(9) },
      `Searching memory: ${"<!channel>".repeat(5).slice(0, 47)}...`,
    ],
    ["store_memory", { content: "x".repeat(60) }, `Storing memory: ${"x".repeat(47)}...`],
    ["list_collections", {}, "Listing memory collections"],
    ["set_value", { key: "version", value: "3" }, "Setting value: version"],
    ["get_value", { key: "version" }, "Reading value: version"],
    ["list_values", {}, "Listing values"],
    ["delete_value", { key: "version" }, "Deleting value: version"],
  ] as const)("1.40 %s %j is shown in one line", (operation, args, line) => {
    expect(memoryOperations.operations[operation].line(args)).toEqual(line);
  });
});
