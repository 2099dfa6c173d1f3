import { readName, shownName } from "../lib/file-names.ts";
import { parsePatch } from "../lib/patch/parse-patch.ts";
import type { FilePatch } from "../lib/patch/patch.ts";
import { PatchError } from "../lib/patch/patch-error.ts";
import { ToolError } from "./tools/operation.ts";
import { workspaceTools } from "./tools/workspace-tools.ts";

/** One path that a call names, and what the call would do there. */
export interface PathUse {
  /** The parameter that named it. */
  readonly parameter: string;
  /** As given: relative to the workspace, below `~`, or absolute. */
  readonly path: string;
  readonly access: "read" | "write" | "delete";
  /** "itself": a symbolic link in the last place is meant itself, and not what it points to. */
  readonly link: "follow" | "itself";
}

const PATH_PARAMETERS = [
  "filePath",
  "path",
  "oldPath",
  "newPath",
  "filePaths",
  "dirPath",
  "rootPath",
  "workspace_path",
  "target_directory",
  "working_directory",
  "workspaceFolder",
  "repositoryPath",
];

/** Operations that treat a link in the last place as a thing of its own. */
const ON_LINKS = new Set(["rename_file", "delete_file"]);

/**
 * Every path that a call touches, with those inside a patch. `params` are the call's parsed parameters. Throws a
 * ToolError for a patch that cannot be read.
 */
export function pathsOf(
  tool: string,
  operation: string,
  params: Readonly<Record<string, unknown>>,
): PathUse[] {
  if (operation === "apply_patch") return pathsOfPatch(params);
  const access = accessOf(tool, operation);
  const link = ON_LINKS.has(operation) ? "itself" : "follow";
  return PATH_PARAMETERS.flatMap((parameter) =>
    stringsIn(params[parameter]).map((path) => ({ parameter, path, access, link })),
  );
}

function accessOf(toolName: string, operation: string): PathUse["access"] {
  if (operation === "delete_file") return "delete";
  const tool = workspaceTools.find(({ name }) => name === toolName);
  const operations: Readonly<Record<string, { repeat: string }>> = tool?.operations ?? {};
  const known = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  return known?.repeat === "safe" ? "read" : "write";
}

function stringsIn(value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.filter((one) => typeof one === "string");
}

interface PatchParams {
  readonly patchContent?: unknown;
  readonly filePath?: unknown;
  readonly target_directory?: unknown;
  readonly dry_run?: unknown;
}

function pathsOfPatch(params: PatchParams): PathUse[] {
  const uses = patchUses(readPatch(params));
  const directory = stringsIn(params.target_directory).map(
    (path): PathUse => ({ parameter: "target_directory", path, access: "write", link: "follow" }),
  );
  const all = [...directory, ...uses];
  return params.dry_run === true ? all.map((use) => ({ ...use, access: "read" })) : all;
}

/** The files of a patch, their paths put together with `target_directory`. */
export function readPatch({ patchContent, filePath, target_directory }: PatchParams): FilePatch[] {
  if (typeof patchContent !== "string") {
    throw new ToolError(
      "invalidParameters",
      "apply_patch needs patchContent, the text of a patch.",
    );
  }
  const given = typeof filePath === "string" ? readName(filePath) : undefined;
  const base = typeof target_directory === "string" ? readName(target_directory) : ".";
  // Only a path given as a parameter may begin with the home directory; in a patch ~ is a name like any other.
  const isWhole = (path: string) =>
    path.startsWith("/") || (path === given && path.startsWith("~/"));
  // The resolver reads the path as a parameter again.
  const at = (path: string) => shownName(isWhole(path) ? path : `${base}/${path}`);
  return parsed(patchContent, given).map((file) => checked(file, at));
}

function parsed(content: string, filePath?: string): FilePatch[] {
  try {
    return parsePatch(content, filePath);
  } catch (error) {
    throw error instanceof PatchError ? toToolError(error) : error;
  }
}

function toToolError(cause: PatchError): ToolError {
  const kind = cause.wrong === "filePath" ? "invalidParameters" : "executionFailed";
  return new ToolError(kind, cause.message, {}, { cause });
}

function checked(file: FilePatch, at: (path: string) => string): FilePatch {
  if (file.oldPath.includes("\0") || file.newPath.includes("\0")) {
    throw new ToolError("invalidParameters", "A path in the patch contains a NUL character.");
  }
  return { ...file, oldPath: at(file.oldPath), newPath: at(file.newPath) };
}

function patchUses(files: readonly FilePatch[]): PathUse[] {
  const use = (path: string, access: PathUse["access"], link: PathUse["link"]): PathUse => {
    return { parameter: "patchContent", path, access, link };
  };
  return files.flatMap(({ kind, oldPath, newPath }) => {
    if (kind === "delete") return [use(oldPath, "delete", "itself")];
    if (kind === "rename")
      return [use(oldPath, "write", "itself"), use(newPath, "write", "itself")];
    if (kind === "copy") return [use(oldPath, "read", "follow"), use(newPath, "write", "itself")];
    return [use(newPath, "write", "follow")];
  });
}
