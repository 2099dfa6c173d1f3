import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkpointOperations } from "../../src/contract/workspace/checkpoints.ts";
import type {
  Workspace,
  WorkspaceCall,
  Workspaces,
} from "../../src/contract/workspace/workspace.ts";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";
import { portraitOf } from "../support/portrait.ts";
import { liveAndDie } from "./doomed.ts";

const CONVERSATION = "a thread whose bots die while they undo";
const FENCE = 1;

/** Enough for a restore to take a while. */
const PROJECT = `cd /workspace; git init -q repo; mkdir empty; ln -s repo link
for d in $(seq 40); do mkdir -p tree/$d; for f in $(seq 40); do echo "$d $f" > tree/$d/$f; done; done
chmod 0750 tree/7; chmod 0600 tree/8/8; head -c 200000 /dev/urandom > noise.bin`;
const HAVOC = `cd /workspace; rm -rf repo empty link tree/1*; echo file > link; chmod 0777 tree/7
for f in tree/2*/*; do echo changed > $f; done; mkdir -p new/deep; echo new > new/deep/file; : > noise.bin`;

const around = (points: readonly string[], delays: readonly number[]) =>
  points.flatMap((killAt) => delays.map((delayMs) => ({ killAt, delayMs })));
const EACH = [
  "root-before-exec",
  "root-started",
  "root-before-send",
  "root-sent",
  "root-before-result",
];
const CREATE_POINTS = [...around(EACH, [0]), ...around(["root-sent"], [10, 40, 100])];
const RESTORE_POINTS = [
  ...around(EACH, [0]),
  ...around(["root-sent"], [5, 15, 30, 60, 100, 150, 220, 300, 400]),
];
const REMOVAL_DELAYS_MS = [250, 350, 450, 600];

describe("kill -9 of the bot around checkpoints", () => {
  let engine: TestEngine;
  let bot: Workspaces;
  let workspace: Workspace;
  let checkpoint: string;
  let kept: string;

  beforeAll(async () => {
    engine = await startEngine();
    bot = engine.workspaces;
    workspace = await bot.open(CONVERSATION, { fence: FENCE });
    await run(PROJECT);
    kept = await portrait();
    ({ checkpoint } = await workspace.checkpoints.create({ callId: randomUUID() }));
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  it.each(CREATE_POINTS)(
    "create, killed $delayMs ms after $killAt: the same call id answers with the one that was made",
    async (point) => {
      const callId = randomUUID();
      await run(`echo ${callId} > /workspace/changed`);
      await dieAt(point, callId, { operation: "create", label: callId });

      const made = await workspace.checkpoints.create({ callId, label: callId });
      const { checkpoints, unfinished } = await workspace.checkpoints.list();
      expect(checkpoints.filter(({ label }) => label === callId)).toEqual([made]);
      expect(unfinished).toBeNull();
      const { changes } = await workspace.checkpoints.diff(made.checkpoint);
      expect(changes).toEqual([]);
    },
  );

  it.each(RESTORE_POINTS)(
    "restore, killed $delayMs ms after $killAt: the same call id completes it, and it can be undone",
    async (point) => {
      await run(HAVOC);
      const spoilt = await portrait();
      const callId = randomUUID();
      await dieAt(point, callId, { operation: "restore", checkpoint });

      const report = await workspace.checkpoints.restore(checkpoint, { callId });
      expect(report).toMatchObject({ complete: true, skipped_total: 0 });
      expect(await portrait()).toBe(kept);
      expect(await workspace.checkpoints.restore(checkpoint, { callId })).toEqual(report);
      expect((await workspace.checkpoints.list()).unfinished).toBeNull();

      await workspace.checkpoints.restore(report.before, { callId: randomUUID() });
      expect(await portrait()).toBe(spoilt);
      await workspace.checkpoints.restore(checkpoint, { callId: randomUUID() });
      expect(await portrait()).toBe(kept);
    },
  );

  it.each(REMOVAL_DELAYS_MS)(
    "restore, its container removed after %i ms: says that the outcome is unknown, and a new call completes it",
    async (delayMs) => {
      await run(HAVOC);
      const restoring = workspace.checkpoints
        .restore(checkpoint, { callId: randomUUID() })
        .catch((error: unknown) => error);
      await sleep(delayMs);
      await docker("rm", "--force", await engine.containerOf(CONVERSATION));
      const outcome = await restoring;
      if (outcome instanceof Error)
        expect(outcome).toMatchObject({ details: { outcome: "unknown" } });
      else expect(outcome).toMatchObject({ complete: true });

      const report = await workspace.checkpoints.restore(checkpoint, { callId: randomUUID() });
      expect(report.complete).toBe(true);
      expect(await portrait()).toBe(kept);
      expect((await workspace.checkpoints.list()).unfinished).toBeNull();
    },
  );

  /** Ends with the next bot at the workspace. */
  async function dieAt(
    point: { killAt: string; delayMs: number },
    id: string,
    args: Record<string, unknown>,
  ): Promise<void> {
    const call: WorkspaceCall = { id, tool: checkpointOperations.name, args, as: "root" };
    await bot.close();
    const { dataDir } = engine;
    await liveAndDie({ ...point, call, dataDir, conversation: CONVERSATION, fence: FENCE });
    bot = await engine.again();
    workspace = await bot.open(CONVERSATION, { fence: FENCE });
  }

  async function run(text: string): Promise<void> {
    expect(await command(workspace, text)).toMatchObject({ success: true, exit_code: 0 });
  }

  const portrait = async () => portraitOf(await engine.containerOf(CONVERSATION));
});
