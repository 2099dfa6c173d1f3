import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/until.ts";

const SWEEP = { sweepEveryMs: 200 };
const fence = 1;

describe("a thread's workspace", () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startEngine();
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  it("15.2 is made on first use, hardened, and two threads have two of them", async () => {
    const [one, two] = await Promise.all(
      ["t/1", "t/2"].map((thread) => engine.workspaces.open(thread, { fence })),
    );
    if (!one || !two) throw new Error("no workspaces");
    await command(one, "echo mine > file");
    expect((await command(two, "ls")).output).toBe("");
    const status = await command(
      one,
      "id -u; grep -E 'CapEff|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status",
    );
    expect(status.output).toMatch(/^1000\n/);
    expect(status.output).toMatch(/CapBnd:\t0{16}\nNoNewPrivs:\t1\nSeccomp:\t2/);
    expect((await command(one, "ls /sys/class/net")).output?.toString().trim()).toBe("lo");
    expect((await command(one, "touch /etc/x; ls /var/run/docker.sock")).exit_code).not.toBe(0);
  });

  it("15.2 is found by its conversation: the name has the conversation's key, the labels the bot and the workspace", async () => {
    const workspace = await engine.workspaces.open("t/labelled", { fence });
    const key = createHash("sha256").update("t/labelled").digest("hex").slice(0, 40);
    const format = "{{.Name}} {{json .Config.Labels}}";
    const container = await engine.containerOf("t/labelled");
    const [name = "", labels = ""] = (await docker("inspect", "--format", format, container)).split(
      " ",
    );
    expect(name).toMatch(new RegExp(`^/deckhand-[\\w]+-${key}$`));
    const instance = name.slice("/deckhand-".length, -key.length - 1);
    expect(JSON.parse(labels)).toMatchObject({
      "deckhand.instance": instance,
      "deckhand.workspace": workspace.id,
    });
  });

  it("is started once for all who open it at the same time", async () => {
    const before = (await engine.containers()).length;
    const opened = await Promise.all(
      Array.from({ length: 5 }, () => engine.workspaces.open("shared", { fence })),
    );
    expect(new Set(opened.map((one) => one.id)).size).toBe(1);
    expect(await engine.containers()).toHaveLength(before + 1);
  });

  it("6.15 comes back with its files and says so when its container was removed", async () => {
    const workspace = await engine.workspaces.open("lost", { fence });
    await command(workspace, "echo kept > file; export GONE=1");
    await docker("rm", "--force", await engine.containerOf("lost"));
    const result = await command(workspace, 'cat file; echo "[$GONE]"');
    expect(result).toMatchObject({ success: true, output: "kept\n[]\n" });
    expect(result.notice).toContain("created again");
    expect(await command(workspace, "true")).not.toHaveProperty("notice");
  });

  it("6.15 answers a call whose container is removed under it with an unknown outcome", async () => {
    const workspace = await engine.workspaces.open("pulled", { fence });
    const running = command(workspace, "echo ran >> count; sleep 300", { id: "pulled-1" });
    const container = await engine.containerOf("pulled");
    await eventually(async () => {
      await docker("exec", container, "test", "-s", "/workspace/count");
    });
    await docker("rm", "--force", container);
    expect(await running).toMatchObject({ success: false, outcome: "unknown" });
    const again = await command(workspace, "echo ran >> count; sleep 300", { id: "pulled-1" });
    expect(again).toMatchObject({ success: false, outcome: "unknown" });
    expect((await command(workspace, "wc -l < count")).output).toBe("1\n");
  });

  it("works again in the next call after its server was killed from inside", async () => {
    const workspace = await engine.workspaces.open("shared", { fence });
    const killed = await command(workspace, "pkill -KILL -f worker.blob; sleep 5");
    expect(killed).toMatchObject({ success: false, outcome: "unknown" });
    expect(await command(workspace, "echo alive")).toMatchObject({
      success: true,
      output: "alive\n",
    });
  });

  it("is removed with every file by a reset, and the next one is new", async () => {
    const workspace = await engine.workspaces.open("reset", { fence });
    await command(workspace, "echo old > file");
    const volumes = await engine.volumes();
    await engine.workspaces.reset("reset");
    expect(await engine.volumes()).toHaveLength(volumes.length - 3);
    expect((await engine.workspaces.list()).map((one) => one.conversation)).not.toContain("reset");
    const next = await engine.workspaces.open("reset", { fence });
    expect(next.id).not.toBe(workspace.id);
    expect((await command(next, "ls")).output).toBe("");
  });

  it("answers a call that is under way when the workspace is reset", async () => {
    const workspace = await engine.workspaces.open("reset-under-way", { fence });
    const running = command(workspace, "sleep 60");
    await eventually(async () => expect((await workspace.state()).runningCalls).toHaveLength(1));
    await engine.workspaces.reset("reset-under-way");
    expect(await running).toMatchObject({
      success: false,
      message: expect.stringContaining("reset"),
    });
  });

  it("proves that a cancelled call has ended", async () => {
    const workspace = await engine.workspaces.open("shared", { fence });
    const stop = new AbortController();
    const running = command(workspace, "sleep 987", { signal: stop.signal });
    await eventually(async () => expect((await workspace.state()).runningCalls).toHaveLength(1));
    stop.abort();
    expect(await running).toMatchObject({ success: false });
    expect(await docker("top", await engine.containerOf("shared"))).not.toContain("sleep 987");
  });

  it("runs an approved call as root in a server of its own, and notes it in the terminal", async () => {
    const workspace = await engine.workspaces.open("shared", { fence });
    const result = await command(workspace, "id -u; echo x > /etc/approved", {
      as: "root",
      id: "r1",
    });
    expect(result).toMatchObject({ success: true, output: "0\n" });
    expect(await command(workspace, "cat /etc/approved; id -u")).toMatchObject({
      output: "x\n1000\n",
    });
    const repeated = await command(workspace, "id -u; echo x > /etc/approved", {
      as: "root",
      id: "r1",
    });
    expect(repeated).toMatchObject({ success: true, output: "0\n" });
    expect((await command(workspace, "rm -f /etc/approved")).exit_code).not.toBe(0);
    const args = { operation: "get_history", session_id: "shared" };
    const history = await workspace.call({ id: "h1", tool: "terminal_operations", args });
    expect(JSON.stringify(history).split("[root] # id -u; echo x")).toHaveLength(2);
  });

  it("P-S7 refuses a path that was approved for root when a link has been put into it since", async () => {
    const workspace = await engine.workspaces.open("shared", { fence });
    await command(workspace, "mkdir d");
    const write = (filePath: string) =>
      workspace.call({
        id: randomUUID(),
        tool: "file_operations",
        args: { operation: "create_file", filePath, content: "by root" },
        as: "root",
      });
    const [approved] = await workspace.pathsOf({
      id: "asked",
      tool: "file_operations",
      args: { operation: "create_file", filePath: "d/f", content: "" },
    });
    expect(approved).toMatchObject({ resolved: "/workspace/d/f", inside: true, access: "write" });
    await command(workspace, "rmdir d && ln -s /etc d");
    expect(await write("/workspace/d/f")).toMatchObject({
      success: false,
      kind: "permissionDenied",
    });
    expect(await command(workspace, "ls /etc/f")).toMatchObject({ success: false });
    expect(await write("/etc/by-root")).toMatchObject({ success: true });
    expect(await command(workspace, "cat /etc/by-root")).toMatchObject({ output: "by root" });
  });

  it("refuses whoever holds an older fence", async () => {
    const newer = await engine.workspaces.open("shared", { fence: 7 });
    const older = await engine.workspaces.open("shared", { fence: 6 });
    expect(await command(newer, "echo new")).toMatchObject({ success: true });
    expect(await command(older, "echo old")).toMatchObject({
      success: false,
      kind: "permissionDenied",
    });
  });
});

describe("a setting that the engine cannot fulfil", () => {
  it("P-S12 is an error, and no workspace is started with another runtime", async () => {
    await using engine = await startEngine({ settings: { runtime: "no-such-runtime" } });
    await expect(engine.workspaces.open("thread", { fence })).rejects.toThrow("no-such-runtime");
    expect(await engine.containers()).toEqual([]);
  });

  it("names the missing image and how to build it", async () => {
    await using engine = await startEngine({ settings: { image: "no-such-image" } });
    await expect(engine.workspaces.open("thread", { fence })).rejects.toThrow("npm run image");
  });
});

describe("an idle workspace", () => {
  it("6.14 is stopped after its time, and woken by the next call with its files", async () => {
    await using engine = await startEngine({ settings: { idleStopMs: 500 }, ...SWEEP });
    const workspace = await engine.workspaces.open("idle", { fence });
    await command(workspace, "echo kept > file");
    await eventually(async () =>
      expect(await engine.workspaces.list()).toMatchObject([{ state: "stopped" }]),
    );
    const woken = await command(workspace, "cat file");
    expect(woken).toMatchObject({ success: true, output: "kept\n" });
    expect(woken.notice).toContain("was restarted");
  });

  it("6.14 is not stopped while a background command runs in it", async () => {
    await using engine = await startEngine({ settings: { idleStopMs: 300 }, ...SWEEP });
    const workspace = await engine.workspaces.open("background", { fence });
    await command(workspace, "sleep 300", { background: true });
    // Its neighbour is idle for a shorter time: once it is stopped, this one would have been.
    await engine.workspaces.open("neighbour", { fence });
    const states = async () =>
      Object.fromEntries(
        (await engine.workspaces.list()).map((one) => [one.conversation, one.state]),
      );
    await eventually(async () => expect((await states()).neighbour).toBe("stopped"));
    expect((await states()).background).toBe("running");
  });

  it("is removed after its retention unless somebody keeps it", async () => {
    const settings = { idleStopMs: 200, retentionMs: 6_000 };
    await using engine = await startEngine({ settings, sweepEveryMs: 100 });
    for (const thread of ["old", "kept"]) await engine.workspaces.open(thread, { fence });
    await engine.workspaces.keep("kept", true);
    await eventually(async () => {
      const names = (await engine.workspaces.list()).map((one) => one.conversation);
      expect(names).toEqual(["kept"]);
    });
    await eventually(async () => expect(await engine.volumes()).toHaveLength(3));
  });
});

describe("the cap on live workspaces", () => {
  it("holds when one is wanted again just while it is being stopped for another", async () => {
    await using engine = await startEngine({ settings: { cap: 1 }, sweepEveryMs: 200 });
    const { workspaces } = engine;
    const first = await workspaces.open("first", { fence: 1 });
    await command(first, "true");
    const second = workspaces.open("second", { fence: 1 });
    const again = command(first, "echo again");
    await command(await second, "true");
    expect((await again).output).toBe("again\n");
    const running = (await workspaces.list()).filter(({ state }) => state === "running");
    expect(running).toHaveLength(1);
  });

  it("stops the idle one that was used longest ago, and wakes it again on use", async () => {
    await using engine = await startEngine({ settings: { cap: 2 } });
    const one = await engine.workspaces.open("1", { fence });
    await engine.workspaces.open("2", { fence });
    await command(one, "echo kept > file");
    await engine.workspaces.open("3", { fence });
    const states = Object.fromEntries(
      (await engine.workspaces.list()).map((each) => [each.conversation, each.state]),
    );
    expect(states).toEqual({ 1: "running", 2: "stopped", 3: "running" });
    expect((await command(one, "cat file")).output).toBe("kept\n");
  });

  it("makes the next one wait in a visible place while all are busy", async () => {
    await using engine = await startEngine({ settings: { cap: 1 } });
    const one = await engine.workspaces.open("1", { fence });
    const busy = command(one, "until [ -e enough ]; do sleep 0.1; done");
    const places: number[] = [];
    const two = engine.workspaces.open("2", { fence, onQueued: ({ place }) => places.push(place) });
    await eventually(async () => expect(places).toEqual([1]));
    const stop = new AbortController();
    const left = engine.workspaces.open("3", { fence, signal: stop.signal });
    stop.abort(new Error("no longer needed"));
    await expect(left).rejects.toThrow("no longer needed");
    await docker("exec", await engine.containerOf("1"), "touch", "/workspace/enough");
    expect(await busy).toMatchObject({ success: true });
    expect(await command(await two, "echo here")).toMatchObject({ output: "here\n" });
  });
});
