import { z } from "zod";
import { ToolError } from "../../contract/tools/operation.ts";
import type { Workspace } from "../../contract/workspace/workspace.ts";
import { archivedFile, UnfitFileError } from "../../lib/archived-file.ts";
import { CommandRefusedError } from "./verb.ts";

/** What is in a directory. More than a thousand entries nobody reads; `totalCount` says how many there are. */
const Listed = z.object({
  entries: z.array(
    z.object({ name: z.string(), isDirectory: z.boolean(), size: z.number().nullable() }),
  ),
  totalCount: z.number(),
});

/** What people can look at in a workspace: what is in it, and nothing that a link in it leads to elsewhere. */
export async function listDirectory(
  workspace: Workspace,
  path: string,
  callId: string,
): Promise<z.infer<typeof Listed>> {
  const args = { operation: "list_dir", path: await inside(workspace, path), limit: 1000 };
  const result = await workspace.call({ id: callId, tool: "file_operations", args });
  if (!result.success)
    throw new CommandRefusedError(result.message ?? "The directory cannot be read.");
  return Listed.parse(result);
}

export async function readWhole(
  workspace: Workspace,
  path: string,
  options: { readonly mostBytes: number },
): Promise<Uint8Array> {
  const archive = await workspace.download(await inside(workspace, path));
  try {
    return await archivedFile(archive, options);
  } catch (error) {
    if (!(error instanceof UnfitFileError)) throw error;
    throw new CommandRefusedError(`${path} cannot be shared. ${error.message}`, { cause: error });
  }
}

/** Where a path of the workspace really leads. What is elsewhere is not shown here: commands can, by the guard's leave. */
async function inside(workspace: Workspace, path: string): Promise<string> {
  const args = { operation: "read_file", filePath: path };
  const call = { id: "paths", tool: "file_operations", args };
  const [place] = await workspace.pathsOf(call).catch((error: unknown) => {
    if (error instanceof ToolError) throw new CommandRefusedError(error.message, { cause: error });
    throw error;
  });
  if (place?.inside && !place.exists)
    throw new CommandRefusedError(`There is no ${path} in the workspace.`);
  if (place?.inside) return place.resolved;
  throw new CommandRefusedError(
    `${path} is not in the workspace. A command can read it: \`$ cat ${path}\`.`,
  );
}
