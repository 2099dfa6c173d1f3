import fc from "fast-check";
import { type Tool, ToolError } from "../../../../src/contract/tools/operation.ts";
import {
  parseCall,
  propertiesOf,
  requiredParameters,
} from "../../../../src/contract/tools/tool-schema.ts";
import { operationsOf } from "./definitions.ts";

interface RealCall {
  readonly name: string;
  readonly arguments: string;
}

type Schema = { readonly [key: string]: unknown };

/** Text as it occurs in calls: paths, commands, prose, code, other scripts. */
const TEXTS = [
  "src/app.ts",
  "rm -rf /workspace/build && echo done",
  'const a = {"b": [1, 2, "}"]};\n\treturn `x`;\n',
  'Größe 😀 日本語 \\ "quoted" \'',
  "https://example.org/a?b=c&d=%20",
  "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
];

/** Calls that the tools' own schemas accept, spread over all operations. */
export function realCalls(tools: readonly Tool[], atLeast: number): RealCall[] {
  const operations = operationsOf(tools);
  const perOperation = Math.ceil((atLeast * 1.3) / operations.length);
  return operations.flatMap(({ tool, name, operation }) => {
    const required = new Set(requiredParameters(operation));
    const fields = Object.entries(propertiesOf(operation)).map(
      ([field, schema]) =>
        [
          field,
          required.has(field) ? valueFor(schema) : fc.option(valueFor(schema), { nil: undefined }),
        ] as const,
    );
    const args = fc.record(Object.fromEntries(fields));
    return fc
      .sample(args, { numRuns: perOperation * 4, seed: 7 })
      .map((given) => (tool.single ? given : { operation: name, ...given }))
      .filter((given) => isAccepted(tool, given))
      .slice(0, perOperation)
      .map((given) => ({ name: tool.name, arguments: JSON.stringify(given) }));
  });
}

function isAccepted(tool: Tool, args: Schema): boolean {
  try {
    parseCall(tool, args);
    return true;
  } catch (error) {
    if (error instanceof ToolError) return false;
    throw error;
  }
}

function valueFor(schema: Schema): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (Array.isArray(schema.anyOf)) return fc.oneof(...schema.anyOf.map(valueFor));
  switch (schema.type) {
    case "integer":
      return fc.integer({ min: Number(schema.minimum ?? 0), max: Number(schema.maximum ?? 50) });
    case "number":
      return fc.constantFrom(0, 0.25, 1);
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(valueFor((schema.items ?? {}) as Schema), { minLength: 1, maxLength: 3 });
    case "object":
      return fc.record(
        Object.fromEntries(
          Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(
            ([key, field]) => [key, valueFor(field)],
          ),
        ),
      );
    default:
      return fc.constantFrom(...TEXTS);
  }
}
