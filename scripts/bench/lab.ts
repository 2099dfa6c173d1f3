import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { OperationResult } from "../../src/contract/tools/operation.ts";
import type { TunnelHost } from "../../src/contract/workspace/tunnel.ts";
import type { Workspace, Workspaces } from "../../src/contract/workspace/workspace.ts";
import { WorkspaceSettings } from "../../src/workspace/settings.ts";
import { createWorkspaces } from "../../src/workspace/workspaces.ts";

const run = promisify(execFile);
/** By the bot's own setting, so that images of several revisions can be measured in turns. */
export const IMAGE = process.env.WORKSPACE_IMAGE ?? "deckhand-sandbox";

/** Workspaces of their own for one measurement, gone without a trace afterwards. */
export interface Lab extends AsyncDisposable {
  readonly workspaces: Workspaces;
  open(): Promise<Workspace>;
}

/** In a directory of its own, or in that of a bot which has ended. */
export async function openLab(
  settings: Partial<WorkspaceSettings> = {},
  dataDir = newDataDir(),
  network?: TunnelHost,
): Promise<Lab> {
  const seccomp = readFileSync(
    new URL("../../sandbox-image/seccomp.json", import.meta.url),
    "utf8",
  );
  const workspaces = await createWorkspaces({
    settings: WorkspaceSettings.parse({
      cap: 100,
      image: IMAGE,
      dockerHost: process.env.DOCKER_HOST,
      ...settings,
    }),
    dataDir,
    seccomp,
    log: () => {},
    redact: (text) => text,
    network,
  });
  return {
    workspaces,
    open: () => workspaces.open(`bench-${randomUUID()}`, { fence: 0 }),
    [Symbol.asyncDispose]: async () => {
      for (const { conversation } of await workspaces.list()) await workspaces.reset(conversation);
      await workspaces.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export function newDataDir(): string {
  return mkdtempSync(join(tmpdir(), "deckhand-bench-"));
}

/** Runs a command in the workspace's terminal; a failure ends the benchmark. */
export async function command(workspace: Workspace, text: string): Promise<OperationResult> {
  const args = { operation: "run_command", command: text };
  return call(workspace, "terminal_operations", args);
}

export async function call(
  workspace: Workspace,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<OperationResult> {
  const result = await workspace.call({ id: randomUUID(), tool, args });
  if (!result.success) throw new Error(`${tool} failed: ${result.message}`);
  return result;
}

export async function docker(...args: string[]): Promise<string> {
  const { stdout } = await run("docker", args, { maxBuffer: 1024 * 1024 });
  return stdout;
}

/** Resolves when the command has ended and all of its output has been read. */
export async function drain(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  let bytes = 0;
  for await (const chunk of child.stdout) bytes += (chunk as Buffer).length;
  return bytes;
}
