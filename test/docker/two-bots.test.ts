import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Workspace, Workspaces } from "../../src/contract/workspace/workspace.ts";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";

const CONVERSATION = "a thread that two bots hold";
const CALLS = 150;

describe("two bots attached to one workspace", () => {
  let engine: TestEngine;
  let second: Workspaces;
  beforeAll(async () => {
    engine = await startEngine();
    second = await engine.again();
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  const open = (bot: Workspaces, fence: number) => bot.open(CONVERSATION, { fence });

  it("never take each other's replies, however their calls interleave", async () => {
    const bots = [await open(engine.workspaces, 1), await open(second, 1)];
    await command(bots[0] as Workspace, "for i in $(seq 300); do echo file $i > $i; done");
    const read = async (bot: Workspace, index: number) => {
      const args = { operation: "read_file", filePath: String(index) };
      const result = await bot.call({ id: randomUUID(), tool: "file_operations", args });
      expect(result).toMatchObject({ success: true, content: `file ${index}\n` });
    };
    const indices = Array.from({ length: CALLS }, (_, index) => index + 1);
    await Promise.all(
      bots.flatMap((bot, which) => indices.map((index) => read(bot, index + which * CALLS))),
    );
  });

  it("run a call once although both send it", async () => {
    const [first, other] = [await open(engine.workspaces, 1), await open(second, 1)];
    const id = randomUUID();
    const text = "echo once >> once; sleep 0.2; wc -l < once";
    const results = await Promise.all([command(first, text, { id }), command(other, text, { id })]);
    expect(results[0]).toEqual(results[1]);
    expect(results[0]).toMatchObject({ success: true, output: "1\n" });
  });

  it("obey the newer fence: the older bot is refused and changes nothing", async () => {
    const [older, newer] = [await open(engine.workspaces, 1), await open(second, 2)];
    await command(newer, "echo newer > who");
    expect(await command(older, "echo older > who")).toMatchObject({
      success: false,
      kind: "permissionDenied",
      staleFence: true,
    });
    await expect(older.killAll()).rejects.toThrow(/fence/);
    expect(await command(newer, "cat who")).toMatchObject({ output: "newer\n" });
  });

  it("keep the fence when the workspace is restarted", async () => {
    await command(await open(second, 2), "true");
    await docker("restart", "--time", "0", await engine.containerOf(CONVERSATION));
    expect(await command(await open(engine.workspaces, 1), "true")).toMatchObject({
      staleFence: true,
    });
  });
});
