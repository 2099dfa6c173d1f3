import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { tokensOf } from "../support/long-turn.ts";
import { call, calls, say } from "../support/model-server/replies.ts";
import {
  childrenOf,
  createFile,
  order,
  requestsOf,
  script,
  subagentFile,
} from "../support/subagents.ts";
import { Talk } from "../support/talk.ts";
import { shareOfWires } from "../support/wires.ts";

const WIRES = shareOfWires(0);
const OTHER_WIRES = shareOfWires(1);

describe.each(WIRES)("a subagent over the %s wire", (wire) => {
  it("10.1 10.2 works in a conversation of its own, and its parent sees a summary alone", async () => {
    await using talk = await Talk.start({ wire });
    script(talk, "parent", [
      call("todo_operations", {
        operation: "write",
        todoList: [{ id: 1, title: "Mine", description: "the parent's", status: "in-progress" }],
      }),
      call(...order("child")),
      say("All done."),
    ]);
    script(talk, "child", [
      call("todo_operations", {
        operation: "add",
        newTodos: [{ title: "Theirs", description: "the child's" }],
      }),
      say("I found the answer: 42."),
    ]);
    await talk.say("[parent] a secret word of the thread");
    await talk.sees("All done.");
    await talk.rests();
    const child = requestsOf(talk, "child");
    expect(child).toHaveLength(2);
    for (const { text } of child) {
      expect(text).not.toContain("a secret word of the thread");
      expect(text).not.toContain("[parent]");
    }
    const parent = requestsOf(talk, "parent");
    expect(parent).toHaveLength(3);
    const summary = parent[2]?.results.at(-1)?.text ?? "";
    expect(summary).toContain("Task: Task child");
    expect(summary).toContain("Status: completed");
    expect(summary).toContain("Steps: 2");
    expect(summary).toContain("Tools used: todo_operations");
    expect(summary).toContain("I found the answer: 42.");
    expect(parent[2]?.text).not.toContain("Theirs");
    const todos = (await talk.store.last(talk.thread, "todo"))?.data;
    expect(JSON.stringify(todos)).not.toContain("Theirs");
    expect(talk.problems).toEqual([]);
    expect(talk.model.problems).toEqual([]);
  });

  it("10.5 10.6 10.7 is offered neither subagents nor a terminal nor more steps, and refused all of them", async () => {
    await using talk = await Talk.start({ wire });
    script(talk, "parent", [call(...order("child")), say("All done.")]);
    script(talk, "child", [
      calls([
        order("grandchild"),
        ["terminal_operations", { operation: "run_command", command: "touch ran" }],
        ["build_and_version_control", { operation: "run_task", label: "test" }],
        ["increase_max_iterations", { requested_iterations: 90, reason: "more" }],
      ]),
      say("They said no."),
    ]);
    await talk.say("[parent] go");
    await talk.sees("All done.");
    const [first, second] = requestsOf(talk, "child");
    expect(first?.tools).not.toContain("run_subagent");
    expect(first?.tools).not.toContain("terminal_operations");
    expect(first?.tools).not.toContain("increase_max_iterations");
    expect(first?.tools).toContain("build_and_version_control");
    expect(first?.text).not.toContain("create_and_run_task");
    expect(first?.text).toContain("git_commit");
    const results = second?.results.map(({ text }) => text) ?? [];
    expect(results).toHaveLength(4);
    for (const text of results) expect(text).toContain("Subagents may not use it.");
    expect(requestsOf(talk, "grandchild")).toHaveLength(0);
    expect(talk.workspaces.begun).toEqual([]);
  });

  it("10.1 is asked with the model, the temperature and the thinking that its order names", async () => {
    const server = { reasoningModel: wire === "responses", otherModels: ["other-2"] };
    await using talk = await Talk.start({ wire, server });
    const asked = { model: "other-2", temperature: "0.7", topP: 0.9, enableReasoning: false };
    script(talk, "parent", [call(...order("child", asked)), say("All done.")]);
    script(talk, "child", [say("Fine.")]);
    await talk.say("[parent] go");
    await talk.sees("All done.");
    const [child] = requestsOf(talk, "child");
    expect(requestsOf(talk, "parent")[1]?.results[0]?.text).toContain("Fine.");
    expect(child?.body).toMatchObject({ model: "other-2", temperature: 0.7, top_p: 0.9 });
    expect(child?.body).toMatchObject(
      wire === "chat" ? { reasoning_effort: "none" } : { reasoning: { effort: "none" } },
    );
    const [parent] = requestsOf(talk, "parent");
    expect(parent?.body.model).toBe(talk.model.model);
    expect(parent?.body).not.toHaveProperty("temperature");
  });

  it("10.1 with an order that cannot be is not begun, and its parent is told why", async () => {
    await using talk = await Talk.start({ wire });
    script(talk, "parent", [
      calls([
        order("child", { temperature: "hot" }),
        order("child", { systemPromptId: "nobody" }),
        order("child", { instructions: "" }),
        order("child", { maxIterations: 0 }),
      ]),
      say("I see."),
    ]);
    await talk.say("[parent] go");
    await talk.sees("I see.");
    const results = requestsOf(talk, "parent")[1]?.results.map(({ text }) => text) ?? [];
    for (const text of results) expect(text).toContain("Error (invalidParameters)");
    expect(
      results.map((text) => /temperature|nobody|instructions|maxIterations/.exec(text)?.[0]),
    ).toEqual(["temperature", "nobody", "instructions", "maxIterations"]);
    expect(requestsOf(talk, "child")).toEqual([]);
    expect(await childrenOf(talk)).toEqual([]);
  });

  it("3.12 10.1 is sent no more than its own model takes, which may be less than its parent's does", async () => {
    await using talk = await Talk.start({ wire, server: { otherModels: ["gpt-4-32k"] } });
    const { files } = talk.workspaces.of(talk.thread);
    const lines = Array.from({ length: 800 }, (_, line) => `${line}: the wind turned to the west`);
    files.write("log.txt", lines.join("\n"));
    const filePath = files.path("log.txt");
    const reads = Array.from({ length: 12 }, (_, step) =>
      call("file_operations", { operation: "read_file", filePath, offset: step + 1, limit: 180 }),
    );
    const small = { model: "gpt-4-32k", maxIterations: 20 };
    script(talk, "parent", [call(...order("child", small)), say("All done.")]);
    script(talk, "child", [...reads, say("I have read it.")]);
    await talk.say("[parent] go");
    await talk.sees("All done.", 45_000);
    const requests = requestsOf(talk, "child");
    expect(requests).toHaveLength(13);
    for (const request of requests) expect(tokensOf(request)).toBeLessThanOrEqual(24_576);
    const [child = ""] = await childrenOf(talk);
    const kinds = (await talk.store.read(child)).map(({ kind }) => kind);
    expect(kinds).toContain("archived");
    expect(talk.model.problems).toEqual([]);
  });

  it("10.4 10.10 reports all that it has used and said, also what does not fit its context any more", async () => {
    await using talk = await Talk.start({ wire, server: { otherModels: ["gpt-4-32k"] } });
    const { files } = talk.workspaces.of(talk.thread);
    const lines = Array.from({ length: 800 }, (_, line) => `${line}: the wind turned to the west`);
    files.write("log.txt", lines.join("\n"));
    const filePath = files.path("log.txt");
    const reads = Array.from({ length: 15 }, (_, step) =>
      call("file_operations", { operation: "read_file", filePath, offset: step + 1, limit: 180 }),
    );
    const small = { model: "gpt-4-32k", maxIterations: 16 };
    script(talk, "parent", [call(...order("child", small)), say("All done.")]);
    const thought = call("think", { thoughts: "hm" }, { text: "So far I know this." });
    script(talk, "child", [thought, ...reads]);
    await talk.say("[parent] go");
    await talk.sees("All done.", 45_000);
    const last = requestsOf(talk, "child").at(-1);
    expect(last?.text.includes("So far I know this.")).toBe(false);
    const summary = requestsOf(talk, "parent")[1]?.results[0]?.text ?? "";
    expect(summary).toContain("Tools used: think, file_operations");
    expect(summary.match(/So far I know this\./g)).toHaveLength(1);
  });
});

describe.each(OTHER_WIRES)("a subagent at work over the %s wire", (wire) => {
  it("10.3 has steps of its own, and costs its parent one", async () => {
    await using talk = await Talk.start({ wire });
    await talk.bot.settings.change(talk.thread, "maxIterations", "2");
    script(talk, "parent", [call(...order("child", { maxIterations: 15 })), say("All done.")]);
    const looks = Array.from({ length: 14 }, (_, n) =>
      call("file_operations", { operation: "file_search", query: `*${n}.none` }),
    );
    script(talk, "child", [...looks, say("Nothing there.")]);
    await talk.say("[parent] go");
    await talk.sees("All done.", 45_000);
    expect(requestsOf(talk, "child")).toHaveLength(15);
    expect(requestsOf(talk, "parent")[1]?.results[0]?.text).toContain("Steps: 15");
  });

  it("10.4 gives the beginning of a long report and its conversation", async () => {
    await using talk = await Talk.start({ wire });
    script(talk, "parent", [call(...order("child")), say("All done.")]);
    script(talk, "child", [say(`${"long ".repeat(1000)}end`)]);
    await talk.say("[parent] go");
    await talk.sees("All done.");
    const summary = requestsOf(talk, "parent")[1]?.results[0]?.text ?? "";
    const [child = ""] = await childrenOf(talk);
    expect(summary).toContain(`Conversation: ${child}`);
    expect(summary).toContain("cut; it has 5003 characters in all");
    expect(summary.length).toBeLessThan(2600);
    await talk.say("subagents");
    const id = child.split(":").at(-1) ?? "";
    await talk.sees(id);
    await talk.say(`subagents ${id}`);
    await talk.sees("Task child");
  });

  it("10.10 that runs out of steps or cannot ask its model fails with what it has, and its parent goes on", async () => {
    await using talk = await Talk.start({ wire });
    script(talk, "parent", [
      calls([order("short", { maxIterations: 2 }), order("unknown", { model: "nobody" })]),
      say("I went on."),
    ]);
    script(talk, "short", [
      call("think", { thoughts: "hm" }, { text: "So far I know this." }),
      call("think", { thoughts: "hm" }),
    ]);
    talk.model.script(
      () => ({
        fault: {
          kind: "http",
          status: 404,
          body: {
            error: { message: "The model `nobody` does not exist", code: "model_not_found" },
          },
        },
      }),
      { when: "[unknown]" },
    );
    await talk.say("[parent] go");
    await talk.sees("I went on.");
    const results = requestsOf(talk, "parent")[1]?.results.map(({ text }) => text) ?? [];
    expect(results[0]).toContain("it ran out of steps (2 of 2 steps)");
    expect(results[0]).toContain("So far I know this.");
    expect(results[1]).toContain("Status: failed (with the model nobody");
  });

  it("10.1 is told to be what its order names, and else what its parent is told to be", async () => {
    await using talk = await Talk.start({ wire });
    await talk.bot.settings.change(talk.thread, "maxSubagents", "1");
    script(talk, "parent", [
      calls([order("reviewing", { systemPromptId: "reviewer" }), order("same")]),
      say("All done."),
    ]);
    script(talk, "reviewing", [say("Reviewed.")]);
    script(talk, "same", [say("Same.")]);
    await talk.say("[parent] go");
    await talk.sees("All done.");
    const [parent] = requestsOf(talk, "parent");
    const [reviewing] = requestsOf(talk, "reviewing");
    const [same] = requestsOf(talk, "same");
    expect(same?.system).toContain(parent?.system);
    expect(reviewing?.system).not.toContain(parent?.system);
    expect(same?.system).toContain("Relative paths start in your own directory");
    // Else what a search finds in the parent's files would be looked for in its own directory.
    expect(same?.system).toContain("to use such a name, put /workspace/ before it");
  });

  it("10.5 may delegate once more with the flag, and no deeper even then", async () => {
    await using talk = await Talk.start({ wire });
    script(talk, "parent", [
      call(...order("child", { enableWorkflowMode: true })),
      say("All done."),
    ]);
    script(talk, "child", [
      call(...order("grandchild", { enableWorkflowMode: true })),
      say("My helper said so."),
    ]);
    script(talk, "grandchild", [call(...order("deeper")), say("I had to do it myself.")]);
    await talk.say("[parent] go");
    await talk.sees("All done.");
    expect(requestsOf(talk, "child")[0]?.tools).toContain("run_subagent");
    const [first, second] = requestsOf(talk, "grandchild");
    expect(first?.tools).not.toContain("run_subagent");
    expect(second?.results[0]?.text).toContain("Subagents may not use it.");
    expect(requestsOf(talk, "deeper")).toHaveLength(0);
    expect(requestsOf(talk, "child")[1]?.results[0]?.text).toContain("I had to do it myself.");
  });

  it("10.6 10.7 has a terminal in its own directory and more steps where its order says so", async () => {
    await using talk = await Talk.start({ wire });
    const more = { enableTerminalAccess: true, enableDynamicIterations: true, maxIterations: 2 };
    script(talk, "parent", [call(...order("child", more)), say("All done.")]);
    script(talk, "child", [
      calls([
        ["terminal_operations", { operation: "run_command", command: "echo here > here.txt" }],
        ["increase_max_iterations", { requested_iterations: 3, reason: "one more" }],
      ]),
      call("think", { thoughts: "hm" }),
      say("Three steps."),
    ]);
    await talk.say("[parent] go");
    await talk.sees("All done.");
    expect(requestsOf(talk, "child")).toHaveLength(3);
    expect(readFileSync(await subagentFile(talk, "here.txt"), "utf8")).toBe("here\n");
  });

  it("10.8 writes in its own directory, reads its parent's files, and asks before it changes them", async () => {
    await using talk = await Talk.start({ wire });
    const { files } = talk.workspaces.of(talk.thread);
    files.write("notes.txt", "the parent's notes");
    script(talk, "parent", [call(...order("child")), say("All done.")]);
    script(talk, "child", [
      calls([
        ["file_operations", { operation: "read_file", filePath: files.path("notes.txt") }],
        ["file_operations", { operation: "create_file", filePath: "own.txt", content: "mine" }],
      ]),
      createFile(files.path("parents.txt"), "changed"),
      say("Done with both."),
    ]);
    await talk.say("[parent] go");
    await talk.sees("Approval needed");
    expect(requestsOf(talk, "child")[1]?.results[0]?.text).toContain("the parent's notes");
    expect(readFileSync(await subagentFile(talk, "own.txt"), "utf8")).toBe("mine");
    expect(existsSync(files.path("own.txt"))).toBe(false);
    expect(existsSync(files.path("parents.txt"))).toBe(false);
    const card = talk.cards("approval")[0]?.text ?? "";
    expect(card).toContain("subagent: Task child");
    expect(card).toContain("outside the subagent's directory");
    expect(card).not.toMatch(/root of the workspace/);
    await talk.press("Approve once");
    await talk.sees("All done.");
    expect(files.read("parents.txt")).toBe("changed");
    expect(talk.workspaces.checkpoints).toBe(1);
    expect((await talk.lines()).filter((kind) => kind === "checkpoint")).toHaveLength(1);
  });

  it("10.8 shares memory and workspace by the thread's own topic, and works by itself with any other", async () => {
    await using talk = await Talk.start({ wire });
    await talk.say("topic join infra");
    await talk.sees("in the topic infra");
    const remember = (content: string) =>
      call("memory_operations", { operation: "store_memory", content });
    const recall = (query: string) =>
      ["memory_operations", { operation: "search_memory", query }] as const;
    script(talk, "parent", [
      calls([order("shared", { sharedTopicId: "infra" }), order("alone", { sharedTopicId: "x" })]),
      calls([recall("bluebird"), recall("redstart")]),
      say("All done."),
    ]);
    script(talk, "shared", [
      createFile("shared.txt"),
      remember("The bluebird sings at noon."),
      say("Shared."),
    ]);
    script(talk, "alone", [
      createFile("alone.txt"),
      remember("The redstart sings at dawn."),
      say("Alone."),
    ]);
    await talk.say("[parent] go");
    await talk.sees("All done.");
    const { files } = talk.workspaces.of(talk.thread);
    expect(files.read("shared.txt")).toBe("made");
    expect(existsSync(files.path("alone.txt"))).toBe(false);
    const results = requestsOf(talk, "parent")[1]?.results.map(({ text }) => text) ?? [];
    expect(results[0]).not.toContain("Note:");
    expect(results[1]).toContain('Note: This thread is not in a topic "x"');
    const recalled =
      requestsOf(talk, "parent")[2]
        ?.results.slice(-2)
        .map(({ text }) => text) ?? [];
    expect(recalled[0]).toContain("sings at noon");
    expect(recalled[1]).not.toContain("sings at dawn");
  });
});
