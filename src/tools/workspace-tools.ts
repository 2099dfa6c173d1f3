import type { OperationResult, Tool } from "../contract/tools/operation.ts";
import { ToolError } from "../contract/tools/operation.ts";
import type { Answer, RunnableTool, ToolContext } from "../contract/tools/tool-call.ts";
import { workspaceTools } from "../contract/tools/workspace-tools.ts";

export interface WorkspaceToolParts {
  /** What the people of a conversation point at; empty where they point at nothing. */
  readonly selectionOf?: (conversation: string) => Promise<string>;
  /** The name of a person, for commits that they ask for; undefined where it is not known. */
  readonly nameOf?: (userId: string, conversation: string) => Promise<string | undefined>;
}

/** The tools whose calls run in the conversation's workspace, under the id of the call: the same call never runs twice. */
export function createWorkspaceTools({
  selectionOf,
  nameOf,
}: WorkspaceToolParts = {}): RunnableTool[] {
  return workspaceTools.map((definition: Tool) => ({
    definition,
    run: async (operation, params, context) => {
      // Only the bot knows what people point at in a chat.
      if (operation === "get_terminal_selection" && selectionOf) {
        return answerOf(selected(await selectionOf(context.conversation)));
      }
      const requester = operation === "git_commit" ? await requesterOf(context, nameOf) : undefined;
      const args = { operation, ...params };
      return answerOf(await callWorkspace(definition.name, args, { ...context, requester }));
    },
  }));
}

const REQUESTER_CHARS = 300;

/** "Alice <slack:U02>": the name for people, and the id because names change. */
async function requesterOf(
  { userId, conversation }: ToolContext,
  nameOf: WorkspaceToolParts["nameOf"],
): Promise<string | undefined> {
  if (userId === undefined) return undefined;
  const name = (await nameOf?.(userId, conversation))?.replace(/[\s\p{C}<>]+/gu, " ").trim();
  const requester = name ? `${name.slice(0, 100)} <${userId}>` : userId;
  return requester.slice(0, REQUESTER_CHARS).toWellFormed();
}

function selected(selection: string): OperationResult {
  if (selection !== "") return { success: true, selection };
  return {
    success: true,
    selection,
    message: "Nothing is selected: no message quotes or links anything.",
  };
}

type RequestedContext = ToolContext & { readonly requester?: string | undefined };

/** One call in the workspace, with all that the guard and whoever waits have said about it. */
export async function callWorkspace(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  { callId, permission, requester, signal, progress, workspace }: RequestedContext,
): Promise<OperationResult> {
  const opened = await workspace();
  const { as, run, paths, shell } = permission ?? {};
  const call = {
    id: callId,
    tool,
    args,
    ...(as && { as }),
    ...(run && { run }),
    ...(paths && { checkedPaths: paths }),
    ...(shell && { shell }),
    ...(requester !== undefined && { requester }),
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
