import { beforeEach, describe, expect, it } from "vitest";
import type { AnswerOfUser, Question } from "../../../src/contract/permission/question.ts";
import { buildAndVersionControl } from "../../../src/contract/tools/build-and-version-control.ts";
import { fileOperations } from "../../../src/contract/tools/file-operations.ts";
import type { Tool } from "../../../src/contract/tools/operation.ts";
import { ToolRegistry } from "../../../src/tools/registry.ts";
import {
  createUserCollaboration,
  userCollaboration,
} from "../../../src/tools/user-collaboration.ts";
import { call, contextOf, failureOf, recordingHub } from "../../support/calls.ts";

const yes: AnswerOfUser = {
  outcome: "answered",
  text: "Yes, proceed",
  decision: "approve",
  userId: "U1",
  askedAt: "2030-01-01T10:00:00.000Z",
  answeredAt: "2030-01-02T10:00:01.500Z",
};

function lab() {
  const asked: Question[] = [];
  const granted: object[] = [];
  const people = { answer: Promise.resolve(yes) as Promise<AnswerOfUser>, autoApprove: ["auto"] };
  const registry = new ToolRegistry({ events: recordingHub(), warn: () => {} });
  for (const definition of [fileOperations, buildAndVersionControl] as Tool[]) {
    registry.register({ definition, run: () => Promise.reject(new Error("Not to be run.")) });
  }
  const tool = createUserCollaboration({
    questions: {
      ask: (question) => {
        asked.push(question);
        return people.answer;
      },
    },
    operationKey: (given) => registry.findOperation(given)?.key,
    isAutoApproved: async (conversation) => people.autoApprove.includes(conversation),
    grantUnasked: async (permission) => {
      granted.push(permission);
    },
  });
  return { asked, granted, people, tool };
}

let { asked, granted, people, tool } = lab();
beforeEach(() => {
  ({ asked, granted, people, tool } = lab());
});

describe("user_collaboration", () => {
  it("3.4 5.1 asks with the prompt, the context and the operation", async () => {
    const authorize_operation = "file_operations.create_file";
    await call(tool, { prompt: "May I?", context: "It is for the log.", authorize_operation });
    expect(asked).toEqual([
      {
        conversation: "A",
        callId: "call-1",
        prompt: "May I?",
        context: "It is for the log.",
        authorizeOperation: authorize_operation,
      },
    ]);
  });

  it.each([{}, { prompt: "" }, { prompt: "  \n" }, { prompt: 7 }])(
    "5.1 refuses %j before anybody is asked",
    async (args) => {
      expect(await failureOf(tool, args)).toMatchObject({ kind: "invalidParameters" });
      expect(asked).toEqual([]);
    },
  );

  it("5.2 is blocking, and settles only once somebody has answered", async () => {
    expect(userCollaboration.operations.user_collaboration.execution).toBe("blocking");
    const { promise, resolve } = Promise.withResolvers<AnswerOfUser>();
    people.answer = promise;
    let isOver = false;
    const result = call(tool, { prompt: "Which one?" }).finally(() => {
      isOver = true;
    });
    await expect.poll(() => asked.length).toBe(1);
    await new Promise(setImmediate);
    expect({ isOver, asked: asked.length }).toEqual({ isOver: false, asked: 1 });
    resolve(yes);
    expect((await result).text).toContain("Yes, proceed");
  });

  it("5.8 gives the answer, tells to go on, and says who decided what after how long", async () => {
    const result = await call(tool, {
      prompt: "May I?",
      authorize_operation: "file_operations.create_file",
    });
    expect(result.text).toBe(
      "The user answered: Yes, proceed\n" +
        "file_operations.create_file was approved: call it now.\n" +
        "Use this answer and continue the task; do not end the conversation here.",
    );
    expect(result.data).toEqual({
      toolCallId: "call-1",
      waitTimeSeconds: 86_401.5,
      userResponse: "Yes, proceed",
      decision: "approve",
      userId: "U1",
    });
  });

  it.each([
    ["deny", "No.", /create_file was rejected and stays forbidden/],
    [undefined, "Maybe later", /create_file was neither approved nor rejected and stays forbidden/],
  ] as const)("5.8 the decision %s is an answer, too", async (decision, text, expected) => {
    const { decision: _, userId: __, ...rest } = yes;
    people.answer = Promise.resolve({ ...rest, text, ...(decision && { decision }) });
    const args = { prompt: "May I?", authorize_operation: "file_operations.create_file" };
    const result = await call(tool, args);
    expect(result.text).toMatch(expected);
    expect(result.data?.userResponse).toBe(text);
    expect(result.data?.decision).toBe(decision);
    expect(granted).toEqual([]);
  });

  it("5.8 says nothing of permissions where none was asked for", async () => {
    const { text } = await call(tool, { prompt: "Which colour?" });
    expect(text).not.toMatch(/approved|forbidden/);
  });

  it("5.13 a cancelled question is a failed call", async () => {
    people.answer = Promise.resolve({ outcome: "cancelled" });
    expect(await failureOf(tool, { prompt: "May I?" })).toMatchObject({
      success: false,
      message: expect.stringContaining("cancelled"),
    });
  });

  it.each(["*", "file_operations", "file_operations.zap", "nosuch.read", "file_operations.*", "."])(
    "4.28 %j names no operation and is refused before anybody is asked",
    async (authorize_operation) => {
      for (const conversation of ["A", "auto"]) {
        const context = contextOf(conversation);
        expect(
          await failureOf(tool, { prompt: "May I?", authorize_operation }, context),
        ).toMatchObject({
          kind: "invalidParameters",
          message: expect.stringContaining(authorize_operation),
        });
      }
      expect({ asked, granted }).toEqual({ asked: [], granted: [] });
    },
  );

  it("1.12 asks by the canonical name of an operation", async () => {
    await call(tool, { prompt: "May I?", authorize_operation: "build_version_control.git_commit" });
    expect(asked[0]?.authorizeOperation).toBe("build_and_version_control.git_commit");
  });

  it("4.23 5.14 auto-approve answers at once, names the prompt and makes the grant", async () => {
    const args = { prompt: "May I?", authorize_operation: "file_operations.create_file" };
    const result = await call(tool, args, contextOf("auto"));
    expect(result.text).toMatch(/Auto-approved.*"May I\?".*create_file is allowed/);
    expect(result.data).toMatchObject({ decision: "approve", autoApproved: true });
    expect(granted).toEqual([
      { conversation: "auto", callId: "call-1", operationKey: "file_operations.create_file" },
    ]);
    expect(asked).toEqual([]);
  });

  it("4.23 auto-approve of a mere question grants nothing", async () => {
    expect((await call(tool, { prompt: "May I?" }, contextOf("auto"))).text).toContain('"May I?"');
    expect({ asked, granted }).toEqual({ asked: [], granted: [] });
  });

  it("4.25 5.14 a caller from outside is told at once that input is required, even under auto-approve", async () => {
    people.answer = new Promise(() => {});
    for (const conversation of ["A", "auto"]) {
      const context = contextOf(conversation, { isExternalCall: true });
      const result = await call(tool, { prompt: "May I?", context: "For the log." }, context);
      expect(result.text).toBe("User input required.\n\nFor the log.\n\nMay I?");
      expect(result.data).toMatchObject({ userInputRequired: true, prompt: "May I?" });
    }
    expect({ asked, granted }).toEqual({ asked: [], granted: [] });
  });

  it.each([
    [{ prompt: "Which colour?" }, "Asking: Which colour?", []],
    [{}, "Asking", []],
    [
      { prompt: "@everyone", authorize_operation: "a.b" },
      "Asking: @everyone",
      ["For permission to use: a.b"],
    ],
  ])("1.40 %j is shown as %j", (args, line, details) => {
    const operation = userCollaboration.operations.user_collaboration;
    expect(operation.line(args)).toBe(line);
    expect(operation.details?.(args)).toEqual(details);
  });
});
