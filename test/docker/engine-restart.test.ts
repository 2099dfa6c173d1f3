import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";
import { IMAGE } from "../support/run-in-image.ts";
import { eventually } from "../support/until.ts";

const run = promisify(execFile);

/** Large parts of the image that its server and a shell do without: three quarters of what an engine has to load. */
const LEFT_OUT = [
  "usr/lib/gcc",
  "usr/lib/git-core",
  "usr/lib/python3*",
  "usr/lib/x86_64-linux-gnu/perl*",
  "usr/lib/x86_64-linux-gnu/*.a",
  "usr/lib/x86_64-linux-gnu/lib*san.so*",
  "usr/bin/x86_64-linux-gnu-*",
  "usr/include",
  "usr/local/bin/node",
  "usr/local/lib",
  "usr/share",
];

/** An engine of the test's own: the machine's may be serving somebody. */
class OwnEngine {
  readonly dir = mkdtempSync(join(tmpdir(), "deckhand-dockerd-"));
  readonly host = `unix://${this.dir}/docker.sock`;
  #process: ChildProcess | undefined;

  async start(): Promise<void> {
    const places = { "data-root": "data", "exec-root": "exec", pidfile: "pid" };
    const args = Object.entries(places).map(([flag, name]) => `--${flag}=${join(this.dir, name)}`);
    // In a network of its own: an engine without a bridge would take the machine's docker0 away.
    this.#process = spawn(
      "unshare",
      ["--net", "dockerd", ...args, `--host=${this.host}`, "--bridge=none"],
      {
        stdio: "ignore",
      },
    );
    await eventually(async () => void (await this.docker("version")), 60_000);
  }

  async stop(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const ended = this.#process && once(this.#process, "exit");
    this.#process?.kill(signal);
    await ended;
  }

  async docker(...args: string[]): Promise<string> {
    return (await run("docker", ["--host", this.host, ...args])).stdout.trim();
  }

  /** Of all containers. */
  async processes(): Promise<string> {
    const ids = (await this.docker("ps", "--quiet")).split("\n");
    return (await Promise.all(ids.map((id) => this.docker("top", id)))).join("\n");
  }

  /** What the test needs of the sandbox image, as one layer. */
  async loadImage(): Promise<void> {
    const { Cmd, WorkingDir, Env } = JSON.parse(
      await docker("image", "inspect", "--format", "{{json .Config}}", IMAGE),
    );
    const config = [
      `CMD ${JSON.stringify(Cmd)}`,
      `WORKDIR ${WorkingDir}`,
      ...Env.map((line: string) => `ENV ${line}`),
    ].flatMap((line) => ["--change", line]);
    // By a file: the engine would hand a stream of this size from one program to the next frame by frame.
    const tar = ["tar", "--create", "--one-file-system", "--directory=/", "--file=/out/image.tar"];
    const place = ["--user", "0", "--network", "none", "--volume", `${this.dir}:/out`];
    const excluded = LEFT_OUT.map((path) => `--exclude=./${path}`);
    await docker("run", "--rm", ...place, IMAGE, ...tar, ...excluded, "--exclude=./out", ".");
    await this.docker("import", ...config, join(this.dir, "image.tar"), IMAGE);
  }

  async dispose(): Promise<void> {
    await this.stop("SIGTERM");
    rmSync(this.dir, { recursive: true, force: true });
  }
}

describe("a Docker engine that is restarted", () => {
  const own = new OwnEngine();
  let engine: TestEngine;
  beforeAll(async () => {
    await own.start();
    await own.loadImage();
    engine = await startEngine({ settings: { dockerHost: own.host } });
  });
  afterAll(async () => {
    for (const { conversation } of await engine.workspaces.list())
      await engine.workspaces.reset(conversation);
    await engine[Symbol.asyncDispose]();
    await own.dispose();
  });

  it("gives one sentence while it is away, and then the next call works with the files kept", async () => {
    const workspace = await engine.workspaces.open("patient", { fence: 1 });
    await command(workspace, "echo kept > file");
    const cut = command(workspace, "sleep 300");
    // What has not begun when the engine goes away begins when it is back.
    await eventually(async () => expect(await own.processes()).toContain("sleep 300"));
    await own.stop("SIGTERM");
    await own.start();
    expect(await cut).toMatchObject({ success: false, outcome: "unknown" });
    const next = await command(workspace, "cat file");
    expect(next).toMatchObject({ success: true, output: "kept\n" });
  });

  it("says how to look into it when it stays away", async () => {
    const workspace = await engine.workspaces.open("patient", { fence: 1 });
    await own.stop("SIGTERM");
    await expect(command(workspace, "true")).rejects.toThrow(/Docker.*doctor/s);
    await own.start();
    expect(await command(workspace, "cat file")).toMatchObject({ success: true, output: "kept\n" });
  });
});
