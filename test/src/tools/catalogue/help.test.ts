import { describe, expect, it } from "vitest";
import type { RunnableTool } from "../../../../src/contract/tools/tool-call.ts";
import { helpText } from "../../../../src/tools/catalogue/help.ts";
import { everyDefinition, operationsOf } from "../support/definitions.ts";
import { lab } from "../support/lab.ts";

const definitions = await everyDefinition();
const { registry } = lab({
  tools: definitions.map(
    (definition): RunnableTool => ({ definition, run: async () => ({ text: "" }) }),
  ),
});

describe("help", () => {
  it("names every tool", () => {
    for (const { name } of definitions) expect(helpText(registry)).toContain(`${name}: `);
  });

  it.each(definitions)("of $name names all that it can do", (tool) => {
    const help = helpText(registry, tool.name);
    expect(help).toContain(tool.description);
    for (const [name, operation] of Object.entries(tool.operations)) {
      expect(help).toContain(name);
      expect(help).toContain(operation.summary);
    }
  });

  it.each(operationsOf(definitions))(
    "of $key tells its parameters and when it asks",
    ({ key, operation }) => {
      const help = helpText(registry, key);
      expect(help).toContain(operation.summary);
      expect(help).toMatch(/never asks|asks if it is|always asks/);
      for (const name of Object.keys(operation.params.shape)) expect(help).toContain(`  ${name} (`);
    },
  );

  it("knows aliases and says nothing about what is not there", () => {
    expect(helpText(registry, "build_version_control.git_commit")).toContain(
      "build_and_version_control.git_commit",
    );
    for (const topic of ["nonsense", "file_operations.nonsense", "toString", ""]) {
      expect(helpText(registry, topic)).toBeUndefined();
    }
  });
});
