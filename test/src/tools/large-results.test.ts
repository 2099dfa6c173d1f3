import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createReadToolResult } from "../../../src/tools/results/read-tool-result.ts";
import { cut, lengthOf } from "../../../src/tools/results/text-pages.ts";
import { lab, single } from "./support/lab.ts";

/** A box whose tool answers with this text. */
function boxWith(text: string, more: { mimeType?: "application/json" } = {}, inputTokens?: number) {
  const box = lab({ tools: [single("big", async () => ({ text, ...more }))] });
  box.registry.register(createReadToolResult(box.stored, inputTokens));
  const step = async (callId: string, name: string, args: object, conversation = "A") => {
    const call = { callId, name, arguments: JSON.stringify(args) };
    const outcome = await box.toolbox.runStep([call], box.turn({ conversation }));
    if (outcome.outcome !== "finished" || !outcome.results[0]) throw new Error("no result");
    return outcome.results[0];
  };
  /** The whole, read page by page as the notes say. */
  const readAll = async (toolCallId: string, length?: number) => {
    let whole = "";
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const { output } = await step("r", "read_tool_result", { toolCallId, offset, length });
      const page = output.additionalData as { content: string; nextOffset?: number };
      whole += page.content;
      offset = page.nextOffset;
    }
    return whole;
  };
  return { ...box, step, readAll };
}

describe("a large result", () => {
  it("1.43 is stored; the model gets its beginning, the id and the length, and can read all of it", async () => {
    const text = Array.from({ length: 50_000 }, (_none, index) => String(index % 10)).join("");
    const { step, readAll } = boxWith(text);
    const result = await step("call_1", "big", {});
    expect(lengthOf(result.output.content)).toBeLessThan(10_000);
    expect(result.output.content.startsWith(text.slice(0, 8192))).toBe(true);
    for (const part of ["call_1", "50000", "41808", "read_tool_result"]) {
      expect(result.output.content).toContain(part);
    }
    expect(result.output.additionalData.stored).toEqual({
      id: "call_1",
      totalLength: 50_000,
      remaining: 41_808,
    });
    expect(await readAll("call_1")).toBe(text);
    expect(await readAll("call_1", 777)).toBe(text);
  });

  it("1.43 of exactly 8192 bytes is given whole", async () => {
    const { step, documents } = boxWith("x".repeat(8192));
    expect((await step("c", "big", {})).output.content).toBe("x".repeat(8192));
    expect(documents.kept.size).toBe(0);
  });

  it("1.43 that cannot be stored is cut with a warning", async () => {
    const { step, documents, warnings } = boxWith("x".repeat(9000));
    documents.isBroken = true;
    const { output } = await step("c", "big", {});
    expect(output.content).toContain("Warning");
    expect(output.content).toContain("9000");
    expect(lengthOf(output.content)).toBeLessThan(10_000);
    expect(warnings.join()).toContain("the disk is gone");
  });

  it("1.28 that was JSON does not pretend to be JSON when it is cut", async () => {
    const json = JSON.stringify({ a: "x".repeat(9000) });
    const { step, readAll } = boxWith(json, { mimeType: "application/json" });
    expect((await step("c", "big", {})).output.mimeType).toBe("text/plain");
    expect(JSON.parse(await readAll("c"))).toHaveProperty("a");
  });

  it("1.43 keeps earlier results though a model uses its ids again", async () => {
    let text = "a".repeat(9000);
    const box = boxWith("");
    box.registry.register(single("big", async () => ({ text })));
    const first = await box.step("same", "big", {});
    text = "b".repeat(9000);
    const second = await box.step("same", "big", {});
    const idOf = (result: typeof first) =>
      (result.output.additionalData.stored as { id: string }).id;
    expect(idOf(first)).not.toBe(idOf(second));
    expect(await box.readAll(idOf(first))).toBe("a".repeat(9000));
    expect(await box.readAll(idOf(second))).toBe(text);
  });

  it("1.43 finds a good key for whatever id a model makes up", async () => {
    for (const callId of ["../../x", "a/b", "é", "x".repeat(500), " "]) {
      const { step, readAll } = boxWith("y".repeat(9000));
      const result = await step(callId, "big", {});
      const { id } = result.output.additionalData.stored as { id: string };
      expect(id).toMatch(/^result-[0-9a-f]{16}$/);
      expect(await readAll(id)).toBe("y".repeat(9000));
    }
  });

  it("1.44 of emoji is never cut within one", async () => {
    const text = "😀".repeat(20_000);
    const { step, readAll } = boxWith(text);
    const { output } = await step("e", "big", {});
    expect(output.content.isWellFormed()).toBe(true);
    expect(output.content).not.toContain("\ufffd");
    for (const length of [8192, 8191, 1001, 32_768]) expect(await readAll("e", length)).toBe(text);
  });

  it("1.44 is put together again from pages of any length, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 50 }),
        (given, length) => {
          const text = given.toWellFormed();
          let whole = "";
          for (let offset = 0; offset < lengthOf(text); ) {
            const page = cut(text, offset, length);
            expect(page.end).toBeGreaterThan(offset);
            expect(page.text.isWellFormed()).toBe(true);
            whole += page.text;
            offset = page.end;
          }
          expect(whole).toBe(text);
        },
      ),
    );
  });

  it("1.44 is put together again from offsets that a model has worked out by itself", () => {
    const text = "aé😀日".repeat(50);
    for (const length of [4, 5, 7, 100]) {
      const pages: string[] = [];
      for (let offset = 0; offset < lengthOf(text); offset += length) {
        pages.push(cut(text, offset, length).text);
      }
      expect(pages.join("")).toBe(text);
    }
  });
});

describe("read_tool_result", () => {
  const text = "x".repeat(50_000);

  it("3.10 gives at most 32768 at a time, and says how to go on", async () => {
    const { step } = boxWith(text);
    await step("c", "big", {});
    const { output } = await step("r", "read_tool_result", { toolCallId: "c", length: 100_000 });
    expect(output.additionalData).toMatchObject({
      toolCallId: "c",
      offset: 0,
      length: 32_768,
      totalLength: 50_000,
      hasMore: true,
      nextOffset: 32_768,
    });
    expect(output.content).toContain('{"toolCallId":"c","offset":32768}');
    const rest = await step("r2", "read_tool_result", {
      toolCallId: "c",
      offset: "32768",
      length: 32_768,
    });
    expect(rest.output.additionalData).toMatchObject({ length: 17_232, hasMore: false });
    expect(rest.output.additionalData).not.toHaveProperty("nextOffset");
  });

  it("3.10 does not show another conversation's results, and answers as if there were none", async () => {
    const { step } = boxWith(text);
    await step("c", "big", {}, "A");
    const foreign = await step("r", "read_tool_result", { toolCallId: "c" }, "B");
    const unknown = await step("r", "read_tool_result", { toolCallId: "d" }, "B");
    expect(foreign).toMatchObject({ success: false });
    expect(foreign.output.content.replaceAll('"c"', '"d"')).toBe(unknown.output.content);
  });

  it("3.10 keeps conversations apart whose names could be mistaken for one another's keys", async () => {
    const { step } = boxWith(text);
    await step("c", "big", {}, "A/B");
    for (const [conversation, toolCallId] of [
      ["A", "B/c"],
      ["A", "..%2Fc"],
      ["A%2FB", "c"],
      ["", "A%2FB/c"],
    ] as const) {
      const result = await step("r", "read_tool_result", { toolCallId }, conversation);
      expect(result.success, `${conversation} ${toolCallId}`).toBe(false);
    }
    expect((await step("r", "read_tool_result", { toolCallId: "c" }, "A/B")).success).toBe(true);
  });

  it.each([
    { inputTokens: undefined, usual: 8192, most: 32_768 },
    { inputTokens: 400_000, usual: 8192, most: 32_768 },
    { inputTokens: 12_000, usual: 8192, most: 9000 },
    { inputTokens: 6144, usual: 4608, most: 4608 },
    { inputTokens: 100, usual: 1024, most: 1024 },
  ])(
    "has pages of $usual bytes, at most $most, for a model that takes $inputTokens tokens [16.23]",
    async (expected) => {
      const { step, readAll } = boxWith("x".repeat(50_000), {}, expected.inputTokens);
      await step("call_1", "big", {});
      const lengthGiven = async (length?: number) => {
        const args = { toolCallId: "call_1", ...(length && { length }) };
        return (await step("r", "read_tool_result", args)).output.additionalData.length;
      };
      expect(await lengthGiven()).toBe(expected.usual);
      expect(await lengthGiven(100_000)).toBe(expected.most);
      expect(await readAll("call_1")).toBe("x".repeat(50_000));
    },
  );

  it("suggests the id that was meant where one has a slip [16.23]", async () => {
    const { step } = boxWith(text);
    for (const id of ["call_8fK2mQzA", "call_Xy77bbTr"]) await step(id, "big", {});
    for (const slip of [
      "call_8fK2mQzB",
      "call_8fK2mQz",
      "call_8fKK2mQzA",
      "call_8fK2QmzA",
      "CALL_8FK2MQZA",
      " call_8fK2mQzA",
    ]) {
      const { success, output } = await step("r", "read_tool_result", { toolCallId: slip });
      expect(success).toBe(false);
      expect(output.content).toContain('Did you mean "call_8fK2mQzA"?');
    }
    for (const other of ["call_1", "x", "something else entirely"]) {
      const { output } = await step("r", "read_tool_result", { toolCallId: other });
      expect(output.content).not.toContain("Did you mean");
    }
    const foreign = await step("r", "read_tool_result", { toolCallId: "call_8fK2mQzB" }, "B");
    expect(foreign.output.content).not.toContain("Did you mean");
  });

  it.each(["../../x", "", "a/b", "c\0", "c\n", "x".repeat(1000)])(
    "3.10 refuses %j as an id",
    async (toolCallId) => {
      const { step } = boxWith(text);
      expect(await step("r", "read_tool_result", { toolCallId })).toMatchObject({ success: false });
    },
  );

  it.each([
    [{ offset: 50_000 }, /0 to 49999/],
    [{ offset: 1_000_000 }, /0 to 49999/],
    [{ offset: -1 }, /offset/],
    [{ length: 0 }, /length/],
  ])("3.10 refuses %j with the reason", async (args, reason) => {
    const { step } = boxWith(text);
    await step("c", "big", {});
    const result = await step("r", "read_tool_result", { toolCallId: "c", ...args });
    expect(result).toMatchObject({ success: false, kind: "invalidParameters" });
    expect(result.output.content).toMatch(reason);
  });
});
