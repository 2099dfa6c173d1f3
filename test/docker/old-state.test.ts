import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { OperationResult } from "../../src/contract/tools/operation.ts";
import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { stateDiskBytes } from "../../src/workspace/disk/disk-limit.ts";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";
import { call, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { eventually } from "../support/until.ts";

const run = promisify(execFile);
const MIB = 1024 * 1024;
const LARGE = { diskBytes: 256 * MIB };
/** Less than the old state holds, with the state's own room and all. */
const SMALL = { diskBytes: 32 * MIB };
const CHECKPOINTS = 12;
const FILE_BYTES = 14 * MIB;
const MESSAGE = /\d+ old checkpoints of this thread/;

describe("a workspace of a version that kept its state without a disk of its own", () => {
  it("keeps all checkpoints and calls on its new disk; the next checkpoint evicts the oldest, and the thread sees it", async () => {
    await using engine = await startEngine({ settings: LARGE });
    const small = await engine.again({ settings: SMALL });
    await using talk = await Talk.start({ workspaces: small });
    const old = await oldWorkspace(engine, talk.thread);

    const workspace = await small.open(talk.thread, { fence: 1 });
    expect(await keptBy(workspace)).toEqual(old.checkpoints);
    expect(await repeated(workspace, old)).toEqual(old.result);
    expect(await underMount(old.stateData)).toEqual([".deckhand-disk-missing"]);

    const create = { operation: "create_file", filePath: "more", content: "more" };
    talk.model.script([call("file_operations", create), say("Done.")]);
    await talk.say("write one more file");
    await talk.sees("Done.", 60_000);
    await talk.sees(MESSAGE, 10_000);
    const left = await keptBy(workspace);
    expect(left.length).toBeLessThan(CHECKPOINTS);
    const newestOld = left.filter((one) => old.checkpoints.includes(one))[0] ?? "none";
    expect(newestOld).toBe(old.checkpoints[0]);
    await workspace.checkpoints.restore(newestOld, { callId: randomUUID() });
    expect(await command(workspace, "sha256sum --check sum")).toMatchObject({ exit_code: 0 });
  });

  it("loses the oldest checkpoints to the disk watch where nothing can be mounted; the next result says so, and what runs goes on", async () => {
    await using engine = await startEngine({ settings: LARGE });
    const old = await oldWorkspace(engine, "watched");
    await using proxy = await startTcpProxy(SOCKET);
    const dockerHost = `tcp://127.0.0.1:${proxy.port}`;
    const watched = await engine.again({ settings: { ...SMALL, dockerHost }, sweepEveryMs: 1_000 });

    const workspace = await watched.open("watched", { fence: 1 });
    expect(await repeated(workspace, old)).toEqual(old.result);
    await command(workspace, "sleep 555 &");
    await eventually(async () =>
      expect((await keptBy(workspace)).length).toBeLessThan(CHECKPOINTS),
    );
    const kept = await keptBy(workspace);
    expect(kept).toEqual(old.checkpoints.slice(0, kept.length));
    expect(kept.length).toBeGreaterThan(0);
    const next = await command(workspace, "pgrep --full 'sleep 555' | wc -l");
    expect(next).toMatchObject({ output: "1\n", notice: expect.stringMatching(MESSAGE) });
    await watched.close();
  });
});

const SOCKET = (process.env.DOCKER_HOST ?? "unix:///var/run/docker.sock").replace("unix://", "");
const CALL = "date +%N";

interface Old {
  /** Newest first. */
  readonly checkpoints: readonly string[];
  readonly callId: string;
  readonly result: OperationResult;
  readonly stateData: string;
}

/** A workspace whose container is gone and whose state is larger than the new limit, as such a version left it. */
async function oldWorkspace(engine: TestEngine, conversation: string): Promise<Old> {
  const workspace = await engine.workspaces.open(conversation, { fence: 1 });
  const callId = randomUUID();
  const result = await command(workspace, CALL, { id: callId });
  for (let count = 0; count < CHECKPOINTS; count += 1) {
    await command(workspace, `head -c ${FILE_BYTES} /dev/urandom > big; sha256sum big > sum`);
    await workspace.checkpoints.create({ callId: randomUUID() });
  }
  expect(CHECKPOINTS * FILE_BYTES).toBeGreaterThan(stateDiskBytes(SMALL.diskBytes));
  const checkpoints = await keptBy(workspace);
  expect(checkpoints).toHaveLength(CHECKPOINTS);
  await command(workspace, "rm big");
  const container = await engine.containerOf(conversation);
  await engine.workspaces.close();
  await docker("rm", "--force", container);
  const volume = (await engine.volumes()).find((name) => name.endsWith("-state")) ?? "";
  const stateData = await docker("volume", "inspect", "--format", "{{.Mountpoint}}", volume);
  await toOldLayout(stateData);
  return { checkpoints, callId, result, stateData };
}

/** The volume's own directory holds the files, and the store counts plain bytes in a file of another name. */
async function toOldLayout(data: string): Promise<void> {
  const volume = dirname(data);
  await cp(data, join(volume, "old"), { recursive: true, preserveTimestamps: true });
  await run("umount", [data]);
  for (const name of ["_data", "disk", "disk.ext4"]) {
    await rm(join(volume, name), { recursive: true, force: true });
  }
  await rename(join(volume, "old"), data);
  await rm(join(data, "lost+found"), { recursive: true, force: true });
  const store = join(data, "checkpoints");
  await rm(join(store, "usage-blocks"));
  await writeFile(join(store, "usage"), String(CHECKPOINTS * FILE_BYTES));
  expect(existsSync(join(data, "ledger.a"))).toBe(true);
}

async function keptBy(workspace: Workspace): Promise<string[]> {
  const { checkpoints } = await workspace.checkpoints.list();
  return checkpoints.map(({ checkpoint }) => checkpoint);
}

async function repeated(workspace: Workspace, { callId }: Old): Promise<OperationResult> {
  const { notice: _, ...result } = await command(workspace, CALL, { id: callId });
  return result;
}

/** What the directory holds below that which is mounted over it. */
async function underMount(data: string): Promise<string[]> {
  const view = await mkdtemp(join(tmpdir(), "under-mount-"));
  await run("mount", ["--bind", dirname(data), view]);
  try {
    return await readdir(join(view, "_data"));
  } finally {
    await run("umount", [view]);
    await rm(view, { recursive: true });
  }
}
