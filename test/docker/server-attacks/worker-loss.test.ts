import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Workspace } from "../../../src/contract/workspace/workspace.ts";
import { command, docker, startEngine, type TestEngine } from "../../support/engine.ts";

const PIDS = 128;
const WORKER = "W=$(pgrep -xf '.*blob server worker')";

/** Forks until the kernel refuses, then kills. */
const ALL_PIDS = `import os, sys, time
try:
    while os.fork() > 0: pass
    time.sleep(300)
except OSError:
    os.kill(int(sys.argv[1]), 9)`;

let engine: TestEngine;
let workspace: Workspace;
let container: string;
beforeAll(async () => {
  engine = await startEngine({ settings: { pids: PIDS } });
  workspace = await engine.workspaces.open("lossy", { fence: 1 });
  await command(workspace, "true");
  container = await engine.containerOf("lossy");
});
afterAll(() => engine[Symbol.asyncDispose]());

const root = (script: string) => docker("exec", "-u", "0", container, "bash", "-c", script);
const pidOf = (role: string) => root(`pgrep -xf '.*blob server ${role}( gate)?'`);

/** Runs a command that costs the worker its life; the supervisor and the container must survive. */
async function loses(script: string) {
  const before = { supervisor: await pidOf("supervisor"), worker: await pidOf("worker") };
  const id = crypto.randomUUID();
  const result = await command(workspace, `${WORKER}; ${script}`, { id });
  expect(await command(workspace, `${WORKER}; ${script}`, { id })).toEqual(result);
  const next = await command(workspace, "cd /workspace && touch mine && stat -c %U mine");
  expect(await pidOf("supervisor")).toBe(before.supervisor);
  expect(await pidOf("worker")).not.toBe(before.worker);
  return { result, next };
}

describe("a worker that the workload breaks [P-S5, P-I1]", () => {
  it.each([
    ["killed", "kill -KILL $W; sleep 60"],
    ["terminated", "kill -TERM $W; sleep 60"],
    ["killed with everything else of its user", "kill -KILL -1; sleep 60"],
    ["killed while all pids are used", `python3 -c "${ALL_PIDS}" $W; sleep 60`],
  ])("is replaced, and the call's outcome is unknown: %s", async (_how, script) => {
    const { result, next } = await loses(script);
    expect(result).toMatchObject({ success: false, outcome: "unknown" });
    expect(result.message).toContain("worker process was killed or crashed");
    expect(next).toMatchObject({ success: true, output: "agent\n" });
    expect(next.notice).toContain("earlier terminals");
    expect((await command(workspace, "echo again")).notice).toBeUndefined();
    expect(await root("pgrep -cx sleep; true")).toBe("0");
  });

  it("continues when it was stopped once, and opens no inspector on SIGUSR1", async () => {
    const worker = await pidOf("worker");
    expect(
      await command(workspace, `${WORKER}; kill -USR1 $W; kill -STOP $W; echo stopped`),
    ).toMatchObject({
      success: true,
      output: "stopped\n",
    });
    expect(await pidOf("worker")).toBe(worker);
    // The proxy's port is the only one; Node's inspector would be at 9229.
    expect(await root("sed 1d /proc/net/tcp | awk '{print $2}'")).toBe("0100007F:0C38");
  });

  it("is replaced when it is stopped again and again", async () => {
    const { result, next } = await loses("while kill -STOP $W; do :; done");
    expect(result).toMatchObject({ success: false, outcome: "unknown" });
    expect(result.message).toContain("worker process stopped responding");
    expect(next.success).toBe(true);
  });

  it("ends a followed terminal for its readers", async () => {
    await command(workspace, "echo before");
    let seen = "";
    const following = workspace.follow("lossy", {
      fromIndex: 0,
      signal: new AbortController().signal,
      onOutput: async (piece) => {
        seen += piece.output;
      },
    });
    await expect.poll(() => seen).toContain("before");
    await command(workspace, `${WORKER}; kill -KILL $W; sleep 60`);
    await following;
  });
});
