import type { ModelTool } from "../../contract/model.ts";
import type { Json } from "../../contract/store.ts";
import { renderDescription } from "./render.ts";

type Schema = ModelTool["parameters"];

const known = new WeakMap<Schema, Schema>();

/** The same schema in the words that providers accept. Every step sends all of them again: each is looked at once. */
export function toolParameters(schema: Schema): Schema {
  const parameters = known.get(schema) ?? accepted(schema);
  known.set(schema, parameters);
  return parameters;
}

function accepted(schema: Schema): Schema {
  const { type: _, properties = {}, ...rest } = filled(schema) as Record<string, Json>;
  return { type: "object", properties, ...rest };
}

/**
 * OpenAI refuses the empty schema as `additionalProperties`: "schema must have a 'type' key". Whatever words there are in a
 * schema, the model reads them: names and values as well.
 */
function filled(value: Json): Json {
  if (typeof value === "string") return renderDescription(value);
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      renderDescription(key),
      key === "additionalProperties" && isEmpty(inner) ? true : filled(inner),
    ]),
  );
}

function isEmpty(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
