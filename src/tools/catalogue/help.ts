import type { Operation, OperationLevel, Tool } from "../../contract/tools/operation.ts";
import { propertiesOf, requiredParameters } from "../../contract/tools/tool-schema.ts";
import type { ToolRegistry } from "../registry.ts";

/** What people can read about the tools, all of it from their definitions. Undefined: there is nothing of that name. */
export function helpText(registry: ToolRegistry, topic?: string): string | undefined {
  if (topic === undefined) return overview(registry);
  const tool = registry.get(topic)?.tool.definition;
  if (tool) return toolHelp(tool);
  const found = registry.findOperation(topic);
  return found && operationHelp(found.key, found.operation);
}

function overview(registry: ToolRegistry): string {
  return registry
    .list()
    .map(
      ({ tool: { definition } }) => `${definition.name}: ${firstSentence(definition.description)}`,
    )
    .join("\n");
}

function toolHelp(tool: Tool): string {
  const lines = Object.entries(tool.operations).map(([name, operation]) =>
    tool.single
      ? operationHelp(tool.name, operation)
      : `  ${name}: ${operation.summary} (${askingOf(operation)})`,
  );
  return [tool.single ? tool.description : `${tool.name}: ${tool.description}`, ...lines].join(
    "\n",
  );
}

function operationHelp(key: string, operation: Operation): string {
  const required = new Set(requiredParameters(operation));
  const lines = Object.entries(propertiesOf(operation)).map(([name, property]) => {
    const kind = Array.isArray(property.enum)
      ? property.enum.join(" | ")
      : String(property.type ?? "any");
    const need = required.has(name) ? "required" : "optional";
    const about = typeof property.description === "string" ? `: ${property.description}` : "";
    return `  ${name} (${kind}, ${need})${about}`;
  });
  return [`${key}: ${operation.summary} (${askingOf(operation)})`, ...lines].join("\n");
}

function askingOf({ level, foreign }: Operation): string {
  return foreign && level !== "safe" ? "asks every time" : LEVELS[level];
}

const LEVELS: Readonly<Record<OperationLevel, string>> = {
  safe: "never asks",
  standard: "asks if it is risky or outside the workspace",
  elevated: "always asks",
};

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
