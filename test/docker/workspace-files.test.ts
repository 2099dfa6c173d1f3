import { Readable } from "node:stream";
import { extract, type Header, pack } from "tar-stream";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Workspace, WorkspaceCall } from "../../src/contract/workspace/workspace.ts";
import { watchDisk } from "../../src/workspace/disk/disk-watch.ts";
import { Engine } from "../../src/workspace/docker/docker.ts";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";
import { caseCount } from "../support/thorough.ts";
import { eventually, until } from "../support/until.ts";

/** How often the workload gets to put a link where the guard has looked. */
const ATTEMPTS = caseCount({ perChange: 150, all: 300 });

describe("files of a workspace", () => {
  let engine: TestEngine;
  let workspace: Workspace;
  beforeAll(async () => {
    engine = await startEngine();
    workspace = await engine.workspaces.open("files", { fence: 1 });
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  it("15.23 arrive by upload, owned by the workspace's user", async () => {
    await workspace.upload(
      tarOf({ "a.txt": "hello", "deep/b.txt": "x".repeat(300_000) }),
      "uploads",
    );
    const result = await command(
      workspace,
      "cd uploads; cat a.txt; wc -c < deep/b.txt; stat -c %U a.txt",
    );
    expect(result.output).toBe("hello300000\nagent\n");
  });

  it("come back by download", async () => {
    await command(workspace, "cd /workspace; mkdir -p out; printf one > out/1; printf two > out/2");
    const files = await filesIn(await workspace.download("out"));
    expect(files).toMatchObject({ "out/1": "one", "out/2": "two" });
  });

  it("are not unpacked from an archive that reaches outside", async () => {
    const hostile = tarOf({ "../../etc/cron.d/x": "* * * * * root true" });
    await expect(workspace.upload(hostile, "uploads")).rejects.toThrow(
      "outside the target directory",
    );
    await expect(workspace.upload(tarOf({ x: "" }), "/etc")).rejects.toThrow("outside");
  });

  it("cannot be written or read through a link that the workload has planted", async () => {
    await command(
      workspace,
      "cd /workspace; ln -s /etc planted; ln -s /var/lib/deckhand/ledger.a secret",
    );
    await expect(workspace.upload(tarOf({ evil: "x" }), "planted")).rejects.toThrow(
      "Permission denied",
    );
    expect(await docker("exec", await engine.containerOf("files"), "ls", "/etc")).not.toContain(
      "evil",
    );
    await expect(workspace.download("secret/../planted/shadow")).rejects.toThrow(
      "could not be read",
    );
  });

  it("P-S7 are never written where a path leads only since the guard has looked", async () => {
    await command(
      workspace,
      "mkdir -p ~/stolen; cd /workspace; (while :; do mkdir -p swap; rm -rf swap; ln -s ~/stolen swap; rm swap; done) 2> /dev/null &",
    );
    const stolen = async () =>
      String((await command(workspace, "ls ~/stolen | wc -l")).output).trim();
    let round = 0;
    const isLedAstray = async () => {
      round += 1;
      await attempts(workspace, `careless-${round}`, false);
      return (await stolen()) !== "0";
    };
    await until(isLedAstray, "a careless write to be led astray", {
      withinMs: 90_000,
      seen: () => `${round} rounds without one`,
    });
    await command(workspace, "rm -f ~/stolen/*");
    await attempts(workspace, "careful", true);
    expect(await stolen()).toBe("0");
    await command(workspace, "kill %1");
  });

  it("that do not exist give a clear error, and the workspace goes on", async () => {
    await expect(workspace.download("nowhere")).rejects.toThrow(
      "/workspace/nowhere could not be read",
    );
    expect(await command(workspace, "echo on")).toMatchObject({ output: "on\n" });
  });

  it("large ones pass in both directions while calls are answered", async () => {
    const big = "0123456789abcdef".repeat(1024 * 1024);
    const sending = workspace.upload(tarOf({ "big.bin": big }), "big");
    expect(await command(workspace, "echo meanwhile")).toMatchObject({ output: "meanwhile\n" });
    await sending;
    const files = await filesIn(await workspace.download("big/big.bin"));
    expect(files["big.bin"]?.length).toBe(big.length);
  });

  it("P-S5 end at the disk limit with a plain error, and deleting them helps", async () => {
    const full = await command(workspace, "cd /workspace; head -c 200M /dev/zero > fill; echo $?");
    expect(full.output).toContain("No space left on device");
    const { disk } = await workspace.state();
    expect(disk.totalBytes).toBeLessThan(70 * 1024 * 1024);
    const freed = await command(workspace, "rm fill; head -c 10M /dev/zero > fits && echo fits");
    expect(freed.output).toContain("fits");
  });

  it("stay, with the disk limit, when the container is made anew", async () => {
    await command(workspace, "cd /workspace; echo still > here");
    await docker("rm", "--force", await engine.containerOf("files"));
    expect((await command(workspace, "cat /workspace/here")).output).toBe("still\n");
    expect((await workspace.state()).disk.totalBytes).toBeLessThan(70 * 1024 * 1024);
  });
});

describe("the disk watch, where the kernel cannot hold the limit", () => {
  it("P-S5 ends what runs in a workspace over its limit, and says so with the next result", async () => {
    await using engine = await startEngine();
    const workspace = await engine.workspaces.open("watched", { fence: 1 });
    await command(workspace, "head -c 20M /dev/zero > large; sleep 500 &");
    const summary = await engine.containerOf("watched");
    const engineApi = new Engine({
      dockerHost: process.env.DOCKER_HOST ?? "unix:///var/run/docker.sock",
    });
    const live = {
      container: { name: summary },
      link: { isOpen: true },
      tell: vi.fn<(notice: string) => void>(),
      channel: async () => ({ request: () => workspace.killAll() }),
      use: <T>(work: () => Promise<T>) => work(),
      callUnseen: (call: WorkspaceCall) => workspace.call(call),
    };
    await watchDisk(engineApi, live, 100 * 1024 * 1024);
    expect(live.tell).not.toHaveBeenCalled();
    // Limits the files to 30 MB and the state to 161 MB.
    await docker(
      "exec",
      "-u",
      "0",
      summary,
      "sh",
      "-c",
      "head -c 170M /dev/zero > /var/lib/deckhand/fill",
    );
    await watchDisk(engineApi, live, 30 * 1024 * 1024);
    expect(live.tell).toHaveBeenCalledTimes(1);
    await docker("exec", "-u", "0", summary, "rm", "/var/lib/deckhand/fill");
    await watchDisk(engineApi, live, 30 * 1024 * 1024);
    expect(live.tell).toHaveBeenCalledTimes(1);
    await watchDisk(engineApi, live, 10 * 1024 * 1024);
    expect(live.tell).toHaveBeenCalledTimes(2);
    expect(live.tell.mock.calls[0]?.[0]).toContain("disk limit");
    expect((await workspace.census()).processes.map((one) => one.command).join()).not.toContain(
      "sleep",
    );
  });
});

describe("a terminal that somebody follows", () => {
  it("hands on all output in order, at the reader's pace, until the reader leaves", async () => {
    await using engine = await startEngine();
    const workspace = await engine.workspaces.open("followed", { fence: 1 });
    await command(workspace, "true");
    const [terminal] = await workspace.terminals();
    const stop = new AbortController();
    let text = "";
    const following = workspace.follow(terminal?.session_id ?? "", {
      fromIndex: terminal?.end_index ?? 0,
      signal: stop.signal,
      onOutput: async (piece) => {
        text += piece.output;
        await new Promise((resolve) => setTimeout(resolve, 1));
      },
    });
    await command(workspace, "seq 1 20000");
    await eventually(async () => expect(text).toMatch(/\n20000\r?\n/));
    const numbers = text.match(/^\d+\r?$/gm)?.map(Number);
    expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, index) => index + 1));
    stop.abort();
    await following;
  });
});

function tarOf(files: Record<string, string>): NodeJS.ReadableStream {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, content);
  archive.finalize();
  return Readable.from(archive as AsyncIterable<Buffer>);
}

async function filesIn(tar: NodeJS.ReadableStream): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const reader = extract();
  reader.on("entry", (header: Header, stream, next) => {
    const pieces: Buffer[] = [];
    stream.on("data", (piece) => pieces.push(piece as Buffer));
    stream.on("end", () => {
      files[header.name] = Buffer.concat(pieces).toString();
      next();
    });
  });
  const finished = new Promise((resolve, reject) => {
    reader.on("finish", resolve as () => void);
    reader.on("error", reject);
    tar.on("error", reject);
  });
  tar.pipe(reader as unknown as NodeJS.WritableStream);
  await finished;
  return files;
}

/** Creates files in a directory that is swapped for a link all the time, each time after the guard's look. */
async function attempts(workspace: Workspace, name: string, bound: boolean): Promise<void> {
  for (let count = 0; count < ATTEMPTS; count += 1) {
    const filePath = `swap/${name}-${count}`;
    const args = { operation: "create_file", filePath, content: "" };
    const call = { id: filePath, tool: "file_operations", args };
    const paths = await workspace.pathsOf(call);
    if (!paths.every(({ inside }) => inside)) continue;
    const checkedPaths = paths.map(({ resolved }) => resolved);
    await workspace.call(bound ? { ...call, checkedPaths } : call);
  }
}
