import type { OperationResult, Tool } from "../contract/operation.ts";
import { ToolError } from "../contract/operation.ts";
import type { Answer, RunnableTool, ToolContext } from "../contract/tool-call.ts";
import { workspaceTools } from "../contract/workspace-tools.ts";

export interface WorkspaceToolParts {
  /** What the people of a conversation point at; empty where they point at nothing. */
  readonly selectionOf?: (conversation: string) => Promise<string>;
}

/** The tools whose calls run in the conversation's workspace, under the id of the call: the same call never runs twice. */
export function createWorkspaceTools({ selectionOf }: WorkspaceToolParts = {}): RunnableTool[] {
  return workspaceTools.map((definition: Tool) => ({
    definition,
    run: async (operation, params, context) => {
      // Only the bot knows what people point at in a chat.
      if (operation === "get_terminal_selection" && selectionOf) {
        return answerOf(selected(await selectionOf(context.conversation)));
      }
      return answerOf(await callWorkspace(definition.name, { operation, ...params }, context));
    },
  }));
}

function selected(selection: string): OperationResult {
  if (selection !== "") return { success: true, selection };
  return {
    success: true,
    selection,
    message: "Nothing is selected: nobody quotes or points at anything.",
  };
}

/** One call in the workspace, with all that the guard and whoever waits have said about it. */
export async function callWorkspace(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  { callId, permission, signal, progress, workspace }: ToolContext,
): Promise<OperationResult> {
  const opened = await workspace();
  const { as, run, paths } = permission ?? {};
  const call = {
    id: callId,
    tool,
    args,
    ...(as && { as }),
    ...(run && { run }),
    ...(paths && { checkedPaths: paths }),
  };
  return opened.call(call, { signal, onProgress: ({ message }) => progress(message) });
}

/** What the workspace answered, for the model. Throws a ToolError for a call that failed, with everything it told. */
export function answerOf(result: OperationResult): Answer {
  const { success, kind, message, ...details } = result;
  if (!success) {
    throw new ToolError(kind ?? "executionFailed", message ?? "The call failed.", details);
  }
  return { text: JSON.stringify(result), mimeType: "application/json", data: result };
}
