import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Workspace } from "../../../src/contract/workspace/workspace.ts";
import { command, docker, startEngine, type TestEngine } from "../../support/engine.ts";
import { IMAGE } from "../../support/run-in-image.ts";

const PROGRAM = readFileSync(new URL("attacks.py", import.meta.url), "utf8");
const Outcome = z.object({ attack: z.string(), worked: z.boolean(), why: z.string() });

/** What the kernel grants to every process of the same user. The worker may be killed, and is then replaced. */
const SAME_USER = ["signal", "SIG", "kill", "queueinfo", "prlimit", "priority", "ioprio", "sched_"];

let engine: TestEngine;
let workspace: Workspace;
let container: string;
beforeAll(async () => {
  engine = await startEngine({ settings: { pids: 160 } });
  workspace = await engine.workspaces.open("attacked", { fence: 1 });
  const args = { operation: "create_file", filePath: "attacks.py", content: PROGRAM };
  await workspace.call({ id: randomUUID(), tool: "file_operations", args });
  await command(workspace, "true");
  container = await engine.containerOf("attacked");
});
afterAll(() => engine[Symbol.asyncDispose]());

const root = (script: string) => docker("exec", "-u", "0", container, "bash", "-c", script);
const pidOf = async (role: string) =>
  (await root(`pgrep -xf '.*blob server ${role}( gate)?'`)).trim();
const initOf = (user: string) =>
  root(`pgrep -u ${user} -xf /opt/deckhand/init | tail -n 1`).then((pid) => pid.trim());

async function attacks(pid: string, leftOut: readonly string[] = []) {
  const words = leftOut.map((word) => `'${word}'`).join(" ");
  await command(
    workspace,
    `cd /workspace; python3 attacks.py ${pid} ${words} > out.jsonl 2> err.txt`,
  );
  return outcomes(await root("cat /workspace/out.jsonl /workspace/err.txt"));
}

function outcomes(text: string) {
  return text.split("\n").map((line) => Outcome.parse(JSON.parse(line)));
}

const worked = (all: readonly z.infer<typeof Outcome>[]) =>
  all.filter((one) => one.worked).map((one) => one.attack);

describe("the workload against the processes of the workspace's server [P-S5, P-S8]", () => {
  it("controls: every attack works on a careless process of the same user", async () => {
    const careless = [
      "--user",
      "1000",
      "--network",
      "none",
      "--security-opt",
      "seccomp=unconfined",
    ];
    const shell = ["python3", "-c", PROGRAM, "victim"];
    const all = outcomes(await docker("run", "--rm", "--init", ...careless, IMAGE, ...shell));
    expect(all.length).toBeGreaterThanOrEqual(70);
    expect(all.filter((one) => !one.worked)).toEqual([]);
  });

  it("does nothing to the supervisor", async () => {
    const supervisor = await pidOf("supervisor");
    const before = await root(`cut -d' ' -f22 /proc/${supervisor}/stat`);
    const all = await attacks(supervisor);
    expect(all.length).toBeGreaterThanOrEqual(70);
    expect(worked(all)).toEqual([]);
    expect(await root(`cut -d' ' -f22 /proc/${supervisor}/stat`)).toBe(before);
    expect(await command(workspace, "echo usable")).toMatchObject({ output: "usable\n" });
  });

  it("does nothing to the launcher", async () => {
    expect(worked(await attacks(await initOf("0")))).toEqual([]);
  });

  it("does nothing to the keeper of the proxy's port", async () => {
    const all = await attacks(await initOf("$(cat /opt/deckhand/tunnel-uid)"));
    expect(all.length).toBeGreaterThanOrEqual(40);
    expect(worked(all)).toEqual([]);
  });

  it("cannot look into the worker or trace it", async () => {
    const all = await attacks(await pidOf("worker"), SAME_USER);
    expect(all.length).toBeGreaterThanOrEqual(40);
    expect(worked(all)).toEqual([]);
  });

  it("cannot look into the shell of a terminal", async () => {
    const shell = await root("pgrep -xf 'bash -il' | head -n 1");
    expect(worked(await attacks(shell, SAME_USER))).toEqual([]);
  });

  it("gets no worker of its own from the launcher; control: with an open socket it does", async () => {
    const connect = `python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect("/run/deckhand-worker"); print(s.recv(20))'`;
    expect((await command(workspace, connect)).output).toContain("Permission denied");
    expect((await command(workspace, "rm -f /run/deckhand-worker; echo $?")).output).toContain("1");
    await root("chmod 666 /run/deckhand-worker");
    expect((await command(workspace, connect)).output).toContain("worker");
    await root("chmod 600 /run/deckhand-worker");
  });

  it.each([
    ["the ledger", "/var/lib/deckhand/ledger.a", "cat"],
    [
      "the cgroup's process limit",
      "/sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max",
      "tee -a",
    ],
    ["the server's program", "/opt/deckhand/supervisor.blob", "tee -a"],
    ["the supervisor's user id", "/opt/deckhand/supervisor-uid", "tee -a"],
  ])("cannot open %s", async (_what, path, how) => {
    const result = await command(workspace, `${how} ${path} < /dev/null`);
    expect(result.success).toBe(false);
    expect(result.output).toMatch(/denied|Read-only/);
  });

  it("inherits no file of the server, in a terminal or in the background", async () => {
    const list = "ls /proc/self/fd | grep -c -v '^[0-3]$' > fds.txt";
    await command(workspace, list);
    expect(await root("cat /workspace/fds.txt")).toBe("0");
    await command(workspace, `rm fds.txt; ${list}`, { background: true });
    await expect.poll(() => root("cat /workspace/fds.txt")).toBe("0");
  });
});
