import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { docker, startEngine, type TestEngine } from "../support/engine.ts";
import { call } from "../support/model-server/replies.ts";
import type { ModelServer } from "../support/model-server/server.ts";
import { startModelServer } from "../support/model-server.ts";
import { ownMs } from "../support/own-clock.ts";
import { until } from "../support/until.ts";
import { WholeBot } from "../support/whole-bot.ts";

const STOPPED_WITHIN_MS = 2_000;

describe("a turn whose command runs in a container", () => {
  let engine: TestEngine;
  let model: ModelServer;
  let bot: WholeBot;
  beforeAll(async () => {
    engine = await startEngine();
    model = await startModelServer();
    bot = await WholeBot.start({ env: model.env, workspaces: engine.workspaces });
  });
  afterAll(async () => {
    await bot[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
  });

  it.each(["the word", "the button"])(
    "1.36 ends within two seconds of %s stop, and leaves no process",
    async (way) => {
      const room = await bot.room();
      const command = "sleep 600 & setsid sleep 600 & sleep 600";
      model.script([call("terminal_operations", { operation: "run_command", command })]);
      await room.say("wait for long");
      const sleeping = async () => {
        const container = await engine.containerOf(room.thread);
        if (container === "") return 0;
        const table = await docker("top", container, "-eo", "pid,args");
        return table.split("\n").filter((line) => line.trimEnd().endsWith(" sleep 600")).length;
      };
      await until(async () => (await sleeping()) === 3, "three sleepers", { withinMs: 60_000 });

      const from = ownMs();
      if (way === "the button") await room.press("Stop");
      else await room.say("stop");
      const isFinished = async () => (await room.lines()).includes("turn.finished");
      await until(isFinished, "the end of the turn");
      expect(ownMs() - from).toBeLessThan(STOPPED_WITHIN_MS);

      await room.sees("Stopped by ");
      const workspace = await bot.core.openWorkspace(room.thread);
      const { processes } = await workspace.census();
      expect(processes.filter((one) => one.command.includes("sleep"))).toEqual([]);
      expect(await sleeping()).toBe(0);
      expect(model.requests.filter(({ aborted }) => aborted)).toEqual([]);
    },
  );
});
