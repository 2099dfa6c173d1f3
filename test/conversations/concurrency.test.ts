import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { single } from "../src/tools/support/lab.ts";
import { call, calls, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

const file = (operation: string, args: object) =>
  ["file_operations", { operation, ...args }] as const;
const run = (command: string) =>
  ["terminal_operations", { operation: "run_command", command }] as const;
const store = (content: string) =>
  ["memory_operations", { operation: "store_memory", content }] as const;

/** The results that the model has been given last. */
const results = (talk: Talk) => talk.model.requests.at(-1)?.results.map(({ text }) => text) ?? [];

describe("the calls of one reply", () => {
  it.each([
    ["parallel", "side by side", 3],
    ["serial", "one after another", 1],
  ] as const)("1.30 that are %s run %s", async (execution, _, together) => {
    let running = 0;
    let most = 0;
    const probe = single(
      "probe",
      async () => {
        running += 1;
        most = Math.max(most, running);
        // Whoever may run beside others waits for them; whoever may not gives them time to come all the same.
        if (together > 1) await until(() => most === together, "the others");
        else await sleep(50);
        running -= 1;
        return { text: "probed" };
      },
      { execution },
    );
    await using talk = await Talk.start({ tools: [probe] });
    const three = Array.from({ length: 3 }, () => ["probe", {}] as const);
    talk.model.script([calls(three), say("Probed.")]);
    await talk.say("probe three times");
    await talk.sees("Probed.");
    expect(results(talk)).toEqual(Array(3).fill(expect.stringContaining("probed")));
    expect(most).toBe(together);
  });

  it("1.31 that edit one file leave both edits in it", async () => {
    await using talk = await Talk.start();
    const { files } = talk.workspaces.of(talk.thread);
    files.write("colours.txt", "red green blue");
    const edit = (oldString: string, newString: string) =>
      file("replace_string", { filePath: "colours.txt", oldString, newString });
    talk.model.script([calls([edit("red", "pink"), edit("blue", "teal")]), say("Painted.")]);
    await talk.say("paint");
    await talk.sees("Painted.");
    expect(files.read("colours.txt")).toBe("pink green teal");
  });

  it("1.32 that need one another find what the one before has made", async () => {
    await using talk = await Talk.start();
    const script = file("create_file", { filePath: "a.sh", content: "echo from the script\n" });
    talk.model.script([calls([script, run("bash a.sh")]), say("It ran.")]);
    await talk.say("write a script and run it");
    await talk.sees("It ran.");
    expect(results(talk)[1]).toContain("from the script");
  });

  it("1.33 that are rejected, unknown or malformed have their results in the order of the calls", async () => {
    await using talk = await Talk.start();
    const { files } = talk.workspaces.of(talk.thread);
    files.write("a.txt", "alpha");
    const outside = files.path("../no.txt");
    talk.model.script([
      calls([
        file("read_file", { filePath: "a.txt" }),
        file("create_file", { filePath: outside, content: "x" }),
        ["frobnicate", {}],
        ["think", "{oops"],
        file("read_file", { filePath: "a.txt" }),
      ]),
      say("I see."),
    ]);
    await talk.say("do five things");
    await talk.press("Deny");
    await talk.sees("I see.");
    const [first, denied, unknown, malformed, last, ...more] = results(talk);
    expect(more).toEqual([]);
    expect(first).toContain("alpha");
    expect(denied).toContain("rejected");
    expect(unknown).toContain("not found");
    expect(malformed).toContain("invalidParameters");
    expect(last).toContain("alpha");
    expect(talk.model.problems).toEqual([]);
  });

  it("1.33 1.36 that were stopped have theirs in the next turn: what ran, what was ended, what had not begun", async () => {
    await using talk = await Talk.start();
    const { files } = talk.workspaces.of(talk.thread);
    files.write("a.txt", "alpha");
    talk.model.script([
      calls([file("read_file", { filePath: "a.txt" }), run("sleep 60"), run("echo never > made")]),
      say("I know where we are."),
    ]);
    await talk.say("do three things");
    await until(() => talk.workspaces.begun.length === 2, "the command");
    await talk.say("stop");
    await talk.sees("Stopped by ");
    await talk.say("what was done?");
    await talk.sees("I know where we are.");
    const [first, ended, unbegun, ...more] = results(talk);
    expect(more).toEqual([]);
    expect(first).toContain("alpha");
    expect(ended).toMatch(/^Error/);
    expect(unbegun).toMatch(/cancelled|not started/i);
    expect(() => files.read("made")).toThrow();
    expect(talk.model.problems).toEqual([]);
  });

  it("1.35 that store the same twice make one memory", async () => {
    await using talk = await Talk.start();
    talk.model.script([
      calls([store("The cat is called Tom."), store("The cat is called Tom.")]),
      call("memory_operations", { operation: "list_collections" }),
      say("One memory."),
    ]);
    await talk.say("remember the cat");
    await talk.sees("One memory.");
    const [, , listed] = results(talk);
    expect(listed).toContain("Stored: 1,");
  });
});
