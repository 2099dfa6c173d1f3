import { parameterNames } from "../../contract/tools/tool-schema.ts";
import type { ToolRegistry } from "../registry.ts";
import { termsIn, termsOf } from "./relevance.ts";

const MOST_FOUND = 10;
const WEIGHTS = { name: 4, summary: 2, description: 1 } as const;

export interface FoundOperation {
  readonly key: string;
  readonly summary: string;
}

/** The operations that fit some words best, the best first. */
export function searchTools(registry: ToolRegistry, query: string): FoundOperation[] {
  const terms = termsOf(query);
  const found = registry.list().flatMap(({ tool: { definition } }) =>
    Object.entries(definition.operations).map(([name, operation]) => {
      const { summary } = operation;
      const key = definition.single ? definition.name : `${definition.name}.${name}`;
      const about = [definition.description, ...parameterNames(operation)].join(" ");
      const score =
        WEIGHTS.name * termsIn(key, terms) +
        WEIGHTS.summary * termsIn(summary, terms) +
        WEIGHTS.description * termsIn(about, terms);
      return { key, summary, score };
    }),
  );
  return found
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_FOUND)
    .map(({ key, summary }) => ({ key, summary }));
}
