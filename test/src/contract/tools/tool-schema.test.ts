import { describe, expect, it } from "vitest";
import { fileOperations } from "../../../../src/contract/tools/file-operations.ts";
import { terminalOperations } from "../../../../src/contract/tools/terminal-operations.ts";
import { flatSchema, parseCall } from "../../../../src/contract/tools/tool-schema.ts";
import { workspaceTools } from "../../../../src/contract/tools/workspace-tools.ts";

describe("the flat schema of a tool", () => {
  it("2.22 offers exactly the eleven terminal operations", () => {
    expect(flatSchema(terminalOperations).properties.operation).toMatchObject({
      enum: [
        "run_command",
        "get_terminal_output",
        "get_terminal_buffer",
        "get_last_command",
        "get_terminal_selection",
        "create_directory",
        "create_session",
        "send_input",
        "get_output",
        "get_history",
        "close_session",
      ],
    });
  });

  it("2.36 tells the model to check where it is before it uses ssh", () => {
    expect(terminalOperations.description).toMatch(/ssh/);
  });

  it.each(workspaceTools)("is a plain object schema for $name, as providers demand", (tool) => {
    const schema = flatSchema(tool);
    expect(schema.type).toBe("object");
    expect(schema.required).toEqual(["operation"]);
    expect(Object.keys(schema)).not.toContain("anyOf");
    for (const property of Object.values(schema.properties)) {
      expect(property.type, JSON.stringify(property)).toBeTypeOf("string");
    }
  });

  it("names numbers and flags by their real type", () => {
    const { properties } = flatSchema(terminalOperations);
    expect(properties.timeout).toMatchObject({ type: "integer", default: 300 });
    expect(properties.isBackground).toMatchObject({ type: "boolean", default: false });
  });
});

describe("the parse of a call", () => {
  const read = (extra: object) =>
    parseCall(fileOperations, { operation: "read_file", filePath: "a", ...extra }).params;

  it.each([10, 10.0, "10", " 10 ", "10.0"])("1.3 takes %j for ten", (limit) => {
    expect(read({ limit })).toMatchObject({ limit: 10 });
  });

  it.each(["ten", 3.7, "3.7", 0, -1, null, true, [], {}, ""])(
    "1.3 refuses %j as a limit and names it",
    (limit) => {
      expect(() => read({ limit })).toThrow(/limit/);
    },
  );

  it("1.3 ignores unknown parameters", () => {
    expect(read({ foo: 1 })).not.toHaveProperty("foo");
  });

  it.each([
    [{ filePath: "" }, "must not be empty"],
    [{ filePath: "a\0b" }, "NUL"],
    [{ filePath: 5 }, "filePath"],
  ])("refuses %j with a reason", (extra, reason) => {
    expect(() => read(extra)).toThrow(reason);
  });

  it.each([
    ["true", true],
    ["False", false],
    [true, true],
  ])("1.19 takes %j for %s", (given, expected) => {
    const call = { operation: "run_command", command: "x", isBackground: given };
    expect(parseCall(terminalOperations, call).params).toMatchObject({ isBackground: expected });
  });

  it("1.19 refuses maybe as a flag", () => {
    const call = { operation: "run_command", command: "x", isBackground: "maybe" };
    expect(() => parseCall(terminalOperations, call)).toThrow(/isBackground/);
  });

  it.each(workspaceTools)(
    "1.16 answers a missing operation of $name with all that there are",
    (tool) => {
      for (const name of Object.keys(tool.operations)) {
        expect(() => parseCall(tool, {})).toThrow(name);
        expect(() => parseCall(tool, { operation: "zzz" })).toThrow(name);
      }
    },
  );
});
