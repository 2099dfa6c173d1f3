import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordedOutput } from "../../src/contract/workspace/recorded-terminal.ts";
import type { Workspace, Workspaces } from "../../src/contract/workspace/workspace.ts";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/until.ts";

const fence = 1;
const SECRET = "correct-horse-battery";

describe("the terminal history of a workspace that sleeps", () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startEngine({
      sweepEveryMs: 100,
      redact: (text) => text.replaceAll(SECRET, "[masked]"),
    });
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  const stateOf = async (workspaces: Workspaces, conversation: string) =>
    (await workspaces.list()).find((one) => one.conversation === conversation)?.state;
  const shownIn = async (workspaces: Workspaces, conversation: string, session = conversation) =>
    recordedOutput(
      (await workspaces.recordedTerminals(conversation)).find(
        ({ session_id }) => session_id === session,
      ),
    );

  /** Each way that a workspace comes to rest, beginning after a command in it has ended. */
  const ways: Record<string, (workspaces: Workspaces, conversation: string) => Promise<void>> = {
    "is idle for long": async (_workspaces, conversation) => {
      const sleepy = await engine.again({ settings: { idleStopMs: 1 } });
      await eventually(async () => expect(await stateOf(sleepy, conversation)).toBe("stopped"));
      await sleepy.close();
    },
    "makes room for another one": async (_workspaces, conversation) => {
      const full = await engine.again({ settings: { cap: 1 } });
      await command(await full.open(conversation, { fence }), "true");
      await full.open(`${conversation}/other`, { fence });
      expect(await stateOf(full, conversation)).toBe("stopped");
      await full.reset(`${conversation}/other`);
      await full.close();
    },
    "stops with its host while the bot is away": async (workspaces, conversation) => {
      const container = await engine.containerOf(conversation);
      await workspaces.close();
      await docker("stop", "--time", "0", container);
    },
    "is lost with its container": async (workspaces, conversation) => {
      const shown = async () => expect(await shownIn(workspaces, conversation)).toContain("two");
      await eventually(shown);
      await docker("rm", "--force", await engine.containerOf(conversation));
    },
  };

  it.each(Object.keys(ways))("stays readable without waking it when it %s", async (way) => {
    const conversation = `t/${way}`;
    const workspaces = await engine.again();
    const workspace = await workspaces.open(conversation, { fence });
    await command(workspace, `echo o''ne; echo ${SECRET}`);
    await command(workspace, "echo t''wo");
    await ways[way]?.(workspaces, conversation);
    await workspaces.close();
    const next = await engine.again();
    const shown = await shownIn(next, conversation);
    expect(shown).toMatch(/one[\s\S]*\[masked\][\s\S]*two/);
    expect(shown).not.toContain(SECRET);
    expect(await stateOf(next, conversation)).not.toBe("running");
    await next.reset(conversation);
    expect(await next.recordedTerminals(conversation)).toEqual([]);
    await next.close();
  });

  it("goes on in the next shell, has terminals of subagents, and keeps the newest of much output", async () => {
    const conversation = "t/goes-on";
    const sleepy = await engine.again({ settings: { idleStopMs: 1 } });
    const sleeps = () =>
      eventually(async () => expect(await stateOf(sleepy, conversation)).toBe("stopped"));
    const workspace = await sleepy.open(conversation, { fence });
    await command(workspace, "echo fi''rst");
    await inTerminal(workspace, "subagent-1", "echo ch''ild");
    await sleeps();
    await command(workspace, "echo sec''ond");
    await sleeps();
    expect(await shownIn(sleepy, conversation)).toMatch(/first[\s\S]*second/);
    expect(await shownIn(sleepy, conversation, "subagent-1")).toContain("child");
    await command(workspace, "seq 100000; echo en''d");
    await sleeps();
    const shown = await shownIn(sleepy, conversation);
    expect(shown).toContain("99999");
    expect(shown).toContain("end");
    expect(shown).not.toContain("first");
    const kept = (await sleepy.recordedTerminals(conversation)).flatMap(({ shells }) => shells);
    expect(kept.map(({ output }) => output).join("").length).toBeLessThanOrEqual(2 * 200_000);
    await sleepy.close();
  });
});

function inTerminal(workspace: Workspace, name: string, text: string) {
  return workspace.call({
    id: randomUUID(),
    tool: "terminal_operations",
    args: { operation: "run_command", command: text },
    terminal: { name, directory: "." },
  });
}
