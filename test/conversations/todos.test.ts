import { describe, expect, it } from "vitest";
import { single } from "../src/tools/support/lab.ts";
import { call, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { toldIn } from "../support/told.ts";
import { until } from "../support/until.ts";

const write = (todo: object) =>
  call("todo_operations", {
    operation: "write",
    todoList: [{ id: 1, title: "Fix it", description: "d", status: "in-progress", ...todo }],
  });
const run = (command: string) => call("terminal_operations", { operation: "run_command", command });

/** The proposals in each request to the model, in order. */
const proposals = ({ model }: Talk) =>
  model.requests.map((request) =>
    toldIn(request).some(({ kind, text }) => kind === "reminder" && text.includes("has passed")),
  );

describe("the todos of a turn", () => {
  it("are proposed as completed once their command passes, and not while it fails [16.3]", async () => {
    await using talk = await Talk.start();
    talk.model.script([
      write({ verifiedBy: "test -f  fixed" }),
      run("test -f fixed"),
      run("touch fixed"),
      run("test -f fixed"),
      call("todo_operations", {
        operation: "update",
        todoUpdates: [{ id: 1, status: "completed" }],
      }),
      say("Fixed."),
    ]);
    await talk.say("fix it");
    await talk.sees("Fixed.");
    expect(proposals(talk)).toEqual([false, false, false, false, true, false]);
    expect(talk.model.problems).toEqual([]);
  });

  it("are proposed no longer when their command fails again [16.3]", async () => {
    await using talk = await Talk.start();
    talk.model.script([
      write({ verifiedBy: "test ! -f broken" }),
      run("test ! -f broken"),
      run("touch broken"),
      run("test ! -f broken"),
      say("Broken."),
    ]);
    await talk.say("fix it");
    await talk.sees("Broken.");
    expect(proposals(talk)).toEqual([false, false, true, true, false]);
  });

  it("show the progress that a running call reports, and their own once it ended [16.4]", async () => {
    const report = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const probe = single("probe", async (_, { progress }) => {
      await report.promise;
      progress("importing", 0.4);
      await end.promise;
      return { text: "imported" };
    });
    await using talk = await Talk.start({ tools: [probe] });
    const line = () =>
      talk
        .texts()
        .join("\n")
        .match(/🔄 1\. Fix it.*/)?.[0];
    const seen = { seen: () => talk.texts().join("\n---\n") };
    talk.model.script([write({ estimatedMinutes: 20 }), call("probe", {}), say("Imported.")]);
    await talk.say("import it");
    await until(() => line() === "🔄 1. Fix it (estimated 20 min)", "the board [16.2]", seen);
    report.resolve();
    const moving = "🔄 1. Fix it (▰▰▱▱▱ 40 %, estimated 20 min)";
    await until(() => line() === moving, "the progress of the call", seen);
    end.resolve();
    await talk.sees("Imported.");
    await until(
      () => line() === "🔄 1. Fix it (estimated 20 min)",
      "the todo's own progress",
      seen,
    );
  });
});

describe("a call of the model", () => {
  it("knows the thread, the person and the words of the mention behind it [1.4]", async () => {
    const contexts: unknown[] = [];
    const probe = single("probe", async (_, { workspace: _w, signal: _s, ...context }) => {
      contexts.push(context);
      return { text: "probed" };
    });
    await using talk = await Talk.start({ tools: [probe] });
    talk.model.script([call("probe", {}, { id: "call_of_the_model" }), say("Probed.")]);
    await talk.say("please probe the build");
    await talk.sees("Probed.");
    // The model's own id returns to the model. Inside, ids are ours: some servers repeat theirs in every step.
    expect(talk.model.requests.at(-1)?.results).toMatchObject([{ callId: "call_of_the_model" }]);
    const journal = await talk.store.read(talk.thread);
    const started = journal.find(({ kind }) => kind === "call.started")?.data;
    expect(contexts).toEqual([
      expect.objectContaining({
        conversation: talk.thread,
        scope: talk.thread,
        userId: `memory:${talk.ada.id}`,
        requestText: "please probe the build",
        callId: (started as { callId?: string }).callId,
        isUserInitiated: false,
        isExternalCall: false,
        sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        metadata: {},
      }),
    ]);
  });
});
