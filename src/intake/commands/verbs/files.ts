import { basename } from "node:path/posix";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { extract } from "tar-stream";
import { z } from "zod";
import type { Workspace } from "../../../contract/workspace.ts";
import { shownOutput } from "../../../conversation/shown-output.ts";
import type { CommandDeps } from "../deps.ts";
import { type Answer, type Asked, Refusal, type Verb } from "../verb.ts";
import { existingWorkspace, readInWorkspace } from "../workspace-access.ts";

const LARGEST_BYTES = 8 * 1024 * 1024;

export const files: Verb = {
  name: "files",
  forms: [
    {
      usage: "files",
      summary: "what is in the workspace",
      act: "readThread",
      run: (deps, asked) => list(deps, asked, "."),
    },
    {
      usage: "files list [path…]",
      summary: "what is in one of its directories",
      act: "readThread",
      run: (deps, asked, { path = "." }) => list(deps, asked, path),
    },
    {
      usage: "files get <path…>",
      summary: "share a file of the workspace in this thread",
      act: "readThread",
      run: (deps, asked, { path = "" }) => get(deps, asked, path),
    },
  ],
};

const Entries = z.object({
  entries: z.array(
    z.object({ name: z.string(), isDirectory: z.boolean(), size: z.number().nullable() }),
  ),
  totalCount: z.number(),
});

async function list(deps: CommandDeps, asked: Asked, path: string): Promise<Answer> {
  const workspace = await existingWorkspace(deps, asked);
  const args = { operation: "list_dir", path: await inside(workspace, path), limit: 1000 };
  const found = Entries.parse(await readInWorkspace(workspace, asked, "file_operations", args));
  const lines = found.entries.map(({ name, isDirectory, size }) =>
    isDirectory ? `${name}/` : `${name}  ${size}`,
  );
  const text = lines.length === 0 ? "(nothing)" : lines.join("\n");
  const title = `${path === "." ? "Workspace" : path}: ${found.totalCount} entries`;
  return shownOutput(deps.redactor, text, { title, file: "files.txt" });
}

async function get(deps: CommandDeps, asked: Asked, path: string): Promise<Answer> {
  const workspace = await existingWorkspace(deps, asked);
  const bytes = await download(workspace, await inside(workspace, path), path);
  const name = basename(path);
  const text = textOf(bytes);
  const masked = text === undefined ? undefined : deps.redactor.redact(text);
  if (masked === undefined || masked === text) {
    return { files: [{ name, mimeType: "application/octet-stream", bytes, comment: path }] };
  }
  const comment = `${path} (secrets in it are masked)`;
  const shared = new TextEncoder().encode(masked);
  return { files: [{ name, mimeType: "text/plain", bytes: shared, comment }] };
}

/** Where a path of the workspace really leads. What is elsewhere is not shown here: commands can, by the guard's leave. */
async function inside(workspace: Workspace, path: string): Promise<string> {
  const args = { operation: "read_file", filePath: path };
  const [place] = await workspace.pathsOf({ id: "paths", tool: "file_operations", args });
  if (place?.inside && !place.exists) throw new Refusal(`There is no ${path} in the workspace.`);
  if (place?.inside) return place.resolved;
  throw new Refusal(`${path} is not in the workspace. A command can read it: \`$ cat ${path}\`.`);
}

async function download(workspace: Workspace, resolved: string, path: string): Promise<Buffer> {
  const archive = await workspace.download(resolved);
  const reader = extract();
  archive.on("error", (error) => reader.destroy(error));
  archive.pipe(reader);
  try {
    for await (const entry of reader) {
      const { type, size = 0 } = entry.header;
      if (type !== "file")
        throw new Refusal(`${path} is no file. \`files list ${path}\` shows it.`);
      if (size > LARGEST_BYTES) {
        throw new Refusal(
          `${path} has ${size} bytes; at most ${LARGEST_BYTES} can be shared here.`,
        );
      }
      return await buffer(entry);
    }
  } finally {
    if (archive instanceof Readable) archive.destroy(); // Docker waits for a stream that nobody reads
  }
  throw new Refusal(`${path} is empty.`);
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return bytes.includes(0) ? undefined : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // not UTF-8, so no text
  }
}
