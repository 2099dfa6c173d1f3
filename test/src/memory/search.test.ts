import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ALL, fact, memoryLab } from "./lab.ts";

const FACTS = [
  "The production database password is rotated by Ann on the first Monday of a month",
  "Deploys to production go through the blue pipeline",
  "Bob prefers short answers without tables",
  "The function read_file of parse-config.ts fails on empty files",
  "Die Datenbank steht in Frankfurt",
  "部署密钥在保险库里",
];

describe("search", () => {
  it("9.5 finds the very text first, with a relevance of 1, whatever the text is", async () => {
    await using lab = await memoryLab();
    for (const text of FACTS) await lab.memories.store("A", fact(text));
    const anything = fc
      .string({ minLength: 1, unit: "grapheme" })
      .filter((text) => text.trim() !== "");
    await fc.assert(
      fc.asyncProperty(anything, async (text) => {
        await lab.memories.store("A", fact(text));
        const [first] = await lab.memories.search("A", text, { limit: 1, threshold: 1 });
        expect(first?.relevance).toBe(1);
      }),
      { numRuns: 60 },
    );
  });

  it("9.5 sorts by relevance, never above 1, and gives no more than the limit", async () => {
    await using lab = await memoryLab();
    for (const text of FACTS) await lab.memories.store("A", fact(text));
    const found = await lab.memories.search("A", "production database password", ALL);
    expect(found[0]?.memory.content).toBe(FACTS[0]);
    const relevances = found.map(({ relevance }) => relevance);
    expect(relevances).toEqual(relevances.toSorted((a, b) => b - a));
    expect(Math.max(...relevances)).toBeLessThanOrEqual(1);
    expect(found.length).toBeGreaterThan(1);
    expect(await lab.memories.search("A", "production", { limit: 1, threshold: 0 })).toHaveLength(
      1,
    );
  });

  it.each([
    ["What is the database password?", 0],
    ["how do we deploy to production", 1],
    ["which answers does Bob prefer", 2],
    ["read_file", 3],
    ["parse config", 3],
    ["datenbank", 4],
    ["密钥", 5],
    ["pasword databse", 0],
  ])("9.4 %s is answered at the default threshold", async (query, expected) => {
    await using lab = await memoryLab();
    for (const text of FACTS) await lab.memories.store("A", fact(text));
    const [best] = await lab.memories.search("A", query, { limit: 10, threshold: 0.3 });
    expect(best?.memory.content).toBe(FACTS[expected]);
  });

  it("9.4 a threshold of 0.8 finds only what says nearly the same", async () => {
    await using lab = await memoryLab();
    for (const text of FACTS) await lab.memories.store("A", fact(text));
    const strict = { limit: 10, threshold: 0.8 };
    expect(await lab.memories.search("A", "production database password", strict)).toEqual([]);
    const nearly = "Deploys to production go through our blue pipeline";
    expect(await lab.memories.search("A", nearly, strict)).toHaveLength(1);
  });

  it("finds by a tag and by the context as well", async () => {
    await using lab = await memoryLab();
    await lab.memories.store("A", fact("db7", { tags: ["staging"], context: "told by Carol" }));
    expect(await lab.memories.search("A", "staging", ALL)).toHaveLength(1);
    expect(await lab.memories.search("A", "carol", ALL)).toHaveLength(1);
  });
});

describe("documents", () => {
  const long = Array.from({ length: 200 }, (_, n) => `Paragraph ${n} is about topic${n}.\n\n`).join(
    "",
  );

  it("2.49 an imported document is found part by part, and listed once for its conversation", async () => {
    await using lab = await memoryLab();
    const { memories } = lab;
    const given = { conversation: "A", path: "docs/notes.txt", text: long, tags: ["notes"] };
    const { document, outcome } = await memories.importDocument("T", given);
    expect(outcome).toBe("imported");
    expect(document).toMatchObject({ path: "docs/notes.txt", characters: long.length });
    expect(document.parts).toBeGreaterThan(1);
    const [hit] = await memories.search("T", "topic137", { limit: 10, threshold: 0.2 });
    expect(hit?.memory).toMatchObject({ contentType: "document", tags: ["notes"] });
    expect(hit?.memory.content).toContain("topic137");
    expect(hit?.memory.context).toMatch(/^docs\/notes\.txt, part \d+ of \d+$/);
    expect(await memories.documents("T", "A")).toEqual([document]);
    expect(await memories.documents("T", "B")).toEqual([]);
    expect(await memories.documents("A", "A")).toEqual([]);
    expect((await memories.collections("T")).documents).toBe(1);
  });

  it("8.7 the same path again is recorded once: unchanged, or the new text instead of the old", async () => {
    await using lab = await memoryLab();
    const { memories } = lab;
    const given = { conversation: "A", path: "n.txt", text: `${long}apple` };
    const first = await memories.importDocument("A", given);
    expect((await memories.importDocument("A", given)).outcome).toBe("unchanged");
    const other = await memories.importDocument("A", { ...given, text: "banana" });
    expect(other).toMatchObject({
      outcome: "replaced",
      document: { id: first.document.id, parts: 1 },
    });
    expect(await memories.search("A", "apple", ALL)).toEqual([]);
    expect(await memories.search("A", "banana", ALL)).toHaveLength(1);
    expect(await memories.documents("A", "A")).toEqual([other.document]);
    const back = await memories.importDocument("A", given);
    expect(back.document).toEqual(first.document);
  });

  it("keeps every word of a text, however it is laid out", async () => {
    const { partsOf } = await import("../../../src/memory/parts.ts");
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: "grapheme" }),
            fc.constantFrom("\n", "\n\n", "😀".repeat(900)),
          ),
        ),
        (pieces) => {
          const text = pieces.join("");
          const squeeze = (one: string) => one.replace(/\s+/g, "");
          const parts = partsOf(text);
          expect(squeeze(parts.join(""))).toBe(squeeze(text));
          for (const part of parts) expect(part.length).toBeLessThanOrEqual(1500);
        },
      ),
    );
  });
});
