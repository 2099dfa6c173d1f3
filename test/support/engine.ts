import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import Docker from "dockerode";
import { z } from "zod";
import type { OperationResult } from "../../src/contract/tools/operation.ts";
import type {
  CallOptions,
  Workspace,
  WorkspaceCall,
  Workspaces,
} from "../../src/contract/workspace/workspace.ts";
import type { WorkspacesOptions } from "../../src/workspace/options.ts";
import { WorkspaceSettings } from "../../src/workspace/settings.ts";
import { createWorkspaces } from "../../src/workspace/workspaces.ts";
import { engineThroughProxy } from "./engine-proxy.ts";
import { IMAGE } from "./run-in-image.ts";

const run = promisify(execFile);
const SECCOMP = readFileSync(new URL("../../sandbox-image/seccomp.json", import.meta.url), "utf8");

/** A bot's workspaces on the real engine, with a name and a data directory of their own. */
export interface TestEngine extends AsyncDisposable {
  readonly workspaces: Workspaces;
  readonly dataDir: string;
  /** Another run of the same bot: same data, same containers. */
  again(changes?: EngineChanges): Promise<Workspaces>;
  containers(): Promise<string[]>;
  volumes(): Promise<string[]>;
  /** The container that a conversation has claimed. */
  containerOf(conversation: string): Promise<string>;
}

export interface EngineChanges extends Partial<Omit<WorkspacesOptions, "settings" | "dataDir">> {
  readonly settings?: Partial<WorkspaceSettings>;
}

/** No pool unless a test asks for one: most want to see exactly their own containers. */
export async function startEngine(changes: EngineChanges = {}): Promise<TestEngine> {
  const dataDir = await mkdtemp(join(tmpdir(), "deckhand-test-"));
  const runs: Workspaces[] = [];
  const proxies = new AsyncDisposableStack();
  const again = async (more: EngineChanges = {}) => {
    const options = optionsOf(dataDir, { ...changes, ...more });
    const workspaces = await createWorkspaces(await engineThroughProxy(options, proxies));
    runs.push(workspaces);
    return workspaces;
  };
  const workspaces = await again();
  const label = `deckhand.instance=${await instanceOf(dataDir)}`;
  return {
    workspaces,
    dataDir,
    again,
    containers: () => containerNames(label),
    volumes: async () => (await volumesOf(label)).map(({ Name }) => Name),
    containerOf: async (conversation) => {
      const summary = (await workspaces.list()).find((one) => one.conversation === conversation);
      const [name = ""] = await containerNames(`deckhand.workspace=${summary?.workspace}`);
      return name;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled(runs.map((one) => one.close()));
      await proxies.disposeAsync();
      await removeAll(label);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Runs a command in the workspace's terminal. */
export function command(
  workspace: Workspace,
  text: string,
  options: CallOptions &
    Pick<WorkspaceCall, "as" | "run"> & { id?: string; background?: boolean } = {},
): Promise<OperationResult> {
  const { id = randomUUID(), as, run, background, ...rest } = options;
  const args = {
    operation: "run_command",
    command: text,
    ...(background ? { isBackground: true } : {}),
  };
  const how = { ...(as ? { as } : {}), ...(run ? { run } : {}) };
  return workspace.call({ id, tool: "terminal_operations", args, ...how }, rest);
}

export async function docker(...args: string[]): Promise<string> {
  const { stdout } = await run("docker", args, { maxBuffer: 16 * 1024 * 1024 });
  return stdout.trim();
}

export function optionsOf(
  dataDir: string,
  { settings, ...rest }: EngineChanges = {},
): WorkspacesOptions {
  const parsed = WorkspaceSettings.parse({
    image: IMAGE,
    poolSize: 0,
    diskBytes: 64 * 1024 * 1024,
    dockerHost: process.env.DOCKER_HOST,
    ...settings,
  });
  return {
    seccomp: SECCOMP,
    log: () => {},
    redact: (text) => text,
    ...rest,
    settings: parsed,
    dataDir,
  };
}

async function instanceOf(dataDir: string): Promise<string> {
  const text = await readFile(join(dataDir, "instance.json"), "utf8");
  return z.object({ instance: z.string() }).parse(JSON.parse(text)).instance;
}

// By the API: the command line takes 50 ms of the processor to start.
const api = new Docker();

async function containerNames(label: string): Promise<string[]> {
  const containers = await api.listContainers({ all: true, filters: { label: [label] } });
  return containers.map(({ Names: [name = ""] }) => name.replace(/^\//, ""));
}

async function volumesOf(label: string): Promise<Docker.VolumeInspectInfo[]> {
  const { Volumes } = await api.listVolumes({ filters: { label: [label] } });
  return Volumes;
}

async function removeAll(label: string): Promise<void> {
  const names = await containerNames(label);
  await Promise.all(names.map((name) => api.getContainer(name).remove({ force: true })));
  const mounted = await mountPoints();
  const remove = async ({ Name, Mountpoint }: Docker.VolumeInspectInfo) => {
    const disk = Mountpoint.replace(/_data$/, "disk");
    const points = [Mountpoint, disk].filter((point) => mounted.has(point));
    // A bot that is still ending may be faster. If one stays mounted, the volume cannot be removed, which fails.
    if (points.length > 0) await run("umount", ["--lazy", ...points]).catch(() => undefined);
    await api.getVolume(Name).remove({ force: true });
  };
  await Promise.all((await volumesOf(label)).map(remove));
}

async function mountPoints(): Promise<Set<string | undefined>> {
  const table = await readFile("/proc/self/mounts", "utf8").catch(() => "");
  return new Set(table.split("\n").map((line) => line.split(" ")[1]));
}
