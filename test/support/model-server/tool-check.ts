import {
  type Fields,
  fields,
  invalid,
  isObject,
  type ModelRefusedError,
  missing,
  text,
  toolName,
  typed,
} from "./refusal.ts";

const MOST_TOOLS = 128;
const LONGEST_DESCRIPTION = 1024;

/** All tools of a request. `inner` is the field that holds the function. Gives how many there are. */
export function checkTools(
  tools: unknown,
  { strictByDefault, inner }: { readonly strictByDefault: boolean; readonly inner?: string },
): number {
  if (tools === undefined) return 0;
  if (!Array.isArray(tools)) throw typed("tools", tools, "an array of objects");
  if (tools.length > MOST_TOOLS) {
    throw invalid(
      "tools",
      `Invalid 'tools': array too long. Expected an array with maximum length ${MOST_TOOLS}, but got an array with length ${tools.length} instead.`,
      "array_above_max_length",
    );
  }
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const param = `tools[${index}]`;
    const { type, ...given } = fields(tool, param);
    if (type !== "function") {
      throw invalid(
        `${param}.type`,
        `Invalid value: '${String(type)}'. Supported values are: 'function' and 'custom'.`,
      );
    }
    if (inner && given[inner] === undefined) throw missing(`${param}.${inner}`);
    const place = inner ? `${param}.${inner}` : param;
    checkTool(inner ? fields(given[inner], place) : given, place, { names, strictByDefault });
  }
  return names.size;
}

/** One tool, whose name must be new. */
function checkTool(
  tool: Fields,
  param: string,
  options: { names: Set<string>; strictByDefault: boolean },
): void {
  const name = toolName(tool.name, `${param}.name`);
  if (options.names.has(name)) {
    throw invalid(`${param}.name`, `Tool names must be unique: '${name}' was given twice.`);
  }
  options.names.add(name);
  if (tool.description !== undefined) {
    text(tool.description, `${param}.description`, { most: LONGEST_DESCRIPTION, mayBeBlank: true });
  }
  if (tool.parameters === undefined || tool.parameters === null) return;
  const strict = tool.strict ?? options.strictByDefault;
  checkSchema(tool.parameters, { name, param: `${param}.parameters`, strict: strict === true });
}

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];
const NOT_AT_ROOT = ["oneOf", "anyOf", "allOf", "enum", "not"];

interface Place {
  readonly name: string;
  readonly param: string;
  readonly strict: boolean;
}

function checkSchema(schema: unknown, place: Place): void {
  const root = fields(schema, place.param);
  if (root.type !== "object") {
    const type = String(root.type);
    throw wrong(
      place,
      [],
      `schema must be a JSON Schema of 'type: "object"', got 'type: "${type}"'.`,
    );
  }
  if (NOT_AT_ROOT.some((word) => word in root)) {
    throw wrong(
      place,
      [],
      "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
    );
  }
  if (!isObject(root.properties)) throw wrong(place, [], "object schema missing properties.");
  walk(root, [], place);
}

function wrong(
  { name, param }: Place,
  path: readonly string[],
  problem: string,
): ModelRefusedError {
  const context = `(${path.map((part) => `'${part}'`).join(", ")})`;
  const message = `Invalid schema for function '${name}': In context=${context}, ${problem}`;
  return invalid(param, message, "invalid_function_parameters");
}

function walk(node: unknown, path: readonly string[], place: Place): void {
  if (typeof node === "boolean") return;
  if (!isObject(node)) {
    throw wrong(place, path, `${JSON.stringify(node)} is not of type 'object', 'boolean'.`);
  }
  const problem = problemOf(node) ?? (place.strict ? strictProblemOf(node) : undefined);
  if (problem) throw wrong(place, path, problem);
  const { additionalProperties: more, properties = {}, items } = node;
  if (isObject(more) && Object.keys(more).length === 0) {
    throw wrong(place, [...path, "additionalProperties"], "schema must have a 'type' key.");
  }
  for (const [name, inner] of Object.entries(fields(properties, place.param))) {
    walk(inner, [...path, "properties", name], place);
  }
  if (items !== undefined) walk(items, [...path, "items"], place);
}

function problemOf({ type, items, prefixItems }: Fields): string | undefined {
  const types = Array.isArray(type) ? type : [type ?? "string"];
  const unknown = types.find((name) => !TYPES.includes(name));
  if (unknown !== undefined) {
    return `${JSON.stringify(unknown)} is not valid under any of the given schemas.`;
  }
  const bare = type === "array" && items === undefined && prefixItems === undefined;
  return bare ? "array schema missing items." : undefined;
}

function strictProblemOf(node: Fields): string | undefined {
  if (!["type", "anyOf", "$ref"].some((word) => word in node)) {
    return "schema must have a 'type' key.";
  }
  if (node.type !== "object") return undefined;
  if (node.additionalProperties !== false) {
    return "'additionalProperties' is required to be supplied and to be false.";
  }
  const required: unknown[] = Array.isArray(node.required) ? node.required : [];
  const names = Object.keys(isObject(node.properties) ? node.properties : {});
  const left = names.find((name) => !required.includes(name));
  if (left === undefined) return undefined;
  return `'required' is required to be supplied and to be an array including every key in properties. Missing '${left}'.`;
}
