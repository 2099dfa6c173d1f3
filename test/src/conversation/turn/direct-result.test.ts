import { describe, expect, it } from "vitest";
import type { ToolResult } from "../../../../src/contract/tools/tool-call.ts";
import { directResult } from "../../../../src/conversation/turn/direct-result.ts";

const SECRET = "s3cr3t";
const redactor = { redact: (text: string) => text.replaceAll(SECRET, "(masked)") };

function result(data: Record<string, unknown>, more: Partial<ToolResult> = {}): ToolResult {
  return {
    toolName: "terminal_operations",
    executionId: "e",
    callId: "c",
    success: true,
    output: { content: JSON.stringify(data), mimeType: "application/json", additionalData: data },
    metadata: { timestamp: "", version: "1.0", additionalContext: {} },
    performance: { executionTimeMs: 1 },
    progressEvents: [],
    ...more,
  };
}

const run = { name: "terminal_operations.run_command", arguments: { command: "npm test" } };

describe("what a human's own call has brought", () => {
  it("is a command's output under its exit code and time", () => {
    const data = { output: "all good\n", exit_code: 0, duration_ms: 1234 };
    const { views, files } = directResult(redactor, run, result(data));
    expect(views).toMatchObject([
      { kind: "terminal", title: "✅ $ npm test (exit code 0, 1.2 s)", text: "all good" },
    ]);
    expect(files).toEqual([]);
  });

  it("is what a failed command has printed, and no word about JSON", () => {
    const data = { output: "broken\n", exit_code: 2, message: "It ended with 2." };
    const [view] = directResult(redactor, run, result(data, { success: false })).views;
    expect(view).toMatchObject({ title: "❌ $ npm test (exit code 2)", text: "broken" });
  });

  it("is the end of long output, with the whole as a file, secrets masked before it is cut", () => {
    const output = `${SECRET}\n${"line\n".repeat(500)}${SECRET}`;
    const { views, files } = directResult(redactor, run, result({ output, exit_code: 0 }));
    expect(views[0].hiddenLines).toBe(462);
    expect(views[0].text).toMatch(/^(line\n)+\(masked\)$/);
    const file = new TextDecoder().decode(files[0]?.bytes);
    expect(file.split("\n")).toHaveLength(503);
    expect(file).not.toContain(SECRET);
  });

  it("is the fields of anything else, briefly, and the text where there is only text", () => {
    const read = { name: "file_operations.read_file", arguments: { filePath: "a" } };
    const data = { success: true, content: "one\ntwo\n", lines: 2, more: { a: [1] } };
    const of = (given: ToolResult) => directResult(redactor, read, given).views[0].text;
    expect(of(result(data, { toolName: "file_operations" }))).toBe(
      'content: \none\ntwo\n\nlines: 2\nmore: {\n  "a": [\n    1\n  ]\n}',
    );
    const plain = result({ total: 1 }, { toolName: "todo_operations" });
    const output = { ...plain.output, content: "The list has 1 todo.", mimeType: "text/plain" };
    expect(of({ ...plain, output })).toBe("The list has 1 todo.");
    const failed = result({ message: "There is no a." }, { success: false, toolName: "x" });
    expect(of(failed)).toBe("There is no a.");
  });
});
