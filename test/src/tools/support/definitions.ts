import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import type { Operation, Tool } from "../../../../src/contract/tools/operation.ts";

const Definition = z.object({
  name: z.string(),
  description: z.string(),
  operations: z.record(z.string(), z.object({ summary: z.string() })),
});

const FOLDERS = ["contract", "tools"].map((name) =>
  fileURLToPath(new URL(`../../../../src/${name}`, import.meta.url)),
);

/** Every tool that is defined anywhere: whoever adds one adds it to these tests as well. */
export async function everyDefinition(): Promise<Tool[]> {
  const found = new Map<string, Tool>();
  for (const path of FOLDERS.flatMap(sourcesIn)) {
    const exported: unknown[] = Object.values(await import(pathToFileURL(path).href));
    for (const value of exported) {
      if (Definition.safeParse(value).success) found.set((value as Tool).name, value as Tool);
    }
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}

export interface KeyedOperation {
  readonly key: string;
  readonly tool: Tool;
  readonly name: string;
  readonly operation: Operation;
}

export function operationsOf(tools: readonly Tool[]): KeyedOperation[] {
  return tools.flatMap((tool) =>
    Object.entries(tool.operations).map(([name, operation]) => ({
      key: tool.single ? tool.name : `${tool.name}.${name}`,
      tool,
      name,
      operation,
    })),
  );
}
