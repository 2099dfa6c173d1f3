import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OperationResult } from "../../src/contract/tools/operation.ts";
import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";
import { slowestAnswer } from "../support/slowest-answer.ts";
import { caseCount } from "../support/thorough.ts";
import { eventually } from "../support/until.ts";

const MIB = 1024 * 1024;
/** With every change still more than the bot and the workspace together may hold. */
const FLOOD_MIB = caseCount({ perChange: 384, all: 1024 });

/** Goes on when the kernel has refused it a process. The shell's own words only: nothing else could be started. */
const BOMB = [
  "for file in /sys/fs/cgroup/{,pids/}pids.events; do [ -e $file ] && events=$file; done",
  "read -r _ before < $events",
  "bomb() { bomb | bomb & }",
  "bomb",
  "until read -r _ now < $events; (( now > before )); do :; done",
].join("; ");

describe("P-S5 a workspace at its limits", () => {
  let engine: TestEngine;
  let attacker: Workspace;
  let victim: Workspace;
  beforeAll(async () => {
    const settings = { memoryBytes: 256 * MIB, pids: 64, openFiles: 256, tmpBytes: 32 * MIB };
    engine = await startEngine({ settings });
    attacker = await engine.workspaces.open("attacker", { fence: 1 });
    victim = await engine.workspaces.open("victim", { fence: 1 });
    await command(victim, "echo mine > canary");
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  const run = (text: string, timeout: number) => {
    const args = { operation: "run_command", command: text, timeout };
    return attacker.call({ id: randomUUID(), tool: "terminal_operations", args });
  };

  /** While the attack runs, the other workspace answers, and afterwards this one does. */
  async function underAttack(attack: Promise<OperationResult>): Promise<OperationResult> {
    const slowest = await slowestAnswer(() => victim.census(), attack);
    expect(slowest).toBeLessThan(5_000);
    const result = await attack;
    expect(await command(victim, "cat canary")).toMatchObject({ output: "mine\n" });
    await eventually(async () => {
      expect(await command(attacker, "echo usable")).toMatchObject({
        success: true,
        output: "usable\n",
      });
    });
    return result;
  }

  it("15.2 survives a fork bomb, says why, and does not hurt its neighbour", async () => {
    const result = await underAttack(run(`${BOMB}; (true) | cat`, 4));
    expect(result.notice).toMatch(/process limit of 64/);
    expect((await attacker.killAll()).processes).toEqual([]);
  });

  it("15.2 makes room after a command that succeeded and left a fork bomb behind", async () => {
    const result = await underAttack(run(`${BOMB}; echo survived`, 30));
    expect(result).toMatchObject({ success: true, exit_code: 0 });
    expect(result.output).toContain("survived");
    expect(result.notice).toMatch(/process limit of 64.*left running were stopped/);
    expect(await command(attacker, "seq 3 | cat | wc -l")).toMatchObject({ output: "3\n" });
  });

  it("says that memory ran out when the kernel ended a command for it", async () => {
    const eat = "python3 -c \"x = b'x' * (600 * 1024 * 1024); print(len(x))\"";
    const result = await underAttack(run(eat, 30));
    expect(result).toMatchObject({ success: false, exit_code: 137 });
    expect(result.notice).toMatch(/memory limit/);
  });

  it("fills neither the disk nor /tmp beyond their limits", async () => {
    const result = await underAttack(
      run("dd if=/dev/zero of=big bs=1M count=200; df -m . | tail -1", 60),
    );
    expect(result.output).toMatch(/No space left/);
    await command(attacker, "rm -f big");
    const scratch = await underAttack(run("dd if=/dev/zero of=/tmp/big bs=1M count=200", 60));
    expect(scratch.output).toMatch(/No space left/);
    await command(attacker, "rm -f /tmp/big");
  });

  it("runs out of open files alone", async () => {
    const open = "python3 -c \"fs = [open('/dev/null') for _ in range(10000)]\"";
    expect((await underAttack(run(open, 30))).output).toMatch(/Too many open files/);
  });

  it(`P-I5 takes a flood of ${FLOOD_MIB} MiB in bounded memory`, async () => {
    const flood = `head -c ${FLOOD_MIB}M /dev/zero | tr '\\0' x; echo; echo flood over`;
    const { id } = await command(attacker, flood, { background: true });
    const before = process.memoryUsage().rss;
    const look = () =>
      attacker.call({
        id: randomUUID(),
        tool: "terminal_operations",
        args: { operation: "get_terminal_output", id },
      });
    await eventually(async () => expect(await look()).toMatchObject({ isRunning: false }), 150_000);
    const result = await look();
    expect(result).toMatchObject({ truncated: true, exitCode: 0 });
    expect(String(result.output)).toContain("flood over");
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
    const container = await engine.containerOf("attacker");
    const usage = await docker("stats", "--no-stream", "--format", "{{.MemUsage}}", container);
    expect(Number.parseFloat(usage)).toBeLessThan(150);
  });
});

describe("15.2 a workspace from inside", () => {
  let engine: TestEngine;
  let workspace: Workspace;
  beforeAll(async () => {
    engine = await startEngine();
    workspace = await engine.workspaces.open("inside", { fence: 1 });
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  const output = async (text: string) => String((await command(workspace, text)).output).trimEnd();

  it("has no capability, no way to new privileges, and a seccomp filter", async () => {
    const status = await output(
      "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status | tr -s '\\t ' ' '",
    );
    expect(status.split("\n")).toEqual([
      "CapInh: 0000000000000000",
      "CapPrm: 0000000000000000",
      "CapEff: 0000000000000000",
      "CapBnd: 0000000000000000",
      "CapAmb: 0000000000000000",
      "NoNewPrivs: 1",
      "Seccomp: 2",
    ]);
  });

  it("has no network but its own loopback, and no Docker socket", async () => {
    expect(await output("ls /sys/class/net")).toBe("lo");
    expect(
      await output("ls /var/run/docker.sock /run/docker.sock 2>&1 | grep -c 'No such file'"),
    ).toBe("2");
  });

  it("P-X3 has an environment of listed names only", async () => {
    const names = (await output("env -0 | tr '\\0' '\\n' | sed 's/=.*//' | sort")).split("\n");
    const allowed =
      /^(HOME|USER|LOGNAME|SHELL|PATH|LANG|TERM|PWD|OLDPWD|SHLVL|_|PROMPT_COMMAND|LS_COLORS|NODE_USE_ENV_PROXY|(?:ALL|HTTPS?|NO)_PROXY|(?:all|https?|no)_proxy)$/;
    expect(names.filter((name) => !allowed.test(name))).toEqual([]);
  });

  it("6.3 has an interactive login bash of 24 by 80 as its terminal", async () => {
    const facts = await output(
      "echo $TERM $LANG $0; shopt login_shell; stty size; id -u; locale charmap",
    );
    expect(facts).toMatch(
      /^xterm-256color en_US.UTF-8 \S*bash\nlogin_shell\s+on\n24 80\n1000\nUTF-8$/,
    );
  });

  it("6.8 resizes its live terminal", async () => {
    await workspace.resize("inside", { rows: 40, cols: 120 });
    expect(await output("stty size")).toBe("40 120");
  });

  it("6.10 leaves no process after kill all, as the engine sees it", async () => {
    await command(workspace, "sleep 61000 & (sleep 62000 &)");
    expect((await workspace.killAll()).processes).toEqual([]);
    const table = await docker("top", await engine.containerOf("inside"), "-eo", "pid,args");
    expect(table).not.toMatch(/sleep|bash/);
  });

  it("refuses to write outside its volumes and /tmp, also through a link", async () => {
    for (const path of ["/etc/x", "/opt/x", "/var/tmp/x", "/usr/local/x", "/root/x"]) {
      expect(await output(`ln -sfn ${path} link; echo x > link; echo $?; rm link`)).toMatch(/1$/);
    }
  });
});
