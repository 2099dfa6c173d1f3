import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ErrorKind, ToolError } from "../../../src/contract/tools/operation.ts";
import { type ToolContext, ToolResult } from "../../../src/contract/tools/tool-call.ts";
import { consolidated, lab, single } from "./support/lab.ts";

describe("a call", () => {
  it("1.4 knows the world around it", async () => {
    let seen: ToolContext | undefined;
    const box = lab({
      tools: [
        single("probe", async (_params, context) => {
          seen = context;
          return { text: "" };
        }),
      ],
    });
    await box.call("probe", "{}", {
      conversation: "T1",
      userId: "U1",
      requestText: "please",
      callId: "llm-9",
    });
    expect(seen).toMatchObject({
      conversation: "T1",
      userId: "U1",
      requestText: "please",
      callId: "llm-9",
      scope: "T1",
      isUserInitiated: false,
      isExternalCall: false,
      metadata: {},
    });
    const first = seen;
    await box.call("probe", "{}", {
      callId: "",
      scope: "topic",
      initiatedBy: "human",
      isExternalCall: true,
    });
    expect(seen).toMatchObject({ scope: "topic", isUserInitiated: true, isExternalCall: true });
    expect(seen?.callId).toMatch(/^[0-9a-f-]{36}$/);
    expect(seen?.sessionId).not.toBe(first?.sessionId);
  });

  it("1.20 gives a result that survives JSON, each with an id of its own", async () => {
    const box = lab({
      tools: [single("probe", async () => ({ text: "x", data: { a: [1, { b: 2 }] } }))],
    });
    const [one, other] = [await box.call("probe"), await box.call("probe")];
    expect(ToolResult.parse(JSON.parse(JSON.stringify(one)))).toEqual(one);
    expect(one.executionId).not.toBe(other.executionId);
    expect(one.output).toEqual({
      content: "x",
      mimeType: "text/plain",
      additionalData: { a: [1, { b: 2 }] },
    });
    expect(one.metadata.version).toBe("1.0");
  });

  it("1.21 bears the public name of its tool, and the operation beside it", async () => {
    const box = lab({ tools: [consolidated("file_operations", { read_file: {} })] });
    const result = await box.call("file_operations.read_file");
    expect(result.toolName).toBe("file_operations");
    expect(result.metadata.additionalContext.operation).toBe("read_file");
  });

  it("1.22 is measured, also when it fails", async () => {
    const box = lab({ tools: [single("slow", async () => ({ text: String(await sleep(20)) }))] });
    const began = performance.now();
    const { executionTimeMs } = (await box.call("slow")).performance;
    expect(executionTimeMs).toBeGreaterThanOrEqual(19);
    expect(executionTimeMs).toBeLessThanOrEqual(performance.now() - began + 5);
    expect((await box.call("slow", "{oops")).performance.executionTimeMs).toBeTypeOf("number");
  });

  it("1.23 tells that it started, what it does, and once how it ended", async () => {
    const box = lab({
      tools: [
        single("slow", async (_params, { progress }) => {
          progress("half", 0.5);
          progress("nearly", 7);
          return { text: "" };
        }),
        single("failing", async () => {
          throw new ToolError("executionFailed", "no");
        }),
      ],
    });
    const slow = await box.call("slow", {}, { callId: "s" });
    await box.call("failing", {}, { callId: "f", parentToolName: "the plan" });
    const events = await box.told();
    const kinds = (callId: string) =>
      events.flatMap((event) =>
        event.type === "tool" && event.event.callId === callId ? [event.event.kind] : [],
      );
    expect(kinds("s")).toEqual(["toolStarted", "progress", "progress", "toolCompleted"]);
    expect(kinds("f")).toEqual(["toolStarted", "toolFailed"]);
    expect(slow.progressEvents.map((event) => event.kind)).toEqual(kinds("s"));
    const fractions = events.flatMap((event) =>
      event.type === "toolProgress" ? [event.progress] : [],
    );
    expect(fractions).toEqual([0.5, 1]);
    const titles = slow.progressEvents.map((event) => event.display?.actionDisplayName);
    expect(new Set(titles).size).toBe(1);
  });

  it("1.25 names the plan or subagent that it is a part of", async () => {
    const box = lab({ tools: [single("probe", async () => ({ text: "" }))] });
    const result = await box.call("probe", {}, { parentToolName: "deploy" });
    expect(result.progressEvents.map((event) => event.parentToolName)).toEqual([
      "deploy",
      "deploy",
    ]);
  });

  it("1.23 does not let a talkative tool fill the memory, and keeps its beginning and end", async () => {
    const box = lab({
      tools: [
        single("chatty", async (_params, { progress }) => {
          for (let index = 0; index < 2000; index += 1) progress(`line ${index}`);
          return { text: "" };
        }),
      ],
    });
    const { progressEvents } = await box.call("chatty");
    expect(progressEvents.length).toBeLessThanOrEqual(101);
    expect(progressEvents[0]?.kind).toBe("toolStarted");
    expect(progressEvents.at(-2)?.message).toBe("line 1999");
    expect(progressEvents.at(-1)?.kind).toBe("toolCompleted");
  });

  it("1.39 of a tool whose line breaks still gets a card with its name", async () => {
    const box = lab({
      tools: [
        single("odd", async () => ({ text: "" }), {
          line: () => {
            throw new Error("oops");
          },
        }),
        single("mute", async () => ({ text: "" }), { line: () => "" }),
      ],
    });
    for (const name of ["odd", "mute"]) {
      const { progressEvents } = await box.call(name);
      expect(progressEvents[0]?.display?.actionDisplayName).toContain(name);
    }
  });
});

describe("a failure", () => {
  it("1.26 is of one of five kinds, each with a sentence of its own", async () => {
    const kinds = ErrorKind.options;
    const box = lab({
      tools: kinds.map((kind) =>
        single(`fails_${kind}`, async () => {
          throw new ToolError(kind, `about ${kind} 42`);
        }),
      ),
    });
    const results = await Promise.all(kinds.map((kind) => box.call(`fails_${kind}`)));
    expect(results.map((result) => result.kind)).toEqual(kinds);
    for (const [index, result] of results.entries()) {
      expect(result.output.content).toBe(`Error (${kinds[index]}): about ${kinds[index]} 42`);
    }
  });

  it("1.27 that is unexpected goes to the log with its stack and nowhere else, without secrets", async () => {
    const box = lab({
      secret: "xoxb-1-secret",
      tools: [
        single("broken", async () => {
          throw new Error("cannot post with xoxb-1-secret");
        }),
      ],
    });
    const result = await box.call("broken");
    expect(result).toMatchObject({ success: false, kind: "executionFailed" });
    expect(result.output.content).toContain("cannot post with");
    expect(box.warnings.join()).toContain("dispatch.test.ts");
    const everything = JSON.stringify([result, box.warnings, await box.told()]);
    expect(everything).not.toContain("xoxb-1-secret");
    expect(JSON.stringify(result)).not.toContain("dispatch.test.ts");
    expect((await box.told()).map((event) => event.type)).toContain("toolError");
  });

  it("1.27 of whatever was thrown is a result", async () => {
    const thrown: unknown[] = [
      undefined,
      null,
      "text",
      7,
      { a: 1 },
      Object.create(null),
      Symbol("s"),
    ];
    for (const value of thrown) {
      const box = lab({ tools: [single("odd", () => Promise.reject(value))] });
      expect(await box.call("odd")).toMatchObject({ success: false, kind: "executionFailed" });
    }
    const sudden = lab({
      tools: [
        single("sudden", () => {
          throw new Error("at once");
        }),
      ],
    });
    expect((await sudden.call("sudden")).output.content).toContain("at once");
    const liar = lab({ tools: [single("liar", async () => undefined as never)] });
    expect(await liar.call("liar")).toMatchObject({ success: false, kind: "executionFailed" });
  });

  it("1.28 says JSON only where it is JSON, also with quotes and newlines in it", async () => {
    const path = 'a"b\n\\c';
    const box = lab({
      tools: [
        single("good", async () => ({
          text: JSON.stringify({ path }),
          mimeType: "application/json",
        })),
        single("bad", async () => ({ text: `{"path": "${path}"}`, mimeType: "application/json" })),
        single("failing", async () => {
          throw new ToolError("executionFailed", `no ${path}`, { path, exitCode: 1 });
        }),
      ],
    });
    for (const name of ["good", "bad", "failing"]) {
      const { output } = await box.call(name);
      const isJson = output.mimeType === "application/json";
      expect(isJson).toBe(name === "good");
      if (isJson) expect(JSON.parse(output.content)).toEqual({ path });
    }
    const { output } = await box.call("failing");
    expect(JSON.parse(output.content.slice(output.content.lastIndexOf("\n")))).toEqual({
      path,
      exitCode: 1,
    });
  });

  it("carries no data that JSON cannot keep", async () => {
    const circle: Record<string, unknown> = { big: 10n };
    const box = lab({ tools: [single("odd", async () => ({ text: "fine", data: circle }))] });
    expect((await box.call("odd")).output.additionalData).toEqual({ big: "10" });
    circle.self = circle;
    expect(await box.call("odd")).toMatchObject({ success: true, output: { content: "fine" } });
  });
});
