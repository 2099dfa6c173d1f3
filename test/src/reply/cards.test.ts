import { describe, expect, it } from "vitest";
import type { View } from "../../../src/contract/platform/view.ts";
import type { ProgressEvent } from "../../../src/contract/tools/tool-call.ts";
import { questionOptions } from "../../../src/lib/text/question-options.ts";
import {
  type Activity,
  activityView,
  foldActivity,
  NO_ACTIVITY,
} from "../../../src/reply/activity.ts";
import {
  approvalView,
  questionView,
  threadButtons,
  todoBoardView,
} from "../../../src/reply/cards.ts";
import { approvalOf, todoList } from "../../contracts/adapter/views.ts";

describe("the activity of a turn", () => {
  const event = (
    kind: ProgressEvent["kind"],
    more: Partial<ProgressEvent> = {},
  ): ProgressEvent => ({
    kind,
    toolName: "terminal_operations",
    callId: "c1",
    display: {
      action: "run_command",
      actionDisplayName: "Running: npm test",
      details: ["foreground"],
      status: kind === "toolFailed" ? "error" : "running",
    },
    timestamp: "2026-11-16T12:00:00.000Z",
    ...more,
  });
  const folded = (...events: ProgressEvent[]): Activity => events.reduce(foldActivity, NO_ACTIVITY);
  const lines = (activity: Activity) => activity.calls.map(({ line }) => line);

  it("1.24 has its line when the call starts, and its title never changes", () => {
    expect(lines(folded(event("toolStarted")))).toEqual([
      { callId: "c1", title: "Running: npm test", details: ["foreground"], status: "running" },
    ]);
    const other = { action: "x", actionDisplayName: "Something else", status: "success" as const };
    const ended = folded(
      event("toolStarted"),
      event("progress", { message: "1 of 9\n2 of 9" }),
      event("toolCompleted", { display: other }),
    );
    expect(lines(ended)).toEqual([
      {
        callId: "c1",
        title: "Running: npm test",
        details: ["foreground"],
        status: "success",
        output: "1 of 9\n2 of 9",
      },
    ]);
  });

  it.each([
    ["Running: git push", ["Command: git push", "in the foreground"], []],
    ["Running: npm test", ["Command: npm test", "in the background"], ["in the background"]],
    ["Reading file: a.md", ["File: a.md", "lines 1 to 9"], ["lines 1 to 9"]],
    ["Searching code: q", ["Pattern: q", "regular expression"], ["regular expression"]],
    [`Running: ${"x".repeat(77)}...`, [`Command: ${"x".repeat(67)}...`], []],
    ["Renaming file: a to b", ["From: a", "To: b"], ["To: b"]],
    ["Finding files: *.ts", ["Pattern: *.ts", "In: src"], ["In: src"]],
    ["Checking for errors", ["Project: app"], ["Project: app"]],
  ])("says nothing twice below %s", (actionDisplayName, details, shown) => {
    const display = { action: "x", actionDisplayName, details, status: "running" as const };
    expect(lines(folded(event("toolStarted", { display })))[0]?.details).toEqual(shown);
  });

  it("says in words why a call failed, and shows as output what a program printed", () => {
    const words = event("toolFailed", { message: "Denied.", details: ["Denied."] });
    const [denied] = lines(folded(event("toolStarted"), words));
    expect(denied).toMatchObject({ status: "error", details: ["Denied."] });
    expect(denied?.output).toBeUndefined();
  });

  it("5.7 says when a human is waited for, and what went wrong", () => {
    const waiting = { action: "x", actionDisplayName: "x", status: "userInputRequired" as const };
    const [asked] = lines(folded(event("toolStarted"), event("progress", { display: waiting })));
    expect(asked?.status).toBe("userInputRequired");
    const why = event("progress", { display: waiting, message: "It pushes." });
    expect(lines(folded(event("toolStarted"), why))[0]?.output).toBeUndefined();
    const [failed] = lines(
      folded(event("toolStarted"), event("toolFailed", { message: "exit code 1" })),
    );
    expect(failed).toMatchObject({ status: "error", output: "exit code 1" });
  });

  it("1.24 user_collaboration gets no line: its prompt is its card", () => {
    expect(folded(event("toolStarted", { toolName: "user_collaboration" }))).toEqual(NO_ACTIVITY);
  });

  it("1.25 what a subagent does stands below it", () => {
    const sub = { toolName: "run_subagent", callId: "s" };
    const activity = folded(
      event("toolStarted", sub),
      event("toolStarted", { callId: "other" }),
      event("toolStarted", { callId: "n1", parentToolName: "run_subagent" }),
      event("toolStarted", { callId: "n2", parentToolName: "run_subagent" }),
    );
    expect(lines(activity).map(({ callId }) => callId)).toEqual(["s", "n1", "n2", "other"]);
    expect(lines(activity)[1]?.parent).toBe("run_subagent");
  });

  it("keeps of much output its last lines", () => {
    const message = Array.from({ length: 10_000 }, (_, index) => `line ${index}`).join("\n");
    const [line] = lines(folded(event("toolStarted"), event("progress", { message })));
    expect(line?.output).toBe("line 9995\nline 9996\nline 9997\nline 9998\nline 9999");
  });

  it("1.39 a tool without a display is called by its name", () => {
    const { display: _, ...bare } = event("toolStarted");
    expect(lines(folded(bare))[0]?.title).toBe("terminal_operations");
  });

  it("becomes a card with buttons", () => {
    const buttons = threadButtons({ isWorking: true });
    expect(activityView(folded(event("toolStarted")), "working", buttons)).toMatchObject({
      kind: "activity",
      status: "working",
      buttons: [{ label: "Stop" }, { label: "Todos" }, { label: "Terminal" }, { label: "Diff" }],
    });
    expect(threadButtons({ isWorking: false }).map(({ label }) => label)).not.toContain("Stop");
    expect(todoBoardView(todoList(["a"]), buttons)).toMatchObject({ kind: "todoBoard", buttons });
  });
});

describe("approvals and questions", () => {
  const buttonsOf = (view: View) => ("buttons" in view ? (view.buttons ?? []) : []);
  const asked = approvalOf("", "x");
  const effect = {
    ...asked.effect,
    buttons: [
      { choice: "once" as const, label: "Approve once", asksReason: false },
      { choice: "timed" as const, label: "Approve 5 min", asksReason: false },
      { choice: "deny" as const, label: "Deny", asksReason: false },
      { choice: "deny" as const, label: "Deny with reason", asksReason: true },
    ],
  };

  it("an approval's buttons carry its id, and only the one with a reason asks for text", () => {
    const buttons = buttonsOf(approvalView({ ...asked, effect }, { requester: "Ada" }));
    expect(buttons.map(({ action, form }) => [action, form !== undefined])).toEqual([
      ["approve:a1:once", false],
      ["approve:a1:timed", false],
      ["approve:a1:deny", false],
      ["approve:a1:deny:reason", true],
    ]);
  });

  it("P-A18 at high risk every approving button asks for the phrase", () => {
    const high = { ...asked, effect: { ...effect, phrase: "approve 1a2b" } };
    const [once, timed, deny] = buttonsOf(approvalView(high, { requester: "Ada" }));
    for (const button of [once, timed])
      expect(button?.form?.shows).toContainEqual({
        label: "To approve it, type",
        code: "approve 1a2b",
      });
    expect(deny?.form).toBeUndefined();
  });

  it("a decided approval has no buttons", () => {
    const decided = { ...approvalOf("no", "x"), effect };
    const view = approvalView(decided, { requester: "Ada", decidedBy: "Grace" });
    expect(view).toMatchObject({ decidedBy: "Grace", buttons: [] });
  });

  const question = { conversation: "c", callId: "call-1", prompt: "Which one?" };

  it("5.6 a question can be answered in words, and by a button where it offers few answers", () => {
    const labels = (prompt: string) =>
      buttonsOf(questionView({ ...question, prompt })).map(({ label }) => label);
    expect(labels("Which one?")).toEqual(["Answer"]);
    expect(labels("Which one?\n- red\n- green")).toEqual(["red", "green", "Answer"]);
    expect(buttonsOf(questionView(question))[0]?.form).toBeDefined();
  });

  it("5.16 the operation that a yes allows is shown, whatever the prompt says", () => {
    const prompt = "May I read a file?";
    const view = questionView({
      ...question,
      prompt,
      authorizeOperation: "file_operations.delete_file",
    });
    expect(view).toMatchObject({ operation: "file_operations.delete_file" });
    expect(buttonsOf(view).map(({ label }) => label)).toEqual(["Approve", "Deny"]);
  });

  it("5.13 what was answered or cancelled has no buttons", () => {
    const answer = { text: "red", by: "Ada", at: "2026-11-16T12:00:00.000Z" };
    expect(questionView(question, { answer })).toMatchObject({ answer, buttons: [] });
    expect(questionView(question, { isCancelled: true })).toMatchObject({
      isCancelled: true,
      buttons: [],
    });
    expect(questionView(question, { asker: "Subagent: tests" })).toMatchObject({
      asker: "Subagent: tests",
    });
  });

  it.each([
    ["Pick:\n1. one\n2. two\n3) three", ["one", "two", "three"]],
    ["Pick:\n* `main`\n* **dev**", ["main", "dev"]],
    ["Colour? (red/green/blue)", ["red", "green", "blue"]],
    ["Shall I? Yes or no?", ["Yes", "No"]],
    ["Pick:\n- one", []],
    [`Pick:\n${"- x\n".repeat(9)}`, []],
    ["Pick:\n- same\n- same", []],
    [`Pick:\n- ${"long ".repeat(30)}\n- b`, []],
    ["Which file of src/a.ts?", []],
    ["- a list\n- first\nand then a question?", []],
  ])("reads the answers that %j offers", (prompt, options) => {
    expect(questionOptions(prompt)).toEqual(options);
  });
});
