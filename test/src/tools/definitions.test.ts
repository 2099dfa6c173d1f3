import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import type { RawArgs } from "../../../src/contract/tools/operation.ts";
import {
  flatSchema,
  propertiesOf,
  requiredParameters,
} from "../../../src/contract/tools/tool-schema.ts";
import { ON_PLATFORMS } from "../../support/on-platforms.ts";
import { caseCount } from "../../support/thorough.ts";
import { everyDefinition, operationsOf } from "./support/definitions.ts";

const tools = await everyDefinition();
const operations = operationsOf(tools);

/** Arguments as no model should send them: right names, wrong everything. */
const anyArgs = (names: readonly string[]) =>
  fc.dictionary(fc.constantFrom("x", ...names), fc.anything()) as fc.Arbitrary<RawArgs>;

describe.each(operations)("$key", ({ operation }) => {
  it("1.17 says what it does, in which category, and when a human is asked", () => {
    expect(operation.summary.trim()).not.toBe("");
    expect(operation.line({}).trim()).not.toBe("");
    expect(["safe", "standard", "elevated"]).toContain(operation.level);
    const isReading = operation.category === "read" || operation.category === "search";
    if (isReading) expect(operation.level).toBe("safe");
  });

  it("1.40 has a line for people whatever the arguments are, on one line and not long", () => {
    const names = Object.keys(operation.params.shape);
    fc.assert(
      fc.property(anyArgs(names), (args) => {
        const line = operation.line(args);
        expect(line).not.toMatch(/[\r\n\0]/);
        expect(Array.from(line).length).toBeLessThan(200);
        for (const detail of operation.details?.(args) ?? []) expect(detail).toBeTypeOf("string");
      }),
      { numRuns: caseCount({ perChange: 20, all: 50 }) },
    );
  });

  it("notifies no one on any platform, whatever text it is given [1.41]", () => {
    const names = Object.keys(operation.params.shape);
    for (const text of [
      "<!channel>",
      "<@U123>",
      "@everyone",
      "a\r\n@here",
      "<#C1|x>",
      "@EVERYONE",
    ]) {
      const args = Object.fromEntries(names.map((name) => [name, text]));
      const details = operation.details?.(args) ?? [];
      const line = {
        callId: "1",
        title: operation.line(args),
        details,
        status: "success",
      } as const;
      for (const onPlatform of Object.values(ON_PLATFORMS)) {
        const view = { kind: "activity", lines: [line], status: "done", buttons: [] } as const;
        expect(onPlatform(view).alarms).toEqual([]);
      }
    }
  });

  it("1.2 takes every enum value that it offers, and none beside", () => {
    const shape = operation.params.shape as Record<string, z.ZodType>;
    const offered = Object.entries(propertiesOf(operation)).flatMap(([field, { enum: values }]) =>
      Array.isArray(values) ? [{ field, values }] : [],
    );
    for (const { field, values } of offered) {
      for (const value of values) expect(shape[field]?.safeParse(value).success).toBe(true);
      expect(shape[field]?.safeParse("no such value").success).toBe(false);
    }
  });

  it("1.3 names exactly the parameters that must be given", () => {
    const required = requiredParameters(operation);
    const issues = operation.params.safeParse({}).error?.issues ?? [];
    const missing = new Set(issues.map(({ path }) => String(path[0])));
    for (const name of required) expect(missing).toContain(name);
  });
});

describe.each(tools)("the schema of $name", (tool) => {
  const schema = flatSchema(tool);

  it("is one that every provider takes", () => {
    expect(schema.type).toBe("object");
    expect(Object.keys(schema).sort()).toEqual(["properties", "required", "type"]);
    expect(JSON.stringify(schema)).not.toMatch(/"\$ref"|"\$defs"|9007199254740991/);
    for (const name of schema.required) expect(Object.keys(schema.properties)).toContain(name);
    for (const name of Object.keys(schema.properties))
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it("has the same bytes every time", () => {
    expect(JSON.stringify(flatSchema(tool))).toBe(JSON.stringify(schema));
  });
});

it("1.18 offers no internal operation as a tool of its own", () => {
  const names = new Set(tools.map((tool) => tool.name));
  for (const name of ["read_file", "run_command", "run_in_terminal", "git_commit", "create_file"]) {
    expect(names).not.toContain(name);
  }
});

it("1.17 has the levels that were agreed on", () => {
  const table = Object.fromEntries(operations.map(({ key, operation }) => [key, operation.level]));
  expect(table).toMatchObject(LEVELS);
});

it("1.31 runs in order what changes something, and side by side what only looks", () => {
  const executionOf = (key: string, args: RawArgs = {}) => {
    const execution = operations.find((one) => one.key === key)?.operation.execution;
    return typeof execution === "function" ? execution(args) : (execution ?? "parallel");
  };
  const run = "terminal_operations.run_command";
  expect(executionOf(run, { command: "x" })).toBe("blocking");
  expect(executionOf(run, { isBackground: "maybe" })).toBe("blocking");
  expect(executionOf(run, { isBackground: true })).toBe("parallel");
  expect(executionOf(run, { isBackground: "true" })).toBe("parallel");
  expect(executionOf("user_collaboration")).toBe("blocking");
  for (const { key, operation } of operations) {
    const isOrdered = ["memory", "todo", "write"].includes(operation.category);
    if (isOrdered) expect(executionOf(key), key).toBe("serial");
    const isLooking = ["read", "search"].includes(operation.category);
    if (isLooking) expect(executionOf(key), key).toBe("parallel");
  }
});

const LEVELS = {
  "file_operations.read_file": "safe",
  "file_operations.list_dir": "safe",
  "file_operations.get_errors": "safe",
  "file_operations.get_search_results": "safe",
  "file_operations.file_search": "safe",
  "file_operations.grep_search": "safe",
  "file_operations.semantic_search": "safe",
  "file_operations.list_usages": "safe",
  "file_operations.search_index": "safe",
  "file_operations.create_file": "standard",
  "file_operations.replace_string": "standard",
  "file_operations.multi_replace_string": "standard",
  "file_operations.insert_edit": "standard",
  "file_operations.rename_file": "standard",
  "file_operations.delete_file": "elevated",
  "file_operations.apply_patch": "standard",
  "terminal_operations.run_command": "standard",
  "terminal_operations.get_terminal_output": "safe",
  "terminal_operations.get_terminal_buffer": "safe",
  "terminal_operations.get_last_command": "safe",
  "terminal_operations.get_terminal_selection": "safe",
  "terminal_operations.create_directory": "standard",
  "terminal_operations.create_session": "standard",
  "terminal_operations.send_input": "standard",
  "terminal_operations.get_output": "safe",
  "terminal_operations.get_history": "safe",
  "terminal_operations.close_session": "safe",
  "memory_operations.search_memory": "safe",
  "memory_operations.store_memory": "safe",
  "memory_operations.list_collections": "safe",
  "memory_operations.set_value": "safe",
  "memory_operations.get_value": "safe",
  "memory_operations.list_values": "safe",
  "memory_operations.delete_value": "safe",
  "todo_operations.read": "safe",
  "todo_operations.write": "safe",
  "todo_operations.update": "safe",
  "todo_operations.add": "safe",
  "build_and_version_control.create_and_run_task": "elevated",
  "build_and_version_control.run_task": "elevated",
  "build_and_version_control.get_task_output": "safe",
  "build_and_version_control.git_commit": "elevated",
  "build_and_version_control.get_changed_files": "safe",
  search_index: "safe",
  working_directory_indexer: "safe",
};
