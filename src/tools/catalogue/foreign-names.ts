import { foreignToolName, SERVER_NAME } from "../../contract/tools/foreign-tool.ts";
import type { RegisteredTool } from "../registered-tool.ts";

const TOOL_NAME = /^[A-Za-z0-9_./-]{1,128}$/;

/**
 * Why a server's tool may not have its name. Undefined: it may. People and models must be able to tell it from every
 * other tool at a glance, so names that only look different are refused, too.
 */
export function nameProblem(
  server: string,
  name: string,
  others: Iterable<RegisteredTool>,
): string | undefined {
  const bare = name.slice(foreignToolName(server, "").length);
  if (!SERVER_NAME.test(server)) return `the server's name "${server}" is not usable`;
  if (!TOOL_NAME.test(bare))
    return "its name has characters other than letters, digits and _ . / -";
  for (const other of others) {
    const its = other.tool.definition.name;
    if (other.server === server && its === name) continue;
    if (looksLike(its, name)) return `its name looks like ${its}`;
    const rival = other.server === "" ? its : other.server;
    if (other.server !== server && looksLike(rival, server)) {
      return `the name of its server looks like ${rival}`;
    }
  }
  return undefined;
}

/** Whether people could take one for the other. */
function looksLike(one: string, other: string): boolean {
  return skeleton(one) === skeleton(other);
}

function skeleton(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
    .replace(/[1i|]/g, "l")
    .replaceAll("0", "o")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w");
}
