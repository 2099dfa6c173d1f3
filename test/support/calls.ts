import type { ConversationEvent, EventHub } from "../../src/contract/conversation/event.ts";
import {
  failed,
  type OperationResult,
  type RawArgs,
  ToolError,
} from "../../src/contract/tools/operation.ts";
import type { Answer, RunnableTool, ToolContext } from "../../src/contract/tools/tool-call.ts";
import { parseCall } from "../../src/contract/tools/tool-schema.ts";

/** What a call knows of the world, where a test does not care. */
export function contextOf(conversation: string, more: Partial<ToolContext> = {}): ToolContext {
  return {
    conversation,
    callId: "call-1",
    sessionId: "session-1",
    timestamp: "2030-01-01T00:00:00.000Z",
    isUserInitiated: false,
    isExternalCall: false,
    scope: conversation,
    metadata: {},
    signal: new AbortController().signal,
    progress: () => {},
    workspace: () => Promise.reject(new Error("This test has no workspace.")),
    ...more,
  };
}

/** Parses the arguments by the tool's own schema and runs the call. */
export async function call(
  tool: RunnableTool,
  args: RawArgs,
  context: ToolContext = contextOf("A"),
): Promise<Answer> {
  const { operation, params } = parseCall(tool.definition, args);
  return tool.run(operation, params, context);
}

/** The failure of a call that has to fail. */
export async function failureOf(
  tool: RunnableTool,
  args: RawArgs,
  context: ToolContext = contextOf("A"),
): Promise<OperationResult & { message: string }> {
  try {
    const { text } = await call(tool, args, context);
    throw new Error(`This call should have failed and answered: ${text}`);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { ...failed(error), message: error.message };
  }
}

/** Writes down what it is told. */
export function recordingHub(): EventHub & {
  readonly posted: { conversation: string; event: ConversationEvent }[];
} {
  const posted: { conversation: string; event: ConversationEvent }[] = [];
  return {
    posted,
    post: (conversation, event) => posted.push({ conversation, event }),
    announce: () => {},
    observe: () => () => {},
    onAnnouncement: () => () => {},
    state: () => ({ number: 0, running: [], pendingInputs: [] }),
  };
}
