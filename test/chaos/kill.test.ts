import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OperationResult } from "../../src/contract/tools/operation.ts";
import type {
  Workspace,
  WorkspaceCall,
  Workspaces,
} from "../../src/contract/workspace/workspace.ts";
import { command, startEngine, type TestEngine } from "../support/engine.ts";
import { coverOf } from "../support/thorough.ts";
import { liveAndDie } from "./doomed.ts";

const CONVERSATION = "a thread that outlives its bots";
const FENCE = 1;

type MakeCall = (id: string) => WorkspaceCall;

/** A call with an identity is an approved one, and runs in a server of its own. */
const terminal = (id: string, args: Record<string, unknown>, as?: "root"): WorkspaceCall => ({
  id,
  tool: "terminal_operations",
  args,
  ...(as === undefined ? {} : { as }),
});
const ORACLE = "/workspace/oracle";
/** Root reaches no file of the workload. */
const ORACLE_OF_ROOT = "/srv/oracle";
const note = (id: string, file = ORACLE) => `echo ${id} >> ${file}`;
const run = (id: string, then: string) =>
  terminal(id, { operation: "run_command", command: `${note(id)}; ${then}` });
const asRoot = (id: string, then: string) =>
  terminal(
    id,
    { operation: "run_command", command: `${note(id, ORACLE_OF_ROOT)}; ${then}` },
    "root",
  );

/** Each leaves one line in the oracle file when it runs. */
const CALLS: Record<string, MakeCall> = {
  quick: (id) => run(id, "echo done"),
  slow: (id) => run(id, "sleep 0.4; echo done"),
  background: (id) =>
    terminal(id, { operation: "run_command", command: note(id), isBackground: true }),
  typed: (id) =>
    terminal(id, { operation: "send_input", session_id: CONVERSATION, input: `${note(id)}\r` }),
  root: (id) => asRoot(id, "sleep 0.2; id -u; echo done"),
};

const around = (call: string, points: readonly string[], delays: readonly number[]) =>
  points.flatMap((killAt) => delays.map((delayMs) => ({ call, killAt, delayMs })));

const POINTS = [
  ...around("quick", ["before-send", "sent", "before-result"], [0, 0]),
  ...around("quick", ["sent"], [1, 2, 3, 5, 8, 13]),
  ...around("slow", ["before-send", "sent", "before-result"], [0, 0]),
  ...around("slow", ["sent"], [1, 5, 20, 50, 100, 200, 300, 390, 400, 410, 420, 450]),
  ...around("background", ["before-send", "sent", "before-result"], [0, 0]),
  ...around("background", ["sent"], [1, 3, 10]),
  ...around("typed", ["before-send", "sent", "before-result"], [0]),
  ...around("typed", ["sent"], [2, 100, 400]),
  ...around(
    "root",
    ["root-before-exec", "root-started", "root-before-send", "root-sent", "root-before-result"],
    [0],
  ),
  ...around("root", ["root-started", "root-sent"], [20, 60, 120, 200, 260, 320]),
];

/** With every change each call at each point: at once and some time after it. */
const TRIED = coverOf(POINTS, ({ call, killAt, delayMs }) => [
  `${call} ${killAt} ${delayMs === 0 ? "at once" : "later"}`,
  // What a slow call is about lies in the middle of it and at its end.
  ...(call === "slow" && delayMs >= 200 ? [`slow, after ${Math.ceil(delayMs / 200)}`] : []),
]);

describe(`kill -9 of the bot at ${TRIED.length} points around calls`, () => {
  let engine: TestEngine;
  let bot: Workspaces;
  let shellPid: number;
  let watcher: OperationResult;

  beforeAll(async () => {
    engine = await startEngine();
    bot = engine.workspaces;
    const workspace = await bot.open(CONVERSATION, { fence: FENCE });
    await command(workspace, "export KEPT=yes");
    watcher = await command(workspace, "sleep 98765", { background: true });
    shellPid = (await workspace.terminals())[0]?.pid ?? 0;
    expect(shellPid).toBeGreaterThan(0);
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  it("has at least 60 points", () => expect(POINTS.length).toBeGreaterThanOrEqual(60));

  it.each(TRIED)(
    "$call, killed $delayMs ms after $killAt: ran once, result adopted, terminal alive",
    async (point) => {
      const call = (CALLS[point.call] as MakeCall)(`${point.call}-${randomUUID()}`);
      await bot.close();
      const { dataDir } = engine;
      await liveAndDie({ ...point, call, dataDir, conversation: CONVERSATION, fence: FENCE });

      bot = await engine.again();
      const workspace = await bot.open(CONVERSATION, { fence: FENCE });
      const result = await workspace.call(call);
      expect(result).toMatchObject({ success: true });
      if ("output" in result && point.call !== "typed") expect(result.output).toContain("done");
      await expect.poll(() => timesInOracle(workspace, call)).toBe(1);
      expect(await workspace.call(call)).toEqual(result);
      expect(await timesInOracle(workspace, call)).toBe(1);
      await expectStillThere(workspace);
      expect(await command(workspace, "echo $KEPT")).toMatchObject({ output: "yes\n" });
    },
  );

  async function expectStillThere(workspace: Workspace): Promise<void> {
    const [open] = await workspace.terminals();
    expect(open).toMatchObject({ pid: shellPid });
    const { processes } = await workspace.census();
    expect(processes.map((one) => one.pid)).toContain(watcher.pid);
  }
});

async function timesInOracle(workspace: Workspace, { id, as }: WorkspaceCall): Promise<number> {
  const filePath = as === "root" ? ORACLE_OF_ROOT : ORACLE;
  const { content = "" } = await workspace.call({
    id: randomUUID(),
    tool: "file_operations",
    args: { operation: "read_file", filePath },
  });
  return String(content)
    .split("\n")
    .filter((line) => line === id).length;
}
