import { beforeEach, describe, expect, it } from "vitest";
import { createThink, think } from "../../../src/tools/think.ts";
import { createThoughtGuard } from "../../../src/tools/thought-guard.ts";
import { call, contextOf, failureOf, recordingHub } from "../../support/calls.ts";

function lab() {
  const hub = recordingHub();
  const guard = createThoughtGuard();
  const requests: string[][] = [];
  const tool = createThink({
    guard,
    hub,
    redact: (text) => text.replaceAll("hunter2", "[redacted: password]"),
    requestTools: (conversation, names) => {
      requests.push([conversation, ...names]);
      return {
        offered: names.filter((name) => name === "file_operations"),
        unknown: names.filter((name) => name === "frobnicate"),
        excluded: names.filter((name) => name === "run_subagent"),
      };
    },
  });
  return { hub, guard, requests, tool };
}

let { hub, guard, requests, tool } = lab();
beforeEach(() => {
  ({ hub, guard, requests, tool } = lab());
});

describe("think", () => {
  it("3.1 gives the thoughts back and shows them once", async () => {
    const thoughts = `First, <!channel>\nread. ${"x".repeat(200)}`;
    expect(await call(tool, { thoughts })).toEqual({ text: thoughts });
    expect(requests).toEqual([]);
    expect(hub.posted).toEqual([
      {
        conversation: "A",
        event: {
          type: "tool",
          event: {
            kind: "userMessage",
            toolName: "think",
            callId: "call-1",
            display: {
              action: "thinking",
              actionDisplayName: "Thinking",
              summary: `First, <!channel> read. ${"x".repeat(73)}...`,
              details: [thoughts],
              status: "success",
            },
            timestamp: "2030-01-01T00:00:00.000Z",
          },
        },
      },
    ]);
  });

  it.each([{}, { thoughts: "" }, { thoughts: " \n " }, { thoughts: 5 }])(
    "3.1 refuses %j",
    async (args) => {
      expect(await failureOf(tool, args)).toMatchObject({
        kind: "invalidParameters",
        message: expect.stringContaining("thoughts"),
      });
      expect(hub.posted).toEqual([]);
    },
  );

  it("3.2 asks for the tools it needs, and tells what became of that", async () => {
    const names = ["file_operations", "frobnicate", "run_subagent"];
    const { text, data } = await call(tool, { thoughts: "Hm.", requested_tools: names });
    expect(requests).toEqual([["A", ...names]]);
    expect(text).toBe(
      "Hm.\n\nAvailable from the next step: file_operations.\n" +
        "No tool with this name: frobnicate.\n" +
        "Not available in this conversation: run_subagent.",
    );
    expect(data).toEqual({
      offered: ["file_operations"],
      unknown: ["frobnicate"],
      excluded: ["run_subagent"],
    });
  });

  it("3.3 refuses the fourth thought in a row and tells to act, until something was done", async () => {
    for (const thoughts of ["a", "b", "c"]) await call(tool, { thoughts });
    for (const thoughts of ["d", "e"]) {
      expect(await failureOf(tool, { thoughts })).toMatchObject({
        success: false,
        message: expect.stringMatching(/Act now/),
      });
    }
    expect(hub.posted).toHaveLength(3);
    guard.acted("A");
    await expect(call(tool, { thoughts: "f" })).resolves.toEqual({ text: "f" });
  });

  it("3.3 thinking again after another tool is fine, however often", async () => {
    for (let round = 0; round < 10; round += 1) {
      await call(tool, { thoughts: "Next." });
      guard.acted("A");
    }
    expect(hub.posted).toHaveLength(10);
  });

  it("3.3 counts each conversation by itself", async () => {
    for (const thoughts of ["a", "b", "c"]) await call(tool, { thoughts });
    await expect(call(tool, { thoughts: "d" }, contextOf("B"))).resolves.toEqual({ text: "d" });
    guard.acted("B");
    await failureOf(tool, { thoughts: "e" });
  });

  it("1.40 is shown as thinking", () => {
    expect(think.operations.think.line({})).toBe("Thinking");
  });
});
