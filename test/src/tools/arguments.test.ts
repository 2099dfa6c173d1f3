import { describe, expect, it } from "vitest";
import type { RunnableTool } from "../../../src/contract/tools/tool-call.ts";
import { prepareCall } from "../../../src/tools/call/prepare-call.ts";
import { everyDefinition } from "./support/definitions.ts";
import { lab, single } from "./support/lab.ts";
import { realCalls } from "./support/real-calls.ts";

const definitions = await everyDefinition();
const asTools = (): RunnableTool[] =>
  definitions.map((definition) => ({ definition, run: async () => ({ text: "ran" }) }));

describe("arguments of a model", () => {
  it("1.15 are refused when they were cut off, at whatever byte of 200 real calls", () => {
    const box = lab({ tools: asTools() });
    const turn = box.turn();
    const calls = realCalls(definitions, 200);
    expect(calls.length).toBeGreaterThanOrEqual(200);
    expect(new Set(calls.map((call) => call.name)).size).toBe(definitions.length);
    const plan = (name: string, args: string) =>
      prepareCall(box, { name, arguments: args }, turn).plan;
    for (const call of calls) {
      expect(plan(call.name, call.arguments), call.arguments).toHaveProperty("call");
      const bytes = Buffer.from(call.arguments);
      for (let length = 0; length < bytes.length; length += 1) {
        const cut = bytes.toString("utf8", 0, length);
        const { refused } = plan(call.name, cut) as { refused?: { kind: string } };
        if (refused?.kind !== "invalidParameters") {
          throw new Error(`${call.name} was not refused with ${cut}`);
        }
      }
    }
  });

  it.each([
    "{oops",
    "",
    " ",
    "null",
    "[]",
    '"text"',
    "7",
    "{} {}",
    "{'a': 1}",
    '{"a": 1,}',
    "undefined",
    "\ufeff{}",
  ])("1.15 %j becomes an error with a hint and the expected shape", async (text) => {
    let runs = 0;
    const probe = single("probe", async () => ({ text: `${++runs}` }));
    const box = lab({ tools: [probe, ...asTools()] });
    const result = await box.call("probe", text);
    expect(result).toMatchObject({ success: false, kind: "invalidParameters" });
    expect(result.output.content).toMatch(/JSON|object/);
    expect(result.output.content).toMatch(/Expected no parameters/);
    expect(runs).toBe(0);
    const dotted = await box.call("file_operations.read_file", text);
    expect(dotted.output.content).toContain("{ filePath, offset?, limit?, startLine?, endLine? }");
    const whole = await box.call("file_operations", text);
    expect(whole.output.content).toContain("read_file");
  });

  it("are refused without harm when they have 50 MB", async () => {
    const box = lab({ tools: asTools() });
    const huge = JSON.stringify({ operation: "read_file", filePath: "x".repeat(50_000_000) });
    const before = process.memoryUsage().heapUsed;
    const result = await box.call("file_operations", huge);
    expect(result).toMatchObject({ success: false, kind: "invalidParameters" });
    expect(result.output.content.length).toBeLessThan(1000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000);
  });

  it.each([
    ["arrays", "[".repeat(100_000), "]".repeat(100_000)],
    ["objects", '{"a":'.repeat(100_000), "}".repeat(100_000)],
  ])("are refused without harm when %s are nested 100,000 deep", async (_what, open, close) => {
    const box = lab({ tools: asTools() });
    for (const inner of [`${open}1${close}`, open]) {
      const result = await box.call(
        "file_operations",
        `{"operation":"read_file","filePath":${inner}}`,
      );
      expect(result).toMatchObject({ success: false, kind: "invalidParameters" });
    }
    expect((await box.call("file_operations", '{"operation":"list_dir"}')).success).toBe(true);
  });

  it("take brackets in text for text", async () => {
    const box = lab({ tools: asTools() });
    const content = `${"[{".repeat(500)}\\"`;
    const args = JSON.stringify({ operation: "create_file", filePath: "a", content });
    expect((await box.call("file_operations", args)).success).toBe(true);
  });

  it("1.14 that do not fit never reach the tool", async () => {
    let runs = 0;
    const tools = asTools().map((tool) => ({
      ...tool,
      run: async () => ({ text: `${++runs}` }),
    }));
    const box = lab({ tools });
    const result = await box.call("file_operations", { operation: "create_file", filePath: "a" });
    expect(result).toMatchObject({ success: false, kind: "invalidParameters" });
    expect(result.output.content).toContain("content");
    expect(runs).toBe(0);
  });

  it("1.3 leave out what nobody asked for, and keep numbers in any spelling", async () => {
    const seen: unknown[] = [];
    const tools = asTools().map((tool) => ({
      ...tool,
      run: async (_operation: string, params: unknown) => {
        seen.push(params);
        return { text: "" };
      },
    }));
    const box = lab({ tools });
    for (const limit of ["10", 10, 10.0]) {
      await box.call("file_operations", { operation: "read_file", filePath: "a", limit, foo: 1 });
    }
    expect(seen).toEqual([
      { filePath: "a", limit: 10 },
      { filePath: "a", limit: 10 },
      { filePath: "a", limit: 10 },
    ]);
    const wrong = await box.call("file_operations", {
      operation: "read_file",
      filePath: "a",
      limit: "ten",
    });
    expect(wrong).toMatchObject({ kind: "invalidParameters" });
    expect(wrong.output.content).toContain("limit");
  });

  it.each(definitions.filter((tool) => !tool.single))(
    "1.16 without a known operation of $name are answered with all that there are",
    async ({ name, operations }) => {
      const box = lab({ tools: asTools() });
      for (const args of [{}, { operation: "zzz" }]) {
        const result = await box.call(name, args);
        expect(result.success).toBe(false);
        for (const operation of Object.keys(operations)) {
          expect(result.output.content).toContain(operation);
        }
        expect(result.output.content).toContain("Example");
      }
    },
  );
});
