import { describe, expect, it } from "vitest";
import type { OperationResult } from "../../../src/contract/tools/operation.ts";
import type { ToolContext } from "../../../src/contract/tools/tool-call.ts";
import { workspaceTools } from "../../../src/contract/tools/workspace-tools.ts";
import type {
  CallOptions,
  Workspace,
  WorkspaceCall,
} from "../../../src/contract/workspace/workspace.ts";
import { createWorkspaceTools } from "../../../src/tools/workspace-tools.ts";
import { call, contextOf, failureOf } from "../../support/calls.ts";

/** A workspace that answers one thing, and what it was asked. */
function answering(result: OperationResult, more: Partial<ToolContext> = {}) {
  const asked: { call: WorkspaceCall; options: CallOptions }[] = [];
  const workspace: Pick<Workspace, "call"> = {
    call: async (given, options = {}) => {
      asked.push({ call: given, options });
      options.onProgress?.({ message: "half way" });
      return result;
    },
  };
  const told: string[] = [];
  const context = contextOf("A", {
    callId: "call-7",
    workspace: async () => workspace as Workspace,
    progress: (message) => told.push(message),
    ...more,
  });
  return { asked, told, context };
}

function toolNamed(name: string) {
  const tool = createWorkspaceTools().find(({ definition }) => definition.name === name);
  if (!tool) throw new Error(`${name} is not there`);
  return tool;
}

const read = { operation: "read_file", filePath: "a.txt", limit: "5", unknown: true };

describe("the tools of a workspace", () => {
  it("are one for each definition", () => {
    const names = createWorkspaceTools().map(({ definition }) => definition.name);
    expect(names).toEqual(workspaceTools.map(({ name }) => name));
    expect(names).toContain("terminal_operations");
  });

  it("run a call under its own id with its parsed parameters, and pass on stop and progress", async () => {
    const own = answering({ success: true, content: "hello", notice: "The shell is new." });
    const answer = await call(toolNamed("file_operations"), read, own.context);
    expect(own.asked).toMatchObject([
      {
        call: {
          id: "call-7",
          tool: "file_operations",
          args: { operation: "read_file", filePath: "a.txt", limit: 5 },
        },
      },
    ]);
    expect(own.asked[0]?.call).not.toHaveProperty("as");
    expect(own.asked[0]?.call.args).not.toHaveProperty("unknown");
    expect(own.asked[0]?.options.signal).toBe(own.context.signal);
    expect(own.told).toEqual(["half way"]);
    expect(answer.mimeType).toBe("application/json");
    expect(JSON.parse(answer.text)).toEqual(answer.data);
    expect(answer.data).toMatchObject({ content: "hello", notice: "The shell is new." });
  });

  it("run as root only where the guard has said so, and tell where it saw the paths lead", async () => {
    const own = answering({ success: true }, { permission: { as: "root", paths: ["/etc/x"] } });
    await call(toolNamed("file_operations"), read, own.context);
    expect(own.asked[0]?.call).toMatchObject({ as: "root", checkedPaths: ["/etc/x"] });
  });

  it.each([
    ["with a name", "Bea", "Bea <web:bea>"],
    ["without a name", undefined, "web:bea"],
    ["with a blank name", " \n ", "web:bea"],
    [
      "with a name that looks like an address",
      "Bea <root@x>\nSigned-off-by: y",
      "Bea root@x Signed-off-by: y <web:bea>",
    ],
    ["with an endless name", "b".repeat(5000), `${"b".repeat(100)} <web:bea>`],
  ])("tell who asked for a commit, a person %s [2.46]", async (_, name, requester) => {
    const own = answering({ success: true }, { userId: "web:bea" });
    const tools = createWorkspaceTools({ nameOf: async () => name });
    const build = tools.find(({ definition }) => definition.name === "build_and_version_control");
    if (!build) throw new Error("it is not there");
    await call(build, { operation: "git_commit", message: "m" }, own.context);
    await call(build, { operation: "get_changed_files" }, own.context);
    expect(own.asked.map((one) => one.call.requester)).toEqual([requester, undefined]);
  });

  it("fail with the workspace's own kind, message and details", async () => {
    const result = {
      success: false,
      kind: "timeout",
      message: "Took too long.",
      outcome: "unknown",
      exitCode: 124,
    } as const;
    const own = answering(result);
    const run = { operation: "run_command", command: "sleep 9" };
    expect(await failureOf(toolNamed("terminal_operations"), run, own.context)).toEqual(result);
  });

  it("fail plainly where the workspace gave no kind or no reason", async () => {
    const own = answering({ success: false });
    const failure = await failureOf(toolNamed("file_operations"), read, own.context);
    expect(failure).toMatchObject({ kind: "executionFailed", message: "The call failed." });
  });
});
