import { z } from "zod";
import {
  type Operation,
  type OperationName,
  type ParamsOf,
  type Tool,
  ToolError,
} from "./operation.ts";

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type Properties = { [name: string]: { [key: string]: Json } };

/** JSON schema of a consolidated tool, flattened: providers refuse `oneOf` at the root of parameters. */
export type FlatSchema = { type: "object"; properties: Properties; required: string[] };

export function flatSchema(tool: Tool): FlatSchema {
  const properties: Properties = {
    operation: {
      type: "string",
      enum: Object.keys(tool.operations),
      description: Object.entries(tool.operations)
        .map(([name, operation]) => `${name}: ${operation.summary}`)
        .join("\n"),
    },
  };
  for (const operation of Object.values(tool.operations)) {
    Object.assign(properties, propertiesOf(operation));
  }
  return { type: "object", properties, required: ["operation"] };
}

function propertiesOf(operation: Operation): Properties {
  const { properties } = z.toJSONSchema(operation.params, { io: "output" });
  return (properties ?? {}) as Properties;
}

/** The one parse of a call's arguments: which operation, and its own parameters. */
export function parseCall<T extends Tool>(
  tool: T,
  args: Readonly<Record<string, unknown>>,
): ParsedCall<T> {
  const name = args.operation;
  const operation = typeof name === "string" ? own(tool.operations, name) : undefined;
  if (!operation) throw new ToolError("invalidParameters", unknownOperation(tool, name));
  const parsed = operation.params.safeParse(args);
  if (!parsed.success) {
    throw new ToolError(
      "invalidParameters",
      `${tool.name}.${String(name)}: ${problems(parsed.error)}. Expected ${shapeOf(operation)}.`,
    );
  }
  return { operation: name, params: parsed.data } as ParsedCall<T>;
}

/** A call whose parameters belong to its operation. */
export type ParsedCall<T extends Tool> = {
  [Name in OperationName<T>]: { operation: Name; params: ParamsOf<T, Name> };
}[OperationName<T>];

function own<V>(record: Record<string, V>, key: string): V | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function unknownOperation(tool: Tool, given: unknown): string {
  const names = Object.keys(tool.operations);
  const said =
    typeof given === "string" ? `has no operation "${given.slice(0, 60)}"` : "needs an operation";
  return `${tool.name} ${said}. Available: ${names.join(", ")}. Example: {"operation": "${names[0]}"}.`;
}

function problems(error: z.ZodError): string {
  return error.issues
    .map((issue) =>
      issue.path.length > 0 ? `${issue.path.join(".")}: ${issue.message}` : issue.message,
    )
    .join("; ");
}

function shapeOf(operation: Operation): string {
  const fields = Object.entries(operation.params.shape).map(([name, schema]) => {
    const optional = (schema as z.ZodType).safeParse(undefined).success;
    return optional ? `${name}?` : name;
  });
  return fields.length > 0 ? `{ ${fields.join(", ")} }` : "no parameters";
}
