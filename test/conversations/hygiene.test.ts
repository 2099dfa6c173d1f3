import { describe, expect, it } from "vitest";
import { call, calls, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { toldIn } from "../support/told.ts";

const run = (command: string) => call("terminal_operations", { operation: "run_command", command });
const ESCAPE = String.fromCharCode(0x1b);

describe.each(["chat", "responses"] as const)("what the model reads over the %s wire", (wire) => {
  const results = (talk: Talk) =>
    toldIn(talk.model.requests.at(-1) as never)
      .filter(({ kind }) => kind === "result")
      .map(({ text }) => text);

  it("results are marked as data, failures and empty ones as well", async () => {
    await using talk = await Talk.start({ wire });
    talk.model.script([
      run("true"),
      call("file_operations", { operation: "read_file", filePath: "missing.txt" }),
      call("frobnicate", {}),
      say("Seen."),
    ]);
    await talk.say("go");
    await talk.sees("Seen.");
    expect(results(talk)).toHaveLength(3);
    for (const text of results(talk)) {
      expect(text).toMatch(/^<tool-output>\n[\s\S]+\n<\/tool-output>$/);
    }
    expect(talk.model.requests.at(-1)?.system).toContain("<tool-output> is the result of a call");
  });

  it("colours and other escapes of terminals are gone, and what they hid is masked", async () => {
    await using talk = await Talk.start({ wire, env: { WEB_SEARCH_KEY: "sk-hush-hush-4711" } });
    const { files } = talk.workspaces.of(talk.thread);
    const coloured = `${ESCAPE}[31mred${ESCAPE}[0m ${ESCAPE}]0;title\u0007done sk-hush${ESCAPE}[1m-hush-4711`;
    files.write("log.txt", coloured);
    files.write("about.txt", "In JSON it is written \\u001b[31m.");
    talk.model.script([
      call("file_operations", { operation: "read_file", filePath: "log.txt" }),
      run("cat log.txt"),
      call("file_operations", { operation: "read_file", filePath: "about.txt" }),
      say("Seen."),
    ]);
    await talk.say("go");
    await talk.sees("Seen.");
    const [read, printed, about] = results(talk);
    for (const text of [read, printed]) {
      expect(text).toMatch(/red .*done \[redacted: WEB_SEARCH_KEY\]/);
      expect(text).not.toMatch(/\[31m|u001b|hush/);
    }
    expect(about).toContain("\\\\u001b[31m");
    expect(talk.model.requests.at(-1)?.text).not.toContain("hush-4711");
  });

  it("a mask names its kind, and the model is told once what a mask is", async () => {
    await using talk = await Talk.start({ wire });
    const key = `ghp_${"a1B2".repeat(9)}`;
    talk.workspaces.of(talk.thread).files.write("env", `TOKEN=${key}`);
    talk.model.script([
      call("file_operations", { operation: "read_file", filePath: "env" }),
      say("Seen."),
    ]);
    await talk.say(`my key is ${key}`);
    await talk.sees("Seen.");
    const request = talk.model.requests.at(-1);
    expect(request?.text).not.toContain(key);
    expect(results(talk)[0]).toMatch(/TOKEN=\[redacted: [^\]]+\]/);
    expect(request?.system.match(/\[redacted: /g)).toHaveLength(1);
    expect(request?.system).toContain("replaces a secret");
  });

  it("a long result is cut and can be read on", async () => {
    await using talk = await Talk.start({ wire });
    talk.workspaces.of(talk.thread).files.write("long.txt", `${"x".repeat(80)}\n`.repeat(1000));
    talk.model.script([run("cat long.txt"), say("Seen.")]);
    await talk.say("go");
    await talk.sees("Seen.");
    const [text = ""] = results(talk);
    expect(text.length).toBeLessThan(9000);
    expect(text).toMatch(/Read on with read_tool_result [\s\S]*\n<\/tool-output>$/);
  });

  it("3.10 a stored result is read in pages of 32,768 bytes at most, and by its own thread alone", async () => {
    await using talk = await Talk.start({ wire });
    talk.workspaces.of(talk.thread).files.write("long.txt", `${"x".repeat(80)}\n`.repeat(1000));
    talk.model.script([run("cat long.txt"), say("Stored.")]);
    await talk.say("go");
    await talk.sees("Stored.");
    const id = /Stored as ([\w.:-]+): /.exec(results(talk)[0] ?? "")?.[1] ?? "";
    const read = (args: object) => call("read_tool_result", { toolCallId: id, ...args });
    talk.model.script([
      read({ length: 100_000 }),
      read({ offset: 10_000_000 }),
      read({ toolCallId: "../../x" }),
      read({ toolCallId: "" }),
      say("Read."),
    ]);
    await talk.say("read on");
    await talk.sees("Read.");
    const [page = "", beyond, path, empty] = results(talk).slice(-4);
    expect(page).toMatch(/bytes 0 to 32768 of \d+\. Read on with read_tool_result/);
    expect(page.length).toBeLessThan(33_100);
    expect(beyond).toMatch(/invalidParameters.*use 0 to \d+/s);
    expect(path).toContain('This conversation has no stored result "../../x"');
    expect(empty).toContain("Error (invalidParameters)");
    talk.thread = await talk.rig.people.newThread();
    talk.model.script([read({}), read({ toolCallId: "never-stored" }), say("Not mine.")]);
    await talk.say("read theirs");
    await talk.sees("Not mine.");
    const [theirs = "", none = ""] = results(talk);
    expect(theirs).toContain("Error (executionFailed)");
    expect(theirs.replace(id, "never-stored")).toBe(none);
  });

  it("16.24 an invalid call is answered with the schema that it should have followed", async () => {
    await using talk = await Talk.start({ wire });
    talk.model.script([
      call("file_operations", { operation: "read_file", path: 5 }),
      call("think", '{"thoughts": "cut'),
      say("I know better now."),
    ]);
    await talk.say("go");
    await talk.sees("I know better now.");
    const [read, cut] = results(talk);
    expect(read).toMatch(/Error \(invalidParameters\)[\s\S]*Expected \{[^}]*filePath/);
    expect(cut).toMatch(/Error \(invalidParameters\)[\s\S]*Expected \{[^}]*thoughts/);
  });
});

describe.each(["chat", "responses"] as const)("thinking over the %s wire", (wire) => {
  it("3.1 is one line of the turn's card with its gist, the whole folded away, without secrets", async () => {
    await using talk = await Talk.start({ wire, env: { WEB_SEARCH_KEY: "sk-hush-hush-4711" } });
    const thoughts = `${"First things first. ".repeat(4)}The key is sk-hush-hush-4711.\n${"More. ".repeat(50)}End.`;
    talk.model.script([call("think", { thoughts }), say("Thought.")]);
    await talk.say("think about it");
    await talk.sees("Thought.");
    await talk.rests();
    const cards = talk.posts().filter(({ view }) => view?.kind === "activity");
    expect(cards).toHaveLength(1);
    const view = cards[0]?.view;
    const lines = view?.kind === "activity" ? view.lines : [];
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ title: "Thinking", status: "success" });
    expect(lines[0]?.details[0]).toMatch(/^First things first\..*\.\.\.$/);
    expect(lines[0]?.details[0]?.length).toBeLessThanOrEqual(100);
    expect(lines[0]?.folded).toMatch(/The key is \[redacted: WEB_SEARCH_KEY\]\.[\s\S]*End\.$/);
    expect(JSON.stringify(talk.posts())).not.toMatch(/hush/);
    expect(cards[0]?.text).not.toContain("End.");
    expect(talk.workspaces.begun).toEqual([]);
  });

  it("3.1 without any thought is refused, and shows nothing", async () => {
    await using talk = await Talk.start({ wire });
    talk.model.script([call("think", { thoughts: " " }), say("Nothing came to mind.")]);
    await talk.say("think about it");
    await talk.sees("Nothing came to mind.");
    const text = talk.model.requests.at(-1)?.results[0]?.text;
    expect(text).toContain("Error (invalidParameters)");
    expect(talk.workspaces.begun).toEqual([]);
  });

  it("3.2 with a small context the core is offered, and from the next step on what was asked for", async () => {
    await using talk = await Talk.start({ wire });
    await talk.bot.settings.change(talk.thread, "smallContext", "on");
    talk.model.script([
      call("think", { thoughts: "I need files.", requested_tools: ["file_operations"] }),
      say("I have them."),
    ]);
    await talk.say("go");
    await talk.sees("I have them.");
    const [one, two] = talk.model.requests.map(({ tools }) => tools);
    expect(one).toContain("think");
    expect(one).not.toContain("file_operations");
    expect(two).toContain("file_operations");
  });

  it("3.3 the fourth thought in a row is refused; 9.11 storing a memory is work and begins the count anew", async () => {
    await using talk = await Talk.start({ wire });
    const think = (thoughts: string) => call("think", { thoughts });
    talk.model.script([
      think("a"),
      think("b"),
      think("c"),
      call("memory_operations", { operation: "store_memory", content: "It is Tuesday." }),
      think("d"),
      think("e"),
      think("f"),
      think("g"),
      calls([["memory_operations", { operation: "store_memory", content: "And sunny." }]]),
      say("Stored."),
    ]);
    await talk.say("go");
    await talk.sees("Stored.");
    const results = talk.model.requests.at(-1)?.results ?? [];
    const refused = results.map(({ text }) => text.includes("Act now"));
    expect(refused).toEqual([false, false, false, false, false, false, false, true, false]);
  });

  it("9.11 a turn that only stores memories is not taken for one that does nothing", async () => {
    await using talk = await Talk.start({ wire });
    const stored = Array.from({ length: 8 }, (_, index) =>
      call("memory_operations", { operation: "store_memory", content: `Fact ${index}.` }),
    );
    talk.model.script([...stored, say("All stored.")]);
    await talk.say("store them");
    await talk.sees("All stored.");
    for (const { users } of talk.model.requests) {
      expect(users.join("\n")).not.toMatch(/same call|Act now|Do something else/);
    }
  });
});
