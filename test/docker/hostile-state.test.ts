import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";
import { type Lab, permissionLab } from "../support/permission-lab.ts";
import { eventually } from "../support/until.ts";

const RUN = "terminal_operations.run_command";

/** Its main thread ends, and another one counts on. */
const WITHOUT_MAIN_THREAD = `
import ctypes, threading, time
def count():
    for number in range(100000):
        open("/tmp/count", "w").write(str(number))
        time.sleep(0.02)
threading.Thread(target=count).start()
ctypes.CDLL(None).syscall(60, 0)
`;

/** Holds a lease on a file, so that other processes cannot open it without waiting. */
const LEASE = `
import fcntl, os, signal, time
signal.signal(signal.SIGIO, signal.SIG_IGN)
file = os.open("/workspace/leased", os.O_RDWR | os.O_CREAT)
fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
open("/tmp/leasing", "w").close()
time.sleep(600)
`;

describe("what a workload leaves behind in its own workspace", () => {
  let engine: TestEngine;
  let workspace: Workspace;
  let container: string;
  beforeAll(async () => {
    engine = await startEngine({ settings: { tmpBytes: 32 * 1024 * 1024 } });
    workspace = await engine.workspaces.open("hostile", { fence: 1 });
    await command(workspace, "true");
    container = await engine.containerOf("hostile");
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  const root = (script: string) => docker("exec", "-u", "0", container, "bash", "-c", script);
  const file = (args: Readonly<Record<string, unknown>>) =>
    workspace.call({ id: randomUUID(), tool: "file_operations", args });
  const write = (filePath: string, content: string) =>
    file({ operation: "create_file", filePath, content, overwrite: true });

  it("is stopped also when its main thread has ended", async () => {
    await write("/tmp/count.py", WITHOUT_MAIN_THREAD);
    await command(workspace, "(setsid python3 /tmp/count.py > /dev/null 2>&1 &)");
    await eventually(async () => {
      const states = await root("cat /proc/[0-9]*/stat");
      expect(states).toMatch(/\(python3\) Z/);
      const { processes } = await workspace.census();
      expect(processes.map((one) => one.command)).toContain("[python3]");
    });
    expect((await workspace.killAll()).processes).toEqual([]);
    expect(await root("cat /proc/[0-9]*/stat | grep -c '(python3)' || true")).toBe("0");
  });

  it("makes a checkpoint fail with the reason while it holds a lease, and not afterwards", async () => {
    await write("/tmp/lease.py", LEASE);
    await command(workspace, "(setsid python3 /tmp/lease.py > /dev/null 2>&1 &)");
    await eventually(async () => {
      expect(await root("ls /tmp/leasing 2>&1 || true")).toBe("/tmp/leasing");
    });
    const keep = () =>
      workspace.checkpoints.create({ callId: randomUUID() }).then(
        () => "made",
        (error: unknown) => String(error),
      );
    expect(await keep()).toMatch(/lease/);
    await workspace.killAll();
    expect(await keep()).toBe("made");
  });

  it.each([
    ["a full /tmp", "head -c 40M /dev/zero > /tmp/fill 2>/dev/null", /\/tmp is full/],
    [
      "a full /tmp behind a directory that was taken away",
      "rm -rf /tmp/.deckhand; head -c 40M /dev/zero > /tmp/fill 2>/dev/null",
      /\/tmp is full/,
    ],
  ])("says what keeps commands from running, and how to go on: %s", async (_, spoil, reason) => {
    await command(workspace, "true");
    await root(`runuser -u agent -- bash -c '${spoil}'; true`);
    const refused = await command(workspace, `: ${"x".repeat(20_000)}`);
    expect(refused).toMatchObject({ success: false, message: expect.stringMatching(reason) });
    expect(await file({ operation: "delete_file", filePath: "/tmp/fill" })).toMatchObject({
      success: true,
    });
    expect(await command(workspace, "echo usable")).toMatchObject({ output: "usable\n" });
  });

  it.each([
    ["removed", "rm -rf /tmp/.deckhand"],
    ["closed", "chmod 000 /tmp/.deckhand"],
    ["a file", "rm -rf /tmp/.deckhand; touch /tmp/.deckhand"],
    ["a link to nowhere", "rm -rf /tmp/.deckhand; ln -s /nowhere /tmp/.deckhand"],
    ["closed below", "chmod 000 /tmp/.deckhand/*"],
  ])(
    "does not keep commands from running: the directory of the shell's files is %s",
    async (_, spoil) => {
      await command(workspace, spoil);
      expect(await command(workspace, "echo usable")).toMatchObject({ output: "usable\n" });
    },
  );

  it("gets a new worker although /workspace has no permissions", async () => {
    await command(workspace, "chmod 000 /workspace");
    await root("pkill -KILL -xf '.*blob server worker'");
    await eventually(async () => {
      expect(await file({ operation: "read_file", filePath: "/etc/hostname" })).toMatchObject({
        success: true,
      });
    });
    await root("chmod 755 /workspace");
    expect(await command(workspace, "pwd")).toMatchObject({ output: "/workspace\n" });
  });

  it("is no mark of a missing disk", async () => {
    await command(
      workspace,
      "touch /workspace/.deckhand-disk-missing; echo kept > /workspace/kept",
    );
    await docker("restart", "-t", "1", container);
    expect(await command(workspace, "cat /workspace/kept")).toMatchObject({ output: "kept\n" });
  });
});

describe("an approved curl", () => {
  let engine: TestEngine;
  let lab: Lab;
  beforeAll(async () => {
    engine = await startEngine();
    lab = await permissionLab();
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
  });

  it("does not obey a ~/.curlrc that the workload has written, as a careless one does", async () => {
    const workspace = await engine.workspaces.open("curl", { fence: 1 });
    const curlrc = 'next\nurl = "file:///etc/hostname"\noutput = "/tmp/obeyed"\n';
    const args = { operation: "create_file", filePath: "/home/agent/.curlrc", content: curlrc };
    await workspace.call({ id: randomUUID(), tool: "file_operations", args });
    const text = "curl -sS --data x https://collector.example/";
    const verdict = await lab.check(RUN, { command: text }, { workspace: async () => workspace });
    const call = verdict.outcome === "ask" ? verdict.question?.call : undefined;
    if (!call?.run) throw new Error("no approval was asked for");
    await command(workspace, text, { as: call.identity, run: call.run });
    const look = () => command(workspace, "cat /tmp/obeyed 2>/dev/null | wc -l");
    expect(await look()).toMatchObject({ output: "0\n" });
    await command(workspace, `bash -c '${text}'`);
    expect(await look()).toMatchObject({ output: "1\n" });
  });
});
