import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { PlannedCall } from "../../contract/permission/gate.ts";
import type { PathEffect, Workspace } from "../../contract/workspace/workspace.ts";

/** A file that a call would change, as it is now. */
export interface FileText {
  readonly path: string;
  /** Absent when it cannot be read: binary, too big, or not for the workspace's user. */
  readonly text?: string;
}

const MOST_FILES = 20;
const MOST_CHARS = 400_000;
const PAGE_LINES = 2000;

const Page = z.object({
  content: z.string(),
  returnedLines: z.int(),
  truncated: z.boolean(),
  tokenLimited: z.boolean(),
});

/** The operations whose effect depends on what the file holds. */
const EDITS = new Set([
  "create_file",
  "replace_string",
  "multi_replace_string",
  "insert_edit",
  "apply_patch",
]);

/** The files whose contents decide what an edit will do. */
export function editedFiles(
  workspace: Workspace,
  { tool, operation }: PlannedCall,
  paths: readonly PathEffect[],
): Promise<FileText[]> {
  if (tool !== "file_operations" || !EDITS.has(operation)) return Promise.resolve([]);
  const edited = paths.filter(
    ({ access, parameter }) => access === "write" && parameter !== "target_directory",
  );
  return textsOf(
    workspace,
    edited.filter(({ exists }) => exists).map(({ resolved }) => resolved),
  );
}

export async function textsOf(workspace: Workspace, paths: readonly string[]): Promise<FileText[]> {
  const texts: FileText[] = [];
  for (const path of paths.slice(0, MOST_FILES)) texts.push(await readWhole(workspace, path));
  return [...texts, ...paths.slice(MOST_FILES).map((path) => ({ path }))];
}

/** Page by page, as the operation itself reads. */
async function readWhole(workspace: Workspace, path: string): Promise<FileText> {
  let text = "";
  for (let offset = 1; text.length <= MOST_CHARS; ) {
    const result = await workspace.call({
      id: randomUUID(),
      tool: "file_operations",
      args: { operation: "read_file", filePath: path, offset, limit: PAGE_LINES },
    });
    const page = Page.safeParse(result);
    if (!result.success || !page.success || mayBeCut(page.data)) return { path };
    text += page.data.content;
    offset += page.data.returnedLines;
    if (!page.data.truncated) return { path, text };
  }
  return { path };
}

/** A single line that is too long for an answer is cut, without a way to read on in it. */
function mayBeCut({ tokenLimited, returnedLines }: z.infer<typeof Page>): boolean {
  return tokenLimited && returnedLines <= 1;
}
