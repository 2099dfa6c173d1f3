import { describe, expect, it } from "vitest";
import type {
  Spawner,
  SubagentOrder,
  SubagentReport,
} from "../../../src/contract/conversation/subagent.ts";
import { flatSchema } from "../../../src/contract/tools/tool-schema.ts";
import { createRunSubagent, runSubagent } from "../../../src/tools/run-subagent.ts";
import { call, contextOf, failureOf } from "../../support/calls.ts";

const done: SubagentReport = {
  status: "completed",
  conversation: "A/sub-1",
  steps: 4,
  durationMs: 2345,
  toolsUsed: ["file_operations", "think"],
  text: "All three are fine.",
};

function lab(report: SubagentReport = done) {
  const orders: SubagentOrder[] = [];
  const spawner: Spawner = {
    spawn: async (order) => {
      orders.push(order);
      return report;
    },
  };
  const here: { spawner?: Spawner } = { spawner };
  const tool = createRunSubagent({
    spawner: () => here.spawner,
    prompts: {
      systemPrompts: async () => [{ id: "reviewer", name: "Reviewer", description: "Reads." }],
      miniPrompts: async () => [],
    },
  });
  return { orders, here, tool };
}

const least = { task: "Check licences", instructions: "Look at every package." };

describe("run_subagent", () => {
  it("10.1 needs a task and instructions only, and fills in the rest", async () => {
    const { orders, tool } = lab();
    const context = contextOf("A", { userId: "U1" });
    await call(tool, least, context);
    expect(orders).toEqual([
      {
        ...least,
        parent: "A",
        callId: "call-1",
        userId: "U1",
        maxIterations: 15,
        enableTerminalAccess: false,
        enableWorkflowMode: false,
        enableDynamicIterations: false,
        signal: context.signal,
        progress: context.progress,
      },
    ]);
    expect(flatSchema(runSubagent).required).toEqual(["task", "instructions"]);
  });

  it("10.1 hands every parameter on, whether the operation is named or not", async () => {
    const { orders, tool } = lab();
    const all = {
      ...least,
      model: "small",
      maxIterations: 7,
      temperature: 0.7,
      topP: 0.9,
      enableTerminalAccess: true,
      enableReasoning: false,
      systemPromptId: "reviewer",
      enableWorkflowMode: true,
      enableDynamicIterations: true,
      sharedTopicId: "infra",
    };
    await call(tool, { ...all, operation: "run", temperature: "0.7", maxIterations: "7" });
    expect(orders[0]).toMatchObject(all);
    expect(orders[0]).not.toHaveProperty("operation");
  });

  it.each([
    [{ task: "" }, "task"],
    [{ instructions: " " }, "instructions"],
    [{ instructions: undefined }, "instructions"],
    [{ temperature: "hot" }, "temperature"],
    [{ temperature: 2.1 }, "temperature"],
    [{ topP: -0.1 }, "topP"],
    [{ maxIterations: 0 }, "maxIterations"],
    [{ enableTerminalAccess: "maybe" }, "enableTerminalAccess"],
    [{ operation: "kill" }, "operation"],
    [{ systemPromptId: "nobody" }, "nobody"],
  ])("10.1 refuses %j and names it", async (wrong, named) => {
    const { orders, tool } = lab();
    expect(await failureOf(tool, { ...least, ...wrong })).toMatchObject({
      kind: "invalidParameters",
      message: expect.stringContaining(named),
    });
    expect(orders).toEqual([]);
  });

  it("10.1 caps the number of steps", async () => {
    const { orders, tool } = lab();
    await call(tool, { ...least, maxIterations: 5000 });
    expect(orders[0]?.maxIterations).toBe(100);
  });

  it("10.4 answers with a summary", async () => {
    const { text, data } = await call(lab().tool, least);
    expect(text).toBe(
      "Task: Check licences\nStatus: completed\nSteps: 4, in 2.3 s\n" +
        "Tools used: file_operations, think\nConversation: A/sub-1\n\nResult:\nAll three are fine.",
    );
    expect(data).toMatchObject({ status: "completed", conversation: "A/sub-1", isCut: false });
  });

  it("10.4 cuts a long result at 2000 characters, never through one", async () => {
    const { text } = await call(lab({ ...done, text: "🚢".repeat(5000) }).tool, least);
    expect(text.match(/🚢/gu)).toHaveLength(2000);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toMatch(/A\/sub-1[\s\S]*… cut; it has 5000 characters in all\.$/);
  });

  it.each([
    ["outOfSteps", /not finished: it ran out of steps/],
    ["failed", /Status: failed/],
    ["stopped", /Status: stopped/],
  ] as const)(
    "10.10 a child that ended as %s is a failed call with what there is",
    async (status, said) => {
      const { tool } = lab({ ...done, status, reason: "the model is gone", text: "Two of three" });
      const failure = await failureOf(tool, least);
      expect(failure).toMatchObject({ success: false, kind: "executionFailed", status });
      expect(failure.message).toMatch(said);
      expect(failure.message).toMatch(/the model is gone[\s\S]*Two of three/);
    },
  );

  it("10.8 passes on what the parent should know", async () => {
    const { tool } = lab({ ...done, notice: 'There is no topic "infra".' });
    expect((await call(tool, least)).text).toContain('Note: There is no topic "infra".');
  });

  it("10.9 refuses clearly without a spawner, and 1.9 works once one has come", async () => {
    const { here, tool } = lab();
    const { spawner } = here;
    delete here.spawner;
    expect((await failureOf(tool, least)).message).toMatch(/no spawner/);
    if (spawner) here.spawner = spawner;
    await expect(call(tool, least)).resolves.toHaveProperty("text");
  });

  it.each([
    [least, "Running subagent: Check licences", ["Instructions: Look at every package."]],
    [{}, "Running subagent", []],
    [
      { ...least, model: "small" },
      "Running subagent: Check licences",
      ["Instructions: Look at every package.", "Model: small"],
    ],
  ])("1.40 %j is shown as %j", (args, line, details) => {
    const operation = runSubagent.operations.run_subagent;
    expect(operation.line(args)).toBe(line);
    expect(operation.details?.(args)).toEqual(details);
  });
});
