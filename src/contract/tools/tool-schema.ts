import { z } from "zod";
import type { ForeignOperation } from "./foreign-tool.ts";
import {
  type Operation,
  type OperationName,
  type ParamsOf,
  type Tool,
  ToolError,
} from "./operation.ts";

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type Properties = { [name: string]: { [key: string]: Json } };

/** JSON schema of a tool's parameters, flattened: providers refuse `oneOf` at the root. */
export type FlatSchema = { type: "object"; properties: Properties; required: string[] };

export function flatSchema(tool: Tool): FlatSchema {
  return tool.single ? schemaOfSingle(tool) : schemaOfConsolidated(tool);
}

function schemaOfSingle(tool: Tool): FlatSchema {
  const operation = singleOperation(tool);
  return {
    type: "object",
    properties: propertiesOf(operation),
    required: requiredOf(operation.params),
  };
}

function schemaOfConsolidated(tool: Tool): FlatSchema {
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
  return { type: "object", properties: saidOnce(properties), required: ["operation"] };
}

/**
 * Lists of one tool often hold the same kind of thing: what was said of a field where it came first is not said again.
 * Every request carries this text.
 */
function saidOnce(properties: Properties): Properties {
  const said = new Map<string, string>();
  const brief = (name: string, field: { [key: string]: Json }): { [key: string]: Json } => {
    const { description, ...shape } = field;
    const form = JSON.stringify(shape);
    const isKnown = said.get(name) === form;
    said.set(name, form);
    return isKnown ? typeOnly(shape) : field;
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const items = property.items;
      if (!isObject(items) || !isObject(items.properties)) return [name, property];
      const fields = Object.entries(items.properties as Properties).map(([field, schema]) => [
        field,
        brief(field, schema),
      ]);
      return [name, { ...property, items: { ...items, properties: Object.fromEntries(fields) } }];
    }),
  );
}

function typeOnly({ type, items }: { [key: string]: Json }): { [key: string]: Json } {
  const inner = isObject(items) ? { items: typeOnly(items) } : {};
  return type === undefined ? inner : { type, ...inner };
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The parameters of one operation, without those of its siblings. */
export function propertiesOf(operation: Operation): Properties {
  if (operation.foreign) return foreignProperties(operation.foreign);
  const { properties } = z.toJSONSchema(operation.params, {
    io: "output",
    cycles: "throw",
    override: ({ zodSchema, jsonSchema }) => sayWhatIsTaken(zodSchema, jsonSchema),
  });
  return (properties ?? {}) as Properties;
}

/** Checked when a call comes, and said by its refusal: no model plans its words by them. */
const BOUNDS = ["minLength", "maxLength", "pattern", "format", "minItems", "maxItems"] as const;

/**
 * The schema is written of what comes out, since what may go in ("10" for 10) is no plain type. Where that says
 * more than is demanded of a caller, it is corrected here.
 */
function sayWhatIsTaken(schema: z.core.$ZodType, json: z.core.JSONSchema.BaseSchema): void {
  for (const bound of BOUNDS) delete json[bound];
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (!(schema instanceof z.ZodObject)) return;
  const required = requiredOf(schema);
  if (required.length > 0) json.required = required;
  else delete json.required;
  if (schema.def.catchall === undefined) delete json.additionalProperties;
}

/** The names of an operation's parameters. */
export function parameterNames({ foreign, params }: Operation): string[] {
  return Object.keys(foreign ? foreignProperties(foreign) : params.shape);
}

/** Which of them must be given. */
export function requiredParameters({ foreign, params }: Operation): string[] {
  if (!foreign) return requiredOf(params);
  const { required } = foreign.schema;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** Those at the root of the schema: what a reference or an alternative adds is left out. */
function foreignProperties({ schema: { properties } }: ForeignOperation): Properties {
  if (!isObject(properties as Json | undefined)) return {};
  const entries = Object.entries(properties as { [key: string]: Json });
  return Object.fromEntries(
    entries.map(([name, property]) => [name, isObject(property) ? property : {}]),
  );
}

/** Which of an object's fields must be given. */
function requiredOf(schema: z.ZodObject): string[] {
  return Object.entries(schema.shape)
    .filter(([, field]) => !(field as z.ZodType).safeParse(undefined).success)
    .map(([name]) => name);
}

/** A tool for one purpose names no operation: it has the one that bears its name. */
function singleOperation(tool: Tool): Operation {
  const operation = own(tool.operations, tool.name);
  if (!operation) throw new Error(`The tool ${tool.name} must have an operation of its own name.`);
  return operation;
}

/** The one parse of a call's arguments: which operation, and its own parameters. */
export function parseCall<T extends Tool>(
  tool: T,
  args: Readonly<Record<string, unknown>>,
): ParsedCall<T> {
  const name = tool.single ? tool.name : args.operation;
  const operation = typeof name === "string" ? own(tool.operations, name) : undefined;
  if (!operation) throw new ToolError("invalidParameters", unknownOperation(tool, name));
  const parsed = operation.params.safeParse(args);
  if (!parsed.success) {
    const key = tool.single ? tool.name : `${tool.name}.${String(name)}`;
    throw new ToolError(
      "invalidParameters",
      `${key}: ${problems(parsed.error)}. Expected ${shapeOf(operation)}.`,
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

/** The expected shape in a few characters: `{ filePath, offset? }`. */
export function shapeOf(operation: Operation): string {
  const required = new Set(requiredParameters(operation));
  const fields = parameterNames(operation).map((name) => (required.has(name) ? name : `${name}?`));
  return fields.length > 0 ? `{ ${fields.join(", ")} }` : "no parameters";
}
