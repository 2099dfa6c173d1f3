import { describe, expect, it } from "vitest";
import { createMemoryOperations } from "../../../../src/tools/memory/memory-operations.ts";
import { call, contextOf, failureOf } from "../../../support/calls.ts";
import { type MemoryLab, memoryLab } from "../../memory/lab.ts";

/** The operations on values as one bot offers them. */
function valuesOf(memories: MemoryLab["memories"], conversation = "A") {
  const tool = createMemoryOperations({ memories });
  const context = contextOf(conversation);
  return {
    set: (key: string, value: string) =>
      call(tool, { operation: "set_value", key, value }, context),
    get: async (key: string) => (await call(tool, { operation: "get_value", key }, context)).text,
    list: async () => (await call(tool, { operation: "list_values" }, context)).text,
    remove: (key: string) => call(tool, { operation: "delete_value", key }, context),
    failure: async (args: Record<string, unknown>) =>
      (await failureOf(tool, args, context)).message,
  };
}

describe("values with a name [16.25]", () => {
  it("survive a restart: set, replaced, listed and deleted ones", async () => {
    await using lab = await memoryLab();
    const before = valuesOf(lab.memories);
    await before.set("version", "3.1");
    await before.set("owner", "Ada");
    await before.set("old", "x");
    expect((await before.set("version", "3.2")).data).toMatchObject({ replaced: true });
    await before.remove("old");
    const after = valuesOf(await lab.reopen());
    expect(await after.get("version")).toBe("3.2");
    expect(await after.list()).toBe("owner: Ada\nversion: 3.2");
    expect(await after.failure({ operation: "get_value", key: "old" })).toMatch(
      /no value "old".*owner, version/,
    );
    await after.remove("version");
    expect(await valuesOf(await lab.reopen()).list()).toBe("owner: Ada");
  });

  it.each(["a b", "a/b", "../x", "__proto__", "%2F", "日本", "A", "a", " a", "x".repeat(200)])(
    "may be named %j, and every name is one of its own",
    async (key) => {
      await using lab = await memoryLab();
      const values = valuesOf(lab.memories);
      await values.set("other", "other");
      await values.set(key, "");
      expect(await values.get(key)).toBe("");
      expect(await values.get("other")).toBe("other");
      await values.remove(key);
      expect(await values.list()).toBe("other: other");
    },
  );

  it("belong to their scope, and are forgotten with its memories", async () => {
    await using lab = await memoryLab();
    await valuesOf(lab.memories, "A").set("k", "of A");
    await valuesOf(lab.memories, "B").set("k", "of B");
    expect(await valuesOf(lab.memories, "A").get("k")).toBe("of A");
    expect(await lab.memories.clear("A")).toBe(1);
    expect(await valuesOf(lab.memories, "A").list()).toBe("No values are stored.");
    expect(await valuesOf(lab.memories, "B").get("k")).toBe("of B");
  });

  it("are bounded in name, value and number", async () => {
    await using lab = await memoryLab();
    const { failure, set, list } = valuesOf(lab.memories);
    const long = { operation: "set_value", key: "k", value: "x".repeat(10_001) };
    expect(await failure(long)).toContain("value");
    expect(await failure({ ...long, key: " ", value: "" })).toContain("key must not be blank");
    expect(await failure({ ...long, key: "k".repeat(201), value: "" })).toContain("key");
    for (let n = 0; n < 1000; n += 1) await lab.memories.setValue("A", `k${n}`, "v");
    expect(await failure({ operation: "set_value", key: "more", value: "v" })).toContain(
      "full (1000 values)",
    );
    await set("k7", "replaced");
    expect(await list()).toContain("k7: replaced");
  });
});
