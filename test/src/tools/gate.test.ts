import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { consolidated, lab } from "./support/lab.ts";

const ASK = { outcome: "ask", reason: "/etc/x lies outside the workspace /workspace" } as const;

describe("the guard's word", () => {
  const probe = () => {
    let runs = 0;
    const tool = consolidated("file_operations", {
      create_file: {
        level: "standard",
        line: () => "Creating file: x",
        params: z.object({ filePath: z.string() }),
      },
    });
    const run: typeof tool.run = async (_operation, params, { permission }) => {
      runs += 1;
      return { text: JSON.stringify({ params, permission }) };
    };
    return { tool: { ...tool, run }, count: () => runs };
  };
  const args = { operation: "create_file", filePath: "/etc/x" };

  it("is asked once per call, with the level and exactly what would run", async () => {
    const { tool } = probe();
    const asked: unknown[] = [];
    const box = lab({
      tools: [tool],
      verdict: async (call, context) => {
        asked.push({
          key: call.operationKey,
          level: call.level,
          params: call.params,
          by: context.callId,
        });
        return { outcome: "allowed", reason: "", as: "root", paths: ["/etc/x"] };
      },
    });
    const result = await box.call("file_operations", args, { callId: "c" });
    expect(asked).toEqual([
      {
        key: "file_operations.create_file",
        level: "standard",
        params: { filePath: "/etc/x" },
        by: "c",
      },
    ]);
    expect(JSON.parse(result.output.content)).toEqual({
      params: { filePath: "/etc/x" },
      permission: { as: "root", paths: ["/etc/x"] },
    });
  });

  it("may put resolved parameters in the place of the call's own", async () => {
    const { tool } = probe();
    const verdict = { outcome: "allowed", reason: "", params: { filePath: "/real" } } as const;
    const result = await lab({ tools: [tool], verdict }).call("file_operations", args);
    expect(JSON.parse(result.output.content).params).toEqual({ filePath: "/real" });
  });

  it("no is a failed result, and nothing runs", async () => {
    const { tool, count } = probe();
    const box = lab({ tools: [tool], verdict: { outcome: "denied", reason: "not here" } });
    const result = await box.call("file_operations", args);
    expect(result).toMatchObject({ success: false, kind: "permissionDenied" });
    expect(result.output.content).toContain("Refused: not here");
    expect(count()).toBe(0);
    expect(box.states()).toEqual([
      "Queued",
      "Validating",
      "CheckingAuth",
      "AuthDenied",
      "GenerateResult",
      "AddMetrics",
      "AddEvents",
    ]);
  });

  it("that cannot be had is a no", async () => {
    const { tool, count } = probe();
    const box = lab({ tools: [tool], verdict: () => Promise.reject(new Error("store down")) });
    expect(await box.call("file_operations", args)).toMatchObject({
      success: false,
      kind: "permissionDenied",
    });
    expect(count()).toBe(0);
    const senseless = lab({
      tools: [tool],
      verdict: () => Promise.reject(new ToolError("invalidParameters", "no such path")),
    });
    expect(await senseless.call("file_operations", args)).toMatchObject({
      kind: "invalidParameters",
    });
  });

  it("4.7 ask tells the model how to ask where the bot does not ask by itself", async () => {
    const { tool, count } = probe();
    const box = lab({ tools: [tool], verdict: ASK });
    const result = await box.call("file_operations", args);
    expect(result).toMatchObject({
      success: false,
      kind: "permissionDenied",
      requiresAuthorization: {
        operationKey: "file_operations.create_file",
        reason: expect.stringContaining("/etc/x"),
      },
    });
    for (const part of [
      "file_operations.create_file",
      "/etc/x",
      "user_collaboration",
      "authorize_operation",
    ]) {
      expect(result.output.content).toContain(part);
    }
    expect(count()).toBe(0);
  });

  it("1.37 ask waits for a human, and the approved call goes through every state in order", async () => {
    const { tool, count } = probe();
    let isGranted = false;
    const box = lab({
      tools: [tool],
      verdict: async () => (isGranted ? { outcome: "allowed", reason: "grant" } : ASK),
    });
    const turn = box.turn({ asks: true });
    const call = { callId: "c", name: "file_operations", arguments: JSON.stringify(args) };
    const waiting = await box.toolbox.runCall(call, turn);
    expect(waiting).toMatchObject({
      outcome: "waiting",
      callId: "c",
      call: { operationKey: "file_operations.create_file", params: { filePath: "/etc/x" } },
    });
    expect(count()).toBe(0);
    isGranted = true;
    const done = await box.toolbox.runCall(call, turn, { outcome: "approved" });
    expect(done).toMatchObject({ outcome: "finished", result: { success: true, callId: "c" } });
    expect(box.states()).toEqual([
      "Queued",
      "Validating",
      "CheckingAuth",
      "AuthPending",
      "BlockingWait",
      "UserResponded",
      "CheckingAuth",
      "Executing",
      "Routing",
      "InternalTool",
      "DirectExecution",
      "Success",
      "GenerateResult",
      "AddMetrics",
      "AddEvents",
    ]);
    expect(new Set(box.entries.map(({ operation }) => operation))).toEqual(
      new Set(["file_operations.create_file"]),
    );
    const kinds = (await box.told()).flatMap((event) =>
      event.type === "tool" ? [event.event.kind] : [],
    );
    expect(kinds).toEqual(["toolStarted", "progress", "toolCompleted"]);
  });

  it("4.9 is asked anew after the approval, and may ask again", async () => {
    const { tool, count } = probe();
    const box = lab({ tools: [tool], verdict: ASK });
    const turn = box.turn({ asks: true });
    const call = { callId: "c", name: "file_operations", arguments: args };
    await box.toolbox.runCall(call, turn);
    const again = await box.toolbox.runCall(call, turn, { outcome: "approved" });
    expect(again.outcome).toBe("waiting");
    expect(count()).toBe(0);
  });

  it("a human's no is a failed result that says so, and nothing runs", async () => {
    const { tool, count } = probe();
    const box = lab({ tools: [tool], verdict: ASK });
    const result = await box.call("file_operations", args, {
      asks: true,
      decision: { outcome: "rejected", reason: "not today" },
    });
    expect(result).toMatchObject({
      success: false,
      kind: "permissionDenied",
      output: { additionalData: { rejected: true } },
    });
    expect(result.output.content).toContain("not today");
    expect(count()).toBe(0);
    expect(box.states().slice(0, 2)).toEqual(["UserRejected", "GenerateResult"]);
  });
});
