import type { PlannedCall } from "../../contract/permission/gate.ts";
import type { Workspace } from "../../contract/workspace/workspace.ts";
import { parsePatch } from "../../lib/patch/parse-patch.ts";
import type { Assessment } from "../assess.ts";

type Moving = Pick<Assessment, "identity" | "paths"> & { readonly workspace: Workspace };

/**
 * Why root does not move these files: what the workload can write may hold something else once it is moved, and its
 * owner keeps writing it there.
 */
export async function refusedMove(
  { operationKey, params }: PlannedCall,
  { identity, paths, workspace }: Moving,
): Promise<string | undefined> {
  if (identity !== "root") return undefined;
  if (operationKey === "file_operations.apply_patch")
    return movesFiles(String(params.patchContent)) ? BY_A_PATCH : undefined;
  if (operationKey !== "file_operations.rename_file") return undefined;
  const source = paths.find(({ parameter }) => parameter === "oldPath")?.resolved ?? "/";
  const { files } = await workspace.inspectCode({ directory: "/", paths: [source], git: [] });
  const [found] = files;
  const isSystems = found?.kind === "system" || (found?.kind === "missing" && !found.isWorkloads);
  return isSystems ? undefined : moveRefusal(source);
}

function movesFiles(patch: string): boolean {
  try {
    return parsePatch(patch).some(({ kind }) => kind === "rename" || kind === "copy");
  } catch {
    return false; // the operation itself says what is wrong with it
  }
}

const INSTEAD =
  "Use run_command with `sudo install` or `sudo cp`, which copies the approved content.";

const BY_A_PATCH = `Root does not move files in a patch, because their content may change after the approval. ${INSTEAD}`;

function moveRefusal(path: string): string {
  return `Root does not move ${path}, because the workspace could change its content before and after the move. ${INSTEAD}`;
}
