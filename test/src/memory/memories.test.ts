import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { ALL, fact, memoryLab } from "./lab.ts";

const FIVE_MINUTES = 5 * 60_000;

describe("scopes", () => {
  it("9.1 two scopes never see each other's, and those who share one see both", async () => {
    await using lab = await memoryLab();
    const { memories } = lab;
    // One name begins with the other one, and one looks like a pattern of the database.
    const scopes = ["slack:C1", "slack:C1:2", "slack:C1/", "slack%", "slack_C1"];
    for (const scope of scopes) await memories.store(scope, fact(`the secret of ${scope}`));
    for (const scope of scopes) {
      const found = await memories.search(scope, "secret", ALL);
      expect(found.map(({ memory }) => memory.content)).toEqual([`the secret of ${scope}`]);
    }
    await memories.store("topic", fact("deploys happen on Monday", { conversation: "A" }));
    await memories.store("topic", fact("deploys need two people", { conversation: "B" }));
    expect(await memories.search("topic", "deploys", ALL)).toHaveLength(2);
    expect(await memories.search("A", "deploys", ALL)).toEqual([]);
  });

  it("holds at most its limit, says what to do, and loses nothing it has", async () => {
    await using lab = await memoryLab({ scopeLimit: 3 });
    const { memories } = lab;
    for (const text of ["one", "two", "three"]) await memories.store("A", fact(text));
    await expect(memories.store("A", fact("four"))).rejects.toThrow("Clear it");
    const notes = { conversation: "A", path: "n.txt", text: "notes" };
    await expect(memories.importDocument("A", notes)).rejects.toThrow("full");
    expect((await memories.collections("A")).total).toBe(3);
    await memories.store("B", fact("four"));
    await memories.clear("A");
    await memories.store("A", fact("four"));
  });

  it("2.40 counts only what one scope holds", async () => {
    await using lab = await memoryLab();
    const { memories } = lab;
    for (const text of ["one", "two"]) await memories.store("A", fact(text));
    for (const text of ["one", "two", "three"]) {
      await memories.store("B", fact(text, { contentType: "task", importance: 0.8 }));
    }
    expect(await memories.collections("A")).toMatchObject({ total: 2, averageImportance: 0.5 });
    expect(await memories.collections("B")).toMatchObject({
      total: 3,
      byType: { task: 3, fact: 0 },
      recent: 3,
    });
    lab.wait(24 * 60 * 60_000);
    expect(await memories.collections("B")).toMatchObject({ total: 3, recent: 0 });
    const empty = await memories.collections("C");
    expect(empty).toMatchObject({ total: 0, documents: 0 });
    expect(empty).not.toHaveProperty("averageImportance");
  });

  it("9.10 clear forgets everything in one scope, counts of use and documents included", async () => {
    await using lab = await memoryLab();
    const { memories } = lab;
    await memories.store("A", fact("red"));
    await memories.importDocument("A", { conversation: "A", path: "n.txt", text: "red notes" });
    await memories.store("B", fact("red"));
    await memories.search("A", "red", ALL);
    expect(await memories.clear("A")).toBe(2);
    expect(await memories.clear("A")).toBe(0);
    expect(await memories.collections("A")).toMatchObject({ total: 0, documents: 0 });
    expect(await memories.search("A", "red", ALL)).toEqual([]);
    expect((await memories.collections("B")).total).toBe(1);
    await memories.store("A", fact("red"));
    expect(await memories.search("A", "red", ALL)).toMatchObject([{ accessCount: 1 }]);
  });

  it("goes on being right for more scopes than are held in memory", async () => {
    await using lab = await memoryLab();
    for (let n = 0; n < 70; n++) await lab.memories.store(`S${n}`, fact(`number ${n}`));
    for (const n of [0, 35, 69]) {
      const found = await lab.memories.search(`S${n}`, "number", ALL);
      expect(found.map(({ memory }) => memory.content)).toEqual([`number ${n}`]);
    }
  });
});

describe("duplicates", () => {
  it("9.7 the same content within five minutes is stored once per scope, and again afterwards", async () => {
    await using lab = await memoryLab();
    const { memories } = lab;
    const first = await memories.store("A", fact("The  key is\nK-1"));
    expect(first.isDuplicate).toBe(false);
    lab.wait(FIVE_MINUTES - 1);
    const again = await memories.store("A", fact(" The key is K-1 ", { tags: ["other"] }));
    expect(again).toEqual({ memory: first.memory, isDuplicate: true });
    const elsewhere = await memories.store("B", fact("The key is K-1"));
    expect(elsewhere.isDuplicate).toBe(false);
    expect(elsewhere.memory.id).not.toBe(first.memory.id);
    lab.wait(1);
    const later = await memories.store("A", fact("The key is K-1"));
    expect(later.isDuplicate).toBe(false);
    expect((await memories.collections("A")).total).toBe(2);
    expect((await memories.collections("B")).total).toBe(1);
  });

  it("9.7 a correction that differs in a capital letter is no duplicate", async () => {
    await using lab = await memoryLab();
    await lab.memories.store("A", fact("the password begins with K"));
    const corrected = await lab.memories.store("A", fact("the password begins with k"));
    expect(corrected.isDuplicate).toBe(false);
  });

  it("9.8 holds across a restart, and between two processes that store at the same moment", async () => {
    await using lab = await memoryLab();
    const { memory } = await lab.memories.store("A", fact("once"));
    const other = await lab.reopen();
    expect(await other.store("A", fact("once"))).toEqual({ memory, isDuplicate: true });
    await Promise.all([lab.memories.store("A", fact("race")), other.store("A", fact("race"))]);
    expect((await other.collections("A")).total).toBe(2);
    expect((await lab.memories.collections("A")).total).toBe(2);
  });

  it("8.9 recent lists what one conversation stored within five minutes, and no document", async () => {
    await using lab = await memoryLab();
    const { memories } = lab;
    await memories.store("T", fact("old"));
    lab.wait(FIVE_MINUTES);
    await memories.store("T", fact("mine", { conversation: "A" }));
    await memories.store("T", fact("theirs", { conversation: "B" }));
    await memories.importDocument("T", { conversation: "A", path: "a.md", text: "text" });
    expect((await memories.recent("T", "A")).map(({ content }) => content)).toEqual(["mine"]);
  });
});

describe("keeping", () => {
  it("9.9 keeps type, context, tags and importance, and counts how often it was found", async () => {
    await using lab = await memoryLab();
    const given = fact("The staging database is db7", {
      context: "asked by Ann",
      tags: ["db", "staging"],
      importance: 0.9,
    });
    await lab.memories.store("A", given);
    const other = await lab.reopen();
    const [first] = await other.search("A", "staging database", ALL);
    expect(first).toMatchObject({
      memory: { ...given, scope: "A", createdAt: "2030-01-01T00:00:00.000Z" },
      accessCount: 1,
    });
    lab.wait(1000);
    expect(await lab.memories.search("A", "db7", ALL)).toMatchObject([
      { accessCount: 2, lastAccessed: "2030-01-01T00:00:01.000Z" },
    ]);
  });

  it("sees at once what another process stored or cleared", async () => {
    await using lab = await memoryLab();
    const other = await lab.reopen();
    expect(await lab.memories.search("A", "blue", ALL)).toEqual([]);
    await other.store("A", fact("blue"));
    expect(await lab.memories.search("A", "blue", ALL)).toHaveLength(1);
    await other.clear("A");
    expect(await lab.memories.search("A", "blue", ALL)).toEqual([]);
  });

  it("has every memory it confirmed after being killed in the middle", async () => {
    await using lab = await memoryLab();
    const program = new URL("./doomed.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, [program, lab.file], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const confirmed: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      confirmed.push(line);
      if (confirmed.length === 25) child.kill("SIGKILL");
    }
    await once(child, "exit").catch(() => undefined);
    expect(confirmed.length).toBeGreaterThanOrEqual(25);
    const { total } = await lab.memories.collections("A");
    expect(total).toBeGreaterThanOrEqual(confirmed.length);
    for (const content of confirmed) {
      const [best] = await lab.memories.search("A", content, { limit: 1, threshold: 1 });
      expect(best?.memory.content).toBe(content);
    }
  });

  it("9.6 a store that cannot answer is an error and never an empty answer", async () => {
    const { createMemories } = await import("../../../src/memory/memories.ts");
    const broken = () => Promise.reject(new Error("the disk is gone"));
    const memories = createMemories({
      documents: { get: broken, set: broken, delete: broken, keys: broken },
    });
    await expect(memories.search("A", "x", ALL)).rejects.toThrow("the disk is gone");
    await expect(memories.store("A", fact("x"))).rejects.toThrow("the disk is gone");
    await expect(memories.collections("A")).rejects.toThrow("the disk is gone");
  });
});
