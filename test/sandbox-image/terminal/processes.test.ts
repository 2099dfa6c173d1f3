import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  leavesNoRoom,
  limitNotices,
  readLimitCounters,
} from "../../../sandbox-image/server/processes/limits.ts";
import { runOnce } from "../../../sandbox-image/server/processes/run-once.ts";
import { startFailure } from "../../../sandbox-image/server/processes/supervised.ts";
import { parseStat, readTable } from "../../../sandbox-image/server/processes/table.ts";
import { processorMs } from "../../support/longest-work.ts";
import { ownMs } from "../../support/own-clock.ts";
import { labSettings, running, TerminalLab } from "../../support/terminals.ts";

class Lab implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), "deckhand-once-"));
  readonly settings = labSettings(this.root);

  run(command: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}) {
    const { timeoutMs = 10_000, signal = new AbortController().signal } = options;
    return runOnce(this.settings, command, { cwd: "/usr", timeoutMs, signal });
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

describe("the process table", () => {
  it("6.10 reads names with spaces and parentheses", () => {
    const line = `42 (a) b (c)) S 7 42 41 34816 99 ${"0 ".repeat(11)}3 0 12345 0`;
    expect(parseStat(line)).toEqual({
      pid: 42,
      name: "a) b (c)",
      state: "S",
      ppid: 7,
      group: 42,
      foreground: 99,
      threads: 3,
      started: 12345,
    });
  });

  it("6.10 is read quickly", () => {
    const times = Array.from({ length: 20 }, () => {
      const began = processorMs();
      const count = [...readTable().all()].length;
      return (processorMs() - began) / count;
    });
    expect(Math.min(...times)).toBeLessThan(0.1);
    expect(readTable().ancestry(process.pid).at(-1)).toBe(1);
  });

  it("6.10 counts no zombies", async () => {
    await using lab = new TerminalLab();
    await lab.run("bash -c 'true & exec sleep 3' &");
    const commands = lab.terminals.census().processes.map(({ state }) => state);
    expect(commands).not.toContain("Z");
  });
});

describe("a command without a terminal", () => {
  it("2.23 gives both outputs in order, and the exit code", async () => {
    using lab = new Lab();
    const result = await lab.run("pwd; echo bad >&2; printf '\\e[1mgood\\e[0m\\n'; exit 6");
    expect(result).toMatchObject({ output: "/usr\nbad\ngood\n", exit_code: 6, truncated: false });
  });

  it("2.23 returns when the command itself ends, and tells what goes on", async () => {
    using lab = new Lab();
    const began = ownMs();
    const result = await lab.run("setsid sleep 60.777 & echo started", { timeoutMs: 50_000 });
    expect(ownMs() - began).toBeLessThan(30_000);
    expect(result).toMatchObject({ output: "started\n", exit_code: 0 });
    expect(result.notice).toContain("are still running");
    for (const pid of running("sleep 60.777")) process.kill(pid);
  });

  it("P-S6 leaves nothing after timeout and cancel", async () => {
    using lab = new Lab();
    const command = "echo out; trap '' TERM; (setsid nohup sleep 777.5 &) ; sleep 777.5";
    const late = lab.run(command, { timeoutMs: 3_000 });
    await expect(late).rejects.toMatchObject({ kind: "timeout", details: { output: "out\n" } });
    const stop = new AbortController();
    const cancelled = lab.run(command, { signal: stop.signal });
    cancelled.catch(() => {}); // looked at below
    await expect.poll(() => running("sleep 777.5").length).toBeGreaterThan(0);
    stop.abort();
    await expect(cancelled).rejects.toMatchObject({ details: { cancelled: true } });
    expect(running("sleep 777.5")).toEqual([]);
  });

  it("2.23 bounds its output", async () => {
    using lab = new Lab();
    const result = await lab.run("seq 1 300000");
    expect(result.truncated).toBe(true);
    expect(result.output.length).toBeLessThanOrEqual(60 * 1024);
    expect(result.output).toMatch(/\n300000\n$/);
  });

  it("6.16 says so when it cannot be started", async () => {
    using lab = new Lab();
    const settings = { ...lab.settings, supervise: "/nowhere/supervise" };
    const options = { cwd: "/usr", timeoutMs: 20_000, signal: new AbortController().signal };
    await expect(runOnce(settings, "true", options)).rejects.toThrow("could not be started");
    expect(startFailure(new Error("spawn EAGAIN")).message).toContain("limit");
  });

  it("P-S6 the supervisor passes SIGTERM on and ends with its command's code", () => {
    using lab = new Lab();
    const ready = join(lab.root, "ready");
    const command = `trap "exit 9" TERM; touch ${ready}; sleep 60 & wait`;
    const script = `${lab.settings.supervise} --wait bash -c '${command}' 3>&1 & until [ -e ${ready} ]; do sleep 0.05; done; kill $!; wait $!; echo code $?`;
    const output = execFileSync("bash", ["-c", script], { encoding: "utf8", timeout: 50_000 });
    expect(output).toMatch(/started \d+\nended 9\ncode 9\n/);
  });
});

describe("limits", () => {
  function counters(version: 1 | 2, values: { kills: number; forks: number }): string {
    const root = mkdtempSync(join(tmpdir(), "deckhand-cgroup-"));
    for (const part of ["memory", "pids"]) mkdirSync(join(root, part));
    const place = (part: string) => (version === 1 ? join(root, part) : root);
    const memory = version === 1 ? "memory.oom_control" : "memory.events";
    const most = version === 1 ? "memory.limit_in_bytes" : "memory.max";
    writeFileSync(join(place("memory"), memory), `low 0\noom_kill ${values.kills}\n`);
    writeFileSync(join(place("memory"), most), `${2 * 1024 ** 3}\n`);
    writeFileSync(join(place("pids"), "pids.events"), `max ${values.forks}\n`);
    writeFileSync(join(place("pids"), "pids.max"), "256\n");
    return root;
  }

  const before = { memoryKills: 0, refusedForks: 0 };
  const look = { before, workspaceDir: "/", output: "", hasFailed: true };

  it.each([1, 2] as const)("P-S5 are named by their cgroup counters, version %i", (version) => {
    const root = counters(version, { kills: 1, forks: 0 });
    expect(readLimitCounters(root)).toEqual({ memoryKills: 1, refusedForks: 0 });
    const [memory, ...rest] = limitNotices({ ...look, root });
    expect(memory).toContain(
      "The kernel killed a process: the workspace's memory limit of 2 GB was reached.",
    );
    expect(rest).toEqual([]);
    const forks = counters(version, { kills: 0, forks: 3 });
    for (const hasFailed of [true, false]) {
      const [processes] = limitNotices({ ...look, hasFailed, root: forks });
      expect(processes).toContain("process limit of 256");
    }
    rmSync(root, { recursive: true });
    rmSync(forks, { recursive: true });
  });

  it("P-S5 are known from a shell that could not fork, where the kernel counts nothing", () => {
    const output = "bash: fork: retry: Resource temporarily unavailable\n";
    expect(limitNotices({ ...look, output, root: "/nowhere" })[0]).toContain("process limit");
    expect(limitNotices({ ...look, output, hasFailed: false, root: "/nowhere" })).toEqual([]);
  });

  it.each([1, 2] as const)(
    "P-S5 leave no room where most of it is taken, version %i",
    (version) => {
      const root = counters(version, { kills: 0, forks: 3 });
      const current = join(root, version === 1 ? "pids/pids.current" : "pids.current");
      writeFileSync(current, "200\n");
      expect(leavesNoRoom(before, root)).toBe(true);
      expect(leavesNoRoom({ ...before, refusedForks: 3 }, root)).toBe(false);
      writeFileSync(current, "20\n");
      expect(leavesNoRoom(before, root)).toBe(false);
      rmSync(root, { recursive: true });
    },
  );

  it("P-S5 say nothing where nothing happened or nothing is known", () => {
    expect(readLimitCounters("/nowhere")).toEqual(before);
    expect(limitNotices({ ...look, root: "/nowhere" })).toEqual([]);
  });
});
