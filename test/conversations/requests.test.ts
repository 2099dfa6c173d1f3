import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, calls, say } from "../support/model-server/replies.ts";
import { ScriptedBot } from "../support/scripted-bot.ts";
import { until } from "../support/until.ts";

const STEPS = 30;
const SPOKEN_AT = 10;

describe.concurrent.each(["chat", "responses"] as const)("over the %s wire", (wire) => {
  let scripted: ScriptedBot;
  beforeAll(async () => {
    scripted = await ScriptedBot.start(wire);
  });
  afterAll(() => scripted[Symbol.asyncDispose]());

  it("a word said during a turn of thirty steps is in the very next request", async () => {
    const heard = Promise.withResolvers<void>();
    const { room, marker, asked } = await scripted.scene(async ({ results }) => {
      if (results.length === SPOKEN_AT) await heard.promise;
      return results.length < STEPS
        ? call("think", { thoughts: `Step ${results.length}.` })
        : say("All steps are done.");
    });
    await room.say(`take thirty steps ${marker}`);
    await until(() => asked().length === SPOKEN_AT + 1, "the tenth step");
    await room.say("and mind the gap");
    const messages = async () => (await room.lines()).filter((kind) => kind === "message");
    await until(async () => (await messages()).length === 2, "the second message");
    heard.resolve();
    await room.sees("All steps are done.");
    expect(asked()).toHaveLength(STEPS + 1);
    const knows = asked().map(({ users }) => users.some((text) => text.includes("mind the gap")));
    expect(knows.indexOf(true)).toBe(SPOKEN_AT + 1);
    expect(knows.slice(SPOKEN_AT + 1)).not.toContain(false);
    expect((await room.lines()).filter((kind) => kind === "turn.started")).toHaveLength(1);
  });

  it("1.5 what the model wants outside the workspace is asked about, although a human began the turn", async () => {
    const file = "/etc/deckhand-was-here";
    const { room, marker, asked } = await scripted.scene([
      call("file_operations", { operation: "create_file", filePath: file, content: "x" }),
      say("They said no."),
    ]);
    await room.say(`create ${file} ${marker}`);
    await room.sees("Approval needed");
    expect(asked()).toHaveLength(1);
    await room.press("Deny");
    await room.sees("They said no.");
    expect(asked()[1]?.results[0]?.text).toContain("rejected");
    expect(existsSync(file)).toBe(false);
  });

  it("1.13 a tool that does not exist gives the failed result of its call", async () => {
    const { room, marker, asked } = await scripted.scene([
      calls([
        ["frobnicate", { a: 1 }],
        ["think", { thoughts: "Hm." }],
      ]),
      say("I know better now."),
    ]);
    await room.say(`frobnicate ${marker}`);
    await room.sees("I know better now.");
    const results = asked()[1]?.results ?? [];
    expect(results).toHaveLength(2);
    expect(results[0]?.text).toMatch(/frobnicate.*not found|not found.*frobnicate/);
    expect(results[1]?.text).not.toContain("not found");
  });

  it.each([
    ["terminal", "terminal_operations", { operation: "run_command", command: "touch made" }],
    ["workflow", "run_subagent", { task: "look", instructions: "look around" }],
    ["dynamicIterations", "increase_max_iterations", { requested_iterations: 90, reason: "more" }],
  ] as const)(
    "1.46 with %s off %s is not offered, and a call of it is refused",
    async (setting, tool, args) => {
      const { room, marker, asked, files } = await scripted.scene([
        call("think", { thoughts: "What may I?" }),
        call(tool, args),
        say("So I may not."),
      ]);
      await scripted.bot.core.settings.change(room.thread, setting, "off");
      await room.say(`try it ${marker}`);
      await room.sees("So I may not.");
      const [first, second, third] = asked();
      expect(first?.tools).not.toContain(tool);
      expect(first?.tools).toContain("think");
      expect(second?.tools).toEqual(first?.tools);
      expect(third?.results[1]?.text).toMatch(/Error/);
      expect(existsSync(files.path("made"))).toBe(false);
      expect((await room.lines()).filter((kind) => kind === "call.started")).toHaveLength(1);
    },
  );
});
