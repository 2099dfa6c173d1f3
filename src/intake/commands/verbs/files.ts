import { basename } from "node:path/posix";
import { shownOutput } from "../../../conversation/shown/shown-output.ts";
import type { CommandDeps } from "../deps.ts";
import { type Answer, type Asked, idOf, type Verb } from "../verb.ts";
import { existingWorkspace } from "../workspace-access.ts";
import { listDirectory, readWhole } from "../workspace-files.ts";

const LARGEST_BYTES = 8 * 1024 * 1024;

export const files: Verb = {
  name: "files",
  forms: [
    {
      usage: "files",
      summary: "files of the workspace",
      act: "readThread",
      run: (deps, asked) => list(deps, asked, "."),
    },
    {
      usage: "files list [path…]",
      summary: "files of one directory",
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

async function list(deps: CommandDeps, asked: Asked, path: string): Promise<Answer> {
  const workspace = await existingWorkspace(deps, asked);
  const found = await listDirectory(workspace, path, idOf("read", asked.event));
  const lines = found.entries.map(({ name, isDirectory, size }) =>
    isDirectory ? `${name}/` : `${name}  ${sizeText(size)}`.trimEnd(),
  );
  const text = lines.length === 0 ? "(nothing)" : lines.join("\n");
  const number = found.totalCount === 1 ? "1 entry" : `${found.totalCount} entries`;
  const title = `${path === "." ? "Workspace" : path}: ${number}`;
  return shownOutput(deps.redactor, text, { title, file: "files.txt" });
}

function sizeText(bytes: number | null): string {
  if (bytes === null) return "";
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 1_024 ** 2
    ? `${(bytes / 1_024).toFixed(1)} KB`
    : `${(bytes / 1_024 ** 2).toFixed(1)} MB`;
}

async function get(deps: CommandDeps, asked: Asked, path: string): Promise<Answer> {
  const workspace = await existingWorkspace(deps, asked);
  const bytes = await readWhole(workspace, path, { mostBytes: LARGEST_BYTES });
  const mimeType = "application/octet-stream";
  return { files: [{ name: basename(path), mimeType, bytes, comment: path }] };
}
