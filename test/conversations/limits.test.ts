import { describe, expect, it } from "vitest";
import { call, refuse, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

let number = 0;
const readTodos = () => call("todo_operations", { operation: "read" });
/** Another call every time. */
const look = () => {
  number += 1;
  return call("file_operations", { operation: "file_search", query: `*${number}.none` });
};
const raise = (requested_iterations: number) =>
  call("increase_max_iterations", { requested_iterations, reason: "there is more to do" });

async function limited(maxIterations: number): Promise<Talk> {
  const talk = await Talk.start();
  await talk.bot.settings.change(talk.thread, "maxIterations", String(maxIterations));
  return talk;
}

describe("the steps of a turn", () => {
  it("3.7 end exactly at the limit, with a word about it and the todos", async () => {
    await using talk = await limited(5);
    talk.model.script([
      call("todo_operations", {
        operation: "write",
        todoList: [{ id: 1, title: "Find it", description: "somewhere", status: "in-progress" }],
      }),
    ]);
    talk.model.script(look, { when: ({ results }) => results.length > 0 });
    await talk.say("search for ever");
    const end = await talk.sees("used all 5 steps");
    expect(end).toContain("Find it");
    await talk.rests();
    expect(talk.model.requests).toHaveLength(5);
    await talk.sees("I have used 4 of 5 steps");
    const told = talk.texts().filter((text) => text.includes("I have used 4"));
    expect(told).toHaveLength(1);
  });

  it("3.6 can be raised by the model, and that counts in the running turn", async () => {
    await using talk = await limited(3);
    talk.model.script([look(), raise(5), look(), look(), look()]);
    await talk.say("work");
    await talk.sees("used all 5 steps");
    expect(talk.model.requests).toHaveLength(5);
  });

  it("3.6 cannot be raised where people have switched that off, nor to what they are", async () => {
    await using talk = await limited(3);
    await talk.bot.settings.change(talk.thread, "dynamicIterations", "off");
    talk.model.script([look(), raise(5), look()]);
    await talk.say("work");
    await talk.sees("used all 3 steps");
    expect(talk.model.requests).toHaveLength(3);
    await talk.rests();

    await talk.bot.settings.change(talk.thread, "dynamicIterations", "on");
    talk.model.script([raise(3), raise(100_000), look()]);
    await talk.say("again");
    await until(() => talk.texts().filter((text) => text.includes("used all")).length === 2, "end");
    const results = talk.model.requests.at(-1)?.results.map(({ text }) => text) ?? [];
    expect(results.at(-2)).toContain("must be more than the current maximum");
    expect(results.at(-1)).toContain("invalidParameters");
  });

  it("16.26 a repeated failing call is reported to the model, then stopped", async () => {
    await using talk = await Talk.start();
    talk.model.script(() =>
      call("file_operations", { operation: "read_file", filePath: "missing.txt" }),
    );
    await talk.say("read it");
    await talk.sees("making the same call");
    await talk.rests();
    expect(talk.model.requests.length).toBeLessThan(10);
    const told = talk.model.requests.findIndex(({ users }) =>
      users.some((text) => text.includes("the same call 3 times")),
    );
    expect(told).toBe(3);
  });

  it("16.26 calls that take turns and bring nothing new are stopped as well", async () => {
    await using talk = await Talk.start();
    const read = (filePath: string) =>
      call("file_operations", { operation: "read_file", filePath });
    talk.model.script(({ results }) => read(results.length % 2 === 0 ? "here.txt" : "there.txt"));
    await talk.say("find it");
    await talk.sees("the same call with the same result");
    await talk.rests();
    expect(talk.model.requests).toHaveLength(10);
  });
});

describe("what is said in the last step of a turn", () => {
  it("3.7 is taken up in a turn of its own, and answered", async () => {
    await using talk = await limited(2);
    const slow = call("terminal_operations", { operation: "run_command", command: talk.held() });
    talk.model.script([look(), slow, say("Blue it is.")]);
    await talk.say("paint it red");
    await until(() => talk.workspaces.begun.length === 2, "the second step");
    await talk.say("no, blue");
    await talk.letGo();
    await talk.sees("used all 2 steps");
    await talk.sees("Blue it is.");
    await talk.rests();
    expect(talk.model.requests).toHaveLength(3);
    expect(talk.model.requests[2]?.users.join("\n")).toContain("no, blue");
    expect((await talk.lines()).filter((kind) => kind === "turn.started")).toHaveLength(2);
  });
});

describe("a model that fails", () => {
  it("costs nothing of what was said: the next turn has it all", async () => {
    await using talk = await Talk.start();
    talk.model.script([
      call("todo_operations", { operation: "read" }),
      refuse(401, { message: "Incorrect API key provided.", code: "invalid_api_key" }),
    ]);
    await talk.say("remember the number 4711");
    const end = await talk.sees("rejects the API key");
    expect(end).toContain("nothing was lost");
    talk.model.script([say("It was 4711.")]);
    await talk.say("what was it?");
    await talk.sees("It was 4711.");
    const last = talk.model.requests.at(-1);
    expect(last?.users.join("\n")).toContain("remember the number 4711");
    expect(last?.results).toHaveLength(1);
    expect(talk.problems.join("\n")).toContain("OPENAI_API_KEY");
    expect(talk.texts().join("\n")).not.toContain("OPENAI_API_KEY");
  });

  it("and cuts its stream is asked again, and what was void is not shown", async () => {
    await using talk = await Talk.start();
    talk.model.script([
      say("Half of an ans", { fault: { kind: "disconnect", afterEvents: 3 } }),
      say("The whole answer."),
    ]);
    await talk.say("go");
    await talk.sees("The whole answer.");
    await talk.rests();
    expect(talk.texts().join("\n")).not.toContain("Half of");
  });
});

describe("what is not there", () => {
  it("15.22 without workspaces the calls that need one say so, and the turn goes on", async () => {
    await using talk = await Talk.start({ withoutWorkspaces: true });
    talk.model.script([
      call("file_operations", { operation: "read_file", filePath: "a.txt" }),
      readTodos(),
      say("No workspace here."),
    ]);
    await talk.say("read a.txt");
    await talk.sees("No workspace here.");
    expect(talk.model.requests[1]?.results[0]?.text).toContain("workspace");
    expect(talk.cards("approval")).toEqual([]);
  });
});

describe("what a turn is given", () => {
  it("15.23 has the attached files in the workspace before the first step", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("Got it.")]);
    const files = [
      { name: "../../notes.txt", bytes: Buffer.from("the notes") },
      { name: "notes.txt", bytes: Buffer.from("others") },
    ];
    await talk.say("look at these", { files });
    await talk.sees("Got it.");
    const workspace = talk.workspaces.of(talk.thread).files;
    expect(workspace.read("uploads/notes.txt")).toBe("the notes");
    expect(workspace.read("uploads/2-notes.txt")).toBe("others");
    expect(talk.model.requests[0]?.users.join("\n")).toContain("/workspace/uploads/notes.txt");
  });

  it("has every attached file, also where one is called as another was renamed", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("Got them.")]);
    const names = ["a.txt", "3-a.txt", "a.txt", "2-a.txt", "b/a.txt", "..", "  ", "file"];
    const files = names.map((name, index) => ({ name, bytes: Buffer.from(`file ${index}`) }));
    await talk.say("look at these", { files });
    await talk.sees("Got them.");
    const told = talk.model.requests[0]?.users.join("\n") ?? "";
    const paths = [...told.matchAll(/\/workspace\/(uploads\/.*?) \(\d+ bytes\)/g)];
    const workspace = talk.workspaces.of(talk.thread).files;
    const kept = paths.map(([, path = ""]) => workspace.read(path));
    expect(kept).toEqual(names.map((_, index) => `file ${index}`));
  });

  it("knows what was said in the thread before, as quotes, at the first mention only", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("I see."), say("Again.")]);
    await talk.say("the server is down since noon", { mention: false, by: talk.bob });
    await talk.say("what happened?");
    await talk.sees("I see.");
    const [first] = talk.model.requests;
    expect(first?.users.join("\n")).toContain("<quoted-message");
    expect(first?.users.join("\n")).toContain("down since noon");
    await talk.say("and now?");
    await talk.sees("Again.");
    const all = talk.model.requests[1]?.users.join("\n") ?? "";
    expect(all.split("down since noon")).toHaveLength(2);
  });

  it("keeps a checkpoint before its first change, once, and none when nothing is changed", async () => {
    await using talk = await Talk.start();
    const write = (filePath: string) =>
      call("file_operations", { operation: "create_file", filePath, content: "x" });
    talk.model.script([look(), say("Looked."), write("a.txt"), write("b.txt"), say("Wrote.")]);
    await talk.say("look");
    await talk.sees("Looked.");
    expect(talk.workspaces.checkpoints).toBe(0);
    await talk.say("write");
    await talk.sees("Wrote.");
    expect(talk.workspaces.checkpoints).toBe(1);
    const lines = await talk.lines();
    expect(lines.indexOf("checkpoint")).toBeLessThan(lines.lastIndexOf("call.started"));
  });

  it("keeps a checkpoint before it writes a document", async () => {
    await using talk = await Talk.start();
    const document = { operation: "document_create", output_path: "report", content: "Done." };
    talk.model.script([call("document_operations", document), say("Wrote.")]);
    await talk.say("write a report");
    await talk.sees("Wrote.");
    const lines = await talk.lines();
    expect(lines.filter((kind) => kind === "checkpoint")).toHaveLength(1);
    expect(lines.indexOf("checkpoint")).toBeLessThan(lines.indexOf("call.started"));
  });

  it("asks each model step with the same beginning, so that it can be cached", async () => {
    await using talk = await Talk.start({ wire: "chat" });
    talk.model.script([look(), look(), say("Done.")]);
    await talk.say("work");
    await talk.sees("Done.");
    const [one, two, three] = talk.model.requests;
    // What is true of one step alone stands at the end.
    const items = (request: typeof one) => {
      const messages = request?.body.messages as { role: string; content: unknown }[];
      const isReminder = ({ content }: { content: unknown }) =>
        String(content).startsWith("<system-reminder>");
      const last = messages.findLastIndex((message) => !isReminder(message));
      return JSON.stringify(messages.slice(0, last + 1)).slice(1, -1);
    };
    expect(items(two).startsWith(items(one))).toBe(true);
    expect(items(three).startsWith(items(two))).toBe(true);
    expect(two?.system).toBe(one?.system);
    expect(two?.body.tools).toEqual(one?.body.tools);
  });
});
