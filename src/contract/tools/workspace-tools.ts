import { buildAndVersionControl } from "./build-and-version-control.ts";
import { fileOperations } from "./file-operations.ts";
import type { Tool } from "./operation.ts";
import { terminalOperations } from "./terminal-operations.ts";

/** The tools whose calls run inside a workspace. */
export const workspaceTools = [
  fileOperations,
  terminalOperations,
  buildAndVersionControl,
] as const satisfies readonly Tool[];
