import { describe, expect, it } from "vitest";
import { childrenPrefix } from "../../src/contract/conversation/subagent.ts";
import type { Adapter } from "../../src/contract/platform/adapter.ts";
import { call, calls, say } from "../support/model-server/replies.ts";
import { OwnClock } from "../support/own-clock.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

const order = (marker: string, more: object = {}) =>
  ["run_subagent", { task: `Task ${marker}`, instructions: `[${marker}] do it`, ...more }] as const;

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

async function withSecond(talk: Talk) {
  const first = talk.bot;
  const second = await talk.startBot(talk.store, deaf(talk.rig.adapter), "second");
  talk.bot = first;
  return second;
}

describe("subagents with two replicas over one store", () => {
  it("5.15 each subagent continues once, whichever replica gets the answers", async () => {
    await using talk = await Talk.start();
    await using _second = await withSecond(talk);
    const names = ["a", "b", "c"];
    talk.model.script([calls(names.map((name) => order(name))), say("All done.")], {
      when: "[parent]",
    });
    for (const name of names) {
      const filePath = `../${name}.txt`;
      const args = { operation: "create_file", filePath, content: name };
      const replies = [call("file_operations", args), say(`Wrote ${name}.`)];
      talk.model.script(replies, { when: `[${name}]` });
    }
    await talk.say("[parent] go");
    await until(() => talk.cards("approval").length === 3, "three cards");
    for (const { post, buttons } of talk.cards("approval")) {
      const action = buttons.find(({ label }) => label === "Approve once")?.action ?? "";
      await talk.rig.people.click(talk.ada, talk.thread, { post, action });
    }
    await talk.sees("All done.");
    const { files } = talk.workspaces.of(talk.thread);
    for (const name of names) expect(files.read(`.deckhand/subagents/${name}.txt`)).toBe(name);
    expect(talk.model.requests).toHaveLength(2 + 2 * names.length);
    expect(talk.cards("approval").flatMap(({ buttons }) => buttons)).toEqual([]);
  });

  it("10.12 a stop that comes in at one ends the subagents that work at the other", async () => {
    await using talk = await Talk.start();
    const terminal = { enableTerminalAccess: true };
    talk.model.script([calls([order("a", terminal), order("b", terminal)])], { when: "[parent]" });
    const sleep = () =>
      call("terminal_operations", { operation: "run_command", command: "sleep 60" });
    for (const name of ["a", "b"]) talk.model.script([sleep()], { when: `[${name}]` });
    await talk.say("[parent] go");
    await until(() => talk.workspaces.begun.length === 2, "the commands");
    await using second = await withSecond(talk);
    using clock = new OwnClock();
    await second.conversations.stop(talk.thread, "memory:somebody");
    await talk.sees("Stopped.");
    expect(clock.ms).toBeLessThan(5_000);
    const children = await talk.store.documents("subagents").keys(childrenPrefix(talk.thread));
    expect(children).toHaveLength(2);
    for (const child of children) {
      const { data } = (await talk.store.last(child, "turn.finished")) ?? {};
      expect(data).toMatchObject({ outcome: "stopped" });
    }
  });
});
