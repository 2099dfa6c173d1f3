import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Tool } from "../../../src/contract/tools/operation.ts";
import { flatSchema } from "../../../src/contract/tools/tool-schema.ts";
import { increaseMaxIterations } from "../../../src/tools/increase-max-iterations.ts";
import { listMiniPrompts } from "../../../src/tools/list-mini-prompts.ts";
import { listSystemPrompts } from "../../../src/tools/list-system-prompts.ts";
import { recallHistory } from "../../../src/tools/memory/recall-history.ts";
import { runSubagent } from "../../../src/tools/run-subagent.ts";
import { think } from "../../../src/tools/think.ts";
import { todoOperations } from "../../../src/tools/todo/definition.ts";
import { userCollaboration } from "../../../src/tools/user-collaboration.ts";
import { caseCount } from "../../support/thorough.ts";

const tools: readonly Tool[] = [
  think,
  userCollaboration,
  runSubagent,
  increaseMaxIterations,
  listSystemPrompts,
  listMiniPrompts,
  todoOperations,
  recallHistory,
];

describe.each(tools)("$name", (tool) => {
  it("1.39 shows a short line or two, whatever its arguments are", () => {
    const names = Object.keys(flatSchema(tool).properties);
    const nested = fc.record({ id: fc.jsonValue(), title: fc.jsonValue(), status: fc.jsonValue() });
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom("<!channel>\r\n@everyone", "x".repeat(5000)),
      fc.array(fc.oneof(nested, fc.jsonValue())),
    );
    const args = fc.dictionary(fc.constantFrom("other", ...names), value);
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(tool.operations)), args, (operation, given) => {
        for (const line of [operation.line(given), ...(operation.details?.(given) ?? [])]) {
          expect(line).not.toMatch(/[\r\n]/);
          expect(line.length).toBeGreaterThan(0);
          expect(Array.from(line).length).toBeLessThanOrEqual(130);
        }
      }),
      { numRuns: caseCount({ perChange: 100, all: 500 }) },
    );
  });

  it("1.2 is offered as a plain object, each parameter with its type and what it means", () => {
    const schema = flatSchema(tool);
    expect(schema.type).toBe("object");
    for (const [name, property] of Object.entries(schema.properties)) {
      expect(property, name).toMatchObject({
        type: expect.any(String),
        description: expect.stringMatching(/\w/),
      });
    }
  });

  it("1.17 never needs anybody's permission by itself", () => {
    for (const operation of Object.values(tool.operations)) expect(operation.level).toBe("safe");
  });
});
