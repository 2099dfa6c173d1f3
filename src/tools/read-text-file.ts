import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { extract } from "tar-stream";
import { ToolError } from "../contract/tools/operation.ts";
import type { Workspace } from "../contract/workspace/workspace.ts";

const LIMIT_BYTES = 1024 * 1024;

/** All of a text file of the workspace, in one reading. Throws a ToolError for what is no such file. */
export async function readTextFile(workspace: Workspace, path: string): Promise<string> {
  const bytes = await readFile(workspace, path);
  try {
    if (!bytes.includes(0)) return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Not UTF-8: said below, as for any file that is not text.
  }
  throw new ToolError(
    "executionFailed",
    `${path} is not a text file. Convert it to text with a command, then import that.`,
  );
}

async function readFile(workspace: Workspace, path: string): Promise<Buffer> {
  const archive = await download(workspace, path);
  try {
    return await firstFile(archive, path);
  } finally {
    if (archive instanceof Readable) archive.destroy(); // Docker waits for a stream that nobody reads
  }
}

async function firstFile(archive: NodeJS.ReadableStream, path: string): Promise<Buffer> {
  const reader = extract();
  archive.on("error", (error) => reader.destroy(error));
  archive.pipe(reader);
  for await (const entry of reader) {
    const { type, size = 0 } = entry.header;
    if (type !== "file") {
      const what = type === "symlink" ? "a link; use the file it points to" : `a ${type}`;
      throw new ToolError(
        "executionFailed",
        `${path} is ${what}. Only single files can be imported.`,
      );
    }
    if (size > LIMIT_BYTES) {
      throw new ToolError(
        "executionFailed",
        `${path} has ${size} bytes; the limit for documents is ${LIMIT_BYTES}. Split it and import the parts.`,
      );
    }
    return await buffer(entry);
  }
  throw new ToolError("executionFailed", `${path} is empty: there is nothing to import.`);
}

async function download(workspace: Workspace, path: string): Promise<NodeJS.ReadableStream> {
  try {
    return await workspace.download(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, cause: unknown): ToolError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `${path} cannot be imported: ${why} Find the right path with file_operations.list_dir.`;
  return new ToolError("executionFailed", message, {}, { cause });
}
