import { describe, expect, it } from "vitest";
import type { Adapter } from "../../src/contract/adapter.ts";
import { until } from "../contracts/adapter/rig.ts";
import { call, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";

const run = (command: string) => call("terminal_operations", { operation: "run_command", command });

/** Shows things, but hears nothing: the platform's events go to the first bot. */
function deaf(adapter: Adapter): Adapter {
  return new Proxy(adapter, {
    get: (target, key) => {
      if (key === "start" || key === Symbol.asyncDispose) return async () => undefined;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("two replicas over one store", () => {
  it("work on one conversation one at a time, whoever takes what comes in", async () => {
    await using talk = await Talk.start();
    const first = talk.bot;
    await using _second = await talk.startBot(talk.store, deaf(talk.rig.adapter), "second");
    talk.bot = first;
    talk.model.script([run("sleep 0.3; echo one >> effects"), say("First."), say("Rest.")]);
    await talk.say("begin");
    for (const text of ["a", "b", "c", "d"]) await talk.say(`queue ${text}`);
    talk.model.script(() => say("Queued one."), { when: "d" });
    await talk.sees("First.");
    await until(
      async () => (await talk.lines()).filter((kind) => kind === "turn.shown").length === 5,
      "all turns",
      15_000,
    );
    expect(talk.workspaces.of(talk.thread).files.read("effects")).toBe("one\n");
    expect((await talk.lines()).filter((kind) => kind === "message")).toHaveLength(5);
    expect((await talk.lines()).filter((kind) => kind === "turn.started")).toHaveLength(5);
  });

  it("1.36 a stop that comes in at one ends within two seconds what runs at the other", async () => {
    await using talk = await Talk.start();
    const first = talk.bot;
    talk.model.script([run("sleep 60")]);
    await talk.say("sleep");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await using second = await talk.startBot(talk.store, deaf(talk.rig.adapter), "second");
    talk.bot = first;
    const startedMs = performance.now();
    await second.conversations.stop(talk.thread, "memory:somebody");
    await talk.sees("Stopped.");
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});
