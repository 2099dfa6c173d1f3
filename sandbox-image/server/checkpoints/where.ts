import { relative, resolve } from "node:path";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { readName } from "../../../src/lib/file-names.ts";
import { type Bytes, fromText } from "./bytes.ts";

/** The place in the workspace that somebody means. Links are not resolved: a checkpoint knows them as links. */
export function pathWithin(root: string, given: string): Bytes {
  const path = relative(root, resolve(root, readName(given)));
  if (path !== ".." && !path.startsWith("../")) return fromText(path);
  throw new ToolError(
    "invalidParameters",
    `${given.slice(0, 200)} is outside the workspace, and a checkpoint covers only the workspace. Use a path relative to it.`,
  );
}
