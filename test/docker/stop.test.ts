import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OperationResult } from "../../src/contract/tools/operation.ts";
import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/until.ts";

const CONVERSATION = "a thread that is stopped";

/** Ways to run that outlive a careless stop. MARK is a number that names the process from outside. */
const WAYS: Record<string, string> = {
  plain: "sleep MARK",
  "shell background": "sleep MARK & sleep MARK",
  "setsid double fork": "setsid sh -c 'setsid sleep MARK & sleep MARK' & sleep MARK",
  "double fork without environment": "(env -i setsid sleep MARK &) ; sleep MARK",
  nohup: "nohup sleep MARK > /dev/null 2>&1 & sleep MARK",
  "TERM ignored": "bash -c \"trap '' TERM INT HUP; while :; do sleep MARK; done\"",
  "PTY of its own": "script -qc 'sleep MARK' /dev/null",
};

let nextMark = 70_000;
const MOST_TRIES = 3;
/** Of this process's own time, about a minute by the clock. */
const STARTS_WITHIN_MS = 10_000;

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

  const running = async (mark: string) =>
    (await docker("top", container, "-eo", "pid,args"))
      .split("\n")
      .filter((line) => line.includes(mark));

  async function expectNothingLeft(mark: string): Promise<void> {
    const { processes } = await workspace.census();
    expect(processes.filter((one) => one.command.includes(mark))).toEqual([]);
    expect(await running(mark)).toEqual([]);
    expect(await command(workspace, "echo usable")).toMatchObject({
      success: true,
      output: "usable\n",
    });
  }

  const appears = (mark: string) =>
    eventually(
      async () => expect((await running(mark)).length).toBeGreaterThan(0),
      STARTS_WITHIN_MS,
    );

  /** A call that ends by itself would never be seen: its result says why. */
  const appearsIn = (call: Promise<OperationResult>, mark: string) =>
    Promise.race([
      appears(mark),
      call.then((result) => {
        throw new Error(`The call ended before it was stopped: ${JSON.stringify(result)}`);
      }),
    ]);

  /** Begins a call that runs until it is stopped. One that does not get that far is not what this is about: once more then. */
  async function beginUntilItRuns(text: string, mark: string, as?: "root") {
    for (let tries = 1; ; tries += 1) {
      const stop = new AbortController();
      const call = command(workspace, text, { ...(as && { as }), signal: stop.signal });
      try {
        await appearsIn(call, mark);
        return { call, stop };
      } catch (error) {
        stop.abort();
        if (tries === MOST_TRIES) throw error;
        process.stderr.write(`Try ${tries} of ${text} did not run: ${String(error)}\n`);
      }
    }
  }

  describe.each(Object.entries(WAYS))("%s", (_way, script) => {
    const fresh = () => {
      nextMark += 1;
      return { mark: String(nextMark), text: script.replaceAll("MARK", String(nextMark)) };
    };

    it("leaves nothing after a timeout", async () => {
      const { mark, text } = fresh();
      const args = { operation: "run_command", command: text, timeout: 1 };
      const result = await workspace.call({ id: randomUUID(), tool: "terminal_operations", args });
      expect(result).toMatchObject({ success: false, kind: "timeout" });
      await expectNothingLeft(mark);
    });

    it("leaves nothing after a cancel", async () => {
      const { mark, text } = fresh();
      const { call, stop } = await beginUntilItRuns(text, mark);
      await sleep(100);
      stop.abort();
      expect(await call).toMatchObject({ success: false });
      await expectNothingLeft(mark);
    });

    it("leaves nothing of a background command after kill-all", async () => {
      const { mark, text } = fresh();
      await command(workspace, text, { background: true });
      await appears(mark);
      expect((await workspace.killAll()).processes).toEqual([]);
      await expectNothingLeft(mark);
    });

    it("leaves nothing of a root call after a cancel", async () => {
      const { mark, text } = fresh();
      const { call, stop } = await beginUntilItRuns(text, mark, "root");
      await sleep(100);
      stop.abort();
      expect(await call).toMatchObject({ success: false });
      await expectNothingLeft(mark);
    });
  });

  it.each([{ name: "free" }, { name: "root", as: "root" as const }])(
    "1.36 a $name call can be ended by a bot that did not begin it",
    async ({ as }) => {
      nextMark += 1;
      const mark = String(nextMark);
      const id = randomUUID();
      const begun = command(workspace, `sleep ${mark}`, { id, ...(as && { as }) });
      await appearsIn(begun, mark);
      const other = await engine.again();
      const taken = await other.open(CONVERSATION, { fence: 1 });
      expect(await taken.cancel({ id, ...(as && { as }) })).toMatchObject({ success: false });
      await other.close();
      expect(await running(mark)).toEqual([]);
      expect(await begun).toMatchObject({ success: false });
    },
  );

  it("1.36 a call that was ended before it began never runs", async () => {
    const id = randomUUID();
    expect(await workspace.cancel({ id })).toMatchObject({ success: false });
    const result = await command(workspace, "touch /workspace/began", { id });
    expect(result.message).toContain("Stopped before it began");
    expect(await command(workspace, "test -e /workspace/began")).toMatchObject({ exit_code: 1 });
  });
});
