import { propertiesOf } from "../contract/tools/tool-schema.ts";
import { helpText } from "../tools/catalogue/help.ts";
import { searchTools } from "../tools/catalogue/search-tools.ts";
import type { ToolRegistry } from "../tools/registry.ts";

/** Canonical keys of all operations. */
export function operationsOf(registry: ToolRegistry): string[] {
  return registry
    .list()
    .flatMap(({ tool: { definition } }) =>
      definition.single
        ? [definition.name]
        : Object.keys(definition.operations).map((name) => `${definition.name}.${name}`),
    );
}

/** What tools there are, for those who name them in commands. */
export function catalogueOf(registry: ToolRegistry) {
  return {
    help: (topic?: string) => helpText(registry, topic),
    search: (query: string) => searchTools(registry, query),
    operations: () => operationsOf(registry),
    isOperation: (name: string) => registry.findOperation(name) !== undefined,
    typeOf: (operation: string, parameter: string) => {
      const found = registry.findOperation(operation);
      const property = found && propertiesOf(found.operation)[parameter];
      return typeof property?.type === "string" ? property.type : undefined;
    },
  };
}
