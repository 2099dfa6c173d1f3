import { type RawArgs, ToolError } from "../../contract/tools/operation.ts";

/** More than any file a model writes in one go, and little enough to hold many of them. */
const LIMIT_CHARS = 4 * 1024 * 1024;
/** Deeper than any parameter; what is deeper would overflow the stack of whoever walks through it. */
const LIMIT_DEPTH = 64;

/**
 * The one reading of a model's arguments. They are never repaired: a command that was cut off and closed again
 * would still look like a command.
 */
export function parseArguments(given: string | RawArgs): RawArgs {
  if (typeof given !== "string") return given;
  if (given.length > LIMIT_CHARS) {
    throw refused(`are longer than ${LIMIT_CHARS} characters; split the work into smaller calls`);
  }
  if (depthOf(given) > LIMIT_DEPTH) throw refused(`are nested deeper than ${LIMIT_DEPTH} levels`);
  const value = parsed(given);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw refused('are not an object; send {"name": value, …}, or {} for none');
  }
  return value as RawArgs;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw refused("are not complete, valid JSON; send the whole call again", { cause: error });
  }
}

function refused(why: string, options?: ErrorOptions): ToolError {
  return new ToolError("invalidParameters", `The arguments ${why}.`, {}, options);
}

/** How deep the brackets are nested, without building anything. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (character === '"') index = endOfString(json, index);
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}

function endOfString(json: string, start: number): number {
  for (let index = start + 1; index < json.length; index += 1) {
    if (json[index] === "\\") index += 1;
    else if (json[index] === '"') return index;
  }
  return json.length;
}
