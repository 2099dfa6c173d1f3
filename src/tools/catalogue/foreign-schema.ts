import type { ModelTool } from "../../contract/model.ts";
import type { Json } from "../../contract/store.ts";

type JsonObject = { readonly [key: string]: Json };

/**
 * Somebody else's schema of a tool's parameters, made such that every provider takes it: an object with
 * properties at the root and no alternatives or references there. Keys are sorted, since a server
 * may send the same schema in another order next time.
 */
export function foreignSchema(given: unknown): ModelTool["parameters"] {
  const schema = isObject(given) ? given : {};
  const root = { ...schema, ...target(schema) };
  const variants = COMBINED.flatMap((key) => listOf(root[key])).map((variant) => ({
    ...variant,
    ...target(schema, variant),
  }));
  const properties = Object.assign({}, ...[...variants, root].map(propertiesOf));
  const required = listOfNames(root.required).filter((name) => Object.hasOwn(properties, name));
  const kept = Object.fromEntries(Object.entries(root).filter(([key]) => !DROPPED.has(key)));
  return sorted({ ...kept, type: "object", properties, required }) as JsonObject;
}

const COMBINED = ["allOf", "anyOf", "oneOf"];
/** What providers refuse at the root, and what is written anew. */
const DROPPED = new Set([
  ...COMBINED,
  "$ref",
  "$schema",
  "$id",
  "enum",
  "const",
  "not",
  "if",
  "then",
  "else",
]);

/** What a reference within the same schema points to. */
function target(schema: JsonObject, from: JsonObject = schema): JsonObject {
  const path = typeof from.$ref === "string" ? /^#\/(.+)$/.exec(from.$ref)?.[1] : undefined;
  if (path === undefined) return {};
  let value: Json | undefined = schema;
  for (const part of path.split("/")) {
    value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return isObject(value) ? value : {};
}

function propertiesOf(schema: JsonObject): JsonObject {
  return isObject(schema.properties) ? schema.properties : {};
}

function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function listOfNames(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deeper than any schema that was written by hand; the rest is left open. */
const LIMIT_DEPTH = 64;

function sorted(value: Json, depth = 0): Json {
  if (typeof value !== "object" || value === null) return value;
  if (depth > LIMIT_DEPTH) return {};
  if (Array.isArray(value)) return value.map((item: Json) => sorted(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, item]) => [key, sorted(item, depth + 1)]),
  );
}
