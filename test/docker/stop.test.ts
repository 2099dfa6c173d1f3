import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OperationResult } from "../../src/contract/tools/operation.ts";
import type { Workspace, WorkspaceCall } from "../../src/contract/workspace/workspace.ts";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";
import { until } from "../support/until.ts";

const CONVERSATION = "a thread that is stopped";

/** Ways to run that outlive a careless stop, and how many processes sleep then. MARK is a number that names them from outside. */
const WAYS: Readonly<Record<string, { readonly script: string; readonly sleepers: number }>> = {
  plain: { script: "sleep MARK", sleepers: 1 },
  "shell background": { script: "sleep MARK & sleep MARK", sleepers: 2 },
  "setsid double fork": {
    script: "setsid sh -c 'setsid sleep MARK & sleep MARK' & sleep MARK",
    sleepers: 3,
  },
  "double fork without environment": {
    script: "(env -i setsid sleep MARK &) ; sleep MARK",
    sleepers: 2,
  },
  nohup: { script: "nohup sleep MARK > /dev/null 2>&1 & sleep MARK", sleepers: 2 },
  "TERM ignored": {
    script: "bash -c \"trap '' TERM INT HUP; while :; do sleep MARK; done\"",
    sleepers: 1,
  },
  "PTY of its own": { script: "script -qc 'sleep MARK' /dev/null", sleepers: 1 },
};

/** One way to run, about to run. */
interface Attempt {
  readonly way: string;
  readonly mark: string;
  readonly text: string;
  readonly sleepers: number;
}

let nextMark = 70_000;

function attempt(way: string): Attempt {
  nextMark += 1;
  const mark = String(nextMark);
  const { script, sleepers } = WAYS[way] ?? { script: "sleep MARK", sleepers: 1 };
  return { way, mark, text: script.replaceAll("MARK", mark), sleepers };
}

const attempts = () => Object.keys(WAYS).map(attempt);
const APPROVED = [
  // The kernel keeps root from all terminals: root cannot open one of its own.
  ...Object.keys(WAYS)
    .filter((way) => way !== "PTY of its own")
    .map((way) => ({ way, as: "root" as const })),
  ...["setsid double fork", "PTY of its own"].map((way) => ({ way, as: "agent" as const })),
];

describe("stopping, confirmed from outside the container", () => {
  let engine: TestEngine;
  let workspace: Workspace;
  let container: string;
  beforeAll(async () => {
    engine = await startEngine();
    workspace = await engine.workspaces.open(CONVERSATION, { fence: 1 });
    await command(workspace, "true");
    container = await engine.containerOf(CONVERSATION);
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  /** The command lines in the container that name one of these. */
  async function running(all: readonly Attempt[]): Promise<string[]> {
    const table = await docker("top", container, "-eo", "pid,args");
    const lines = table.split("\n").map((line) => line.trim().replace(/^\d+\s+/, ""));
    return lines.filter((line) => all.some(({ mark }) => line.includes(mark)));
  }

  /** All their processes run, those too that leave their parent. A call that ends instead says why. */
  async function allRun(
    all: readonly Attempt[],
    calls: readonly Promise<OperationResult>[] = [],
  ): Promise<void> {
    let seen: string[] = [];
    const everySleeper = until(
      async () => {
        seen = await running(all);
        return all.every(
          ({ mark, sleepers }) =>
            seen.filter((line) => line === `sleep ${mark}`).length === sleepers,
        );
      },
      "all processes of all attempts",
      { seen: () => ({ wanted: all, seen }) },
    );
    const ends = calls.map(async (call, index) => {
      const result = JSON.stringify(await call);
      throw new Error(`${all[index]?.way}: the call ended before it was stopped: ${result}`);
    });
    await Promise.race([everySleeper, ...ends]);
  }

  async function expectNothingLeft(all: readonly Attempt[]): Promise<void> {
    const { processes } = await workspace.census();
    const ours = processes.filter((one) => all.some(({ mark }) => one.command.includes(mark)));
    expect(ours).toEqual([]);
    expect(await running(all)).toEqual([]);
    expect(await command(workspace, "echo usable")).toMatchObject({
      success: true,
      output: "usable\n",
    });
  }

  /** Each in a terminal of its own, so that they run at the same time. */
  const inTerminal = ({ way, text }: Attempt, more: object = {}): WorkspaceCall => ({
    id: randomUUID(),
    tool: "terminal_operations",
    args: { operation: "run_command", command: text, ...more },
    terminal: { name: way.replaceAll(" ", "-"), directory: "." },
  });

  async function expectUsable(all: readonly Attempt[]): Promise<void> {
    const again = all.map((one) => workspace.call(inTerminal({ ...one, text: "echo usable" })));
    for (const result of await Promise.all(again))
      expect(result).toMatchObject({ success: true, output: "usable\n" });
  }

  it("leaves nothing after a timeout, whatever way the command runs", async () => {
    const all = attempts();
    const calls = all.map((one) => workspace.call(inTerminal(one, { timeout: 1 })));
    for (const [index, result] of (await Promise.all(calls)).entries())
      expect({ way: all[index]?.way, ...result }).toMatchObject({
        success: false,
        kind: "timeout",
      });
    await expectNothingLeft(all);
    await expectUsable(all);
  });

  it("leaves nothing after a cancel, whatever way the command runs", async () => {
    const all = attempts();
    const stop = new AbortController();
    const calls = all.map((one) => workspace.call(inTerminal(one), { signal: stop.signal }));
    await allRun(all, calls);
    stop.abort();
    for (const result of await Promise.all(calls))
      expect(result).toMatchObject({ success: false, cancelled: true });
    await expectNothingLeft(all);
    await expectUsable(all);
  });

  it("leaves nothing of background commands after kill-all, whatever way they run", async () => {
    const all = attempts();
    await Promise.all(all.map(({ text }) => command(workspace, text, { background: true })));
    await allRun(all);
    expect((await workspace.killAll()).processes).toEqual([]);
    await expectNothingLeft(all);
  });

  it("leaves nothing of approved calls after a cancel, whatever way they run", async () => {
    const all = APPROVED.map(({ way, as }) => ({ ...attempt(way), as }));
    const stop = new AbortController();
    const calls = all.map(({ text, as }) => command(workspace, text, { as, signal: stop.signal }));
    await allRun(all, calls);
    stop.abort();
    for (const result of await Promise.all(calls))
      expect(result).toMatchObject({ success: false, cancelled: true });
    await expectNothingLeft(all);
  });

  it.each([{ name: "free" }, { name: "root", as: "root" as const }])(
    "1.36 a $name call can be ended by a bot that did not begin it",
    async ({ as }) => {
      const one = attempt("plain");
      const id = randomUUID();
      const begun = command(workspace, one.text, { id, ...(as && { as }) });
      await allRun([one], [begun]);
      const other = await engine.again();
      const taken = await other.open(CONVERSATION, { fence: 1 });
      expect(await taken.cancel({ id, ...(as && { as }) })).toMatchObject({ success: false });
      await other.close();
      expect(await running([one])).toEqual([]);
      expect(await begun).toMatchObject({ success: false });
    },
  );

  it("1.36 a call that was ended before it began never runs", async () => {
    const id = randomUUID();
    expect(await workspace.cancel({ id })).toMatchObject({ success: false });
    const result = await command(workspace, "touch /workspace/began", { id });
    expect(result.message).toContain("Stopped before it started");
    expect(await command(workspace, "test -e /workspace/began")).toMatchObject({ exit_code: 1 });
  });
});
