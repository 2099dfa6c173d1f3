import type { Archive } from "../contract/conversation/archive.ts";
import type { EventHub } from "../contract/conversation/event.ts";
import type { Memories } from "../contract/conversation/memory.ts";
import type { Prompts } from "../contract/conversation/prompt.ts";
import type { Spawner } from "../contract/conversation/subagent.ts";
import type { Todos } from "../contract/conversation/todo.ts";
import type { Questions } from "../contract/permission/question.ts";
import type { RunnableTool } from "../contract/tools/tool-call.ts";
import type { RequestedTools } from "../contract/tools/toolbox.ts";
import { createImageGeneration } from "../tools/image-generation.ts";
import { createIncreaseMaxIterations } from "../tools/increase-max-iterations.ts";
import { createListMiniPrompts } from "../tools/list-mini-prompts.ts";
import { createListSystemPrompts } from "../tools/list-system-prompts.ts";
import { createDocumentOperations } from "../tools/memory/document-operations.ts";
import { createMemoryOperations } from "../tools/memory/memory-operations.ts";
import { createRecallHistory } from "../tools/memory/recall-history.ts";
import { createReadToolResult } from "../tools/results/read-tool-result.ts";
import type { StoredResults } from "../tools/results/stored-results.ts";
import { createRunSubagent } from "../tools/run-subagent.ts";
import { createSearchIndex } from "../tools/search-index.ts";
import type { ImageSettings, WebSettings } from "../tools/settings.ts";
import { createThink } from "../tools/think.ts";
import type { ThoughtGuard } from "../tools/thought-guard.ts";
import { createTodoOperations } from "../tools/todo/todo-operations.ts";
import { createUserCollaboration } from "../tools/user-collaboration.ts";
import { createWebOperations } from "../tools/web/web-operations.ts";
import { createWorkingDirectoryIndexer } from "../tools/working-directory-indexer.ts";
import { createWorkspaceTools } from "../tools/workspace-tools.ts";

interface ToolParts {
  readonly web: WebSettings;
  readonly images: ImageSettings | undefined;
  readonly events: EventHub;
  /** Takes secrets out of what people see. */
  readonly redact: (text: string) => string;
  readonly stored: StoredResults;
  /** What the model takes at once; undefined without a model. */
  readonly inputTokens: number | undefined;
  readonly thoughts: ThoughtGuard;
  readonly todos: Todos;
  readonly memories: Memories;
  readonly prompts: Prompts;
  readonly archive: Archive | undefined;
  /** What the people of a conversation point at. */
  readonly selectionOf: (conversation: string) => Promise<string>;
  /** The name of a person of a conversation; undefined where the platform does not know it. */
  readonly nameOf: (userId: string, conversation: string) => Promise<string | undefined>;
  readonly topicMembers: (topic: string) => Promise<readonly string[]>;
  readonly spawner: () => Spawner | undefined;
  readonly questions: Questions;
  readonly operationKey: (given: string) => string | undefined;
  readonly requestTools: (conversation: string, names: readonly string[]) => RequestedTools;
  readonly isAutoApproved: (conversation: string) => Promise<boolean>;
  readonly grantUnasked: (conversation: string, operation: string) => Promise<void>;
}

/** Every tool of this bot: those that the operator has not set up are left out. The registry puts them in order. */
export function toolsOf(parts: ToolParts): RunnableTool[] {
  const { web, images, events, stored, thoughts, todos, memories, prompts } = parts;
  const tools = [
    createThink({ ...parts, guard: thoughts, hub: events }),
    createUserCollaboration({
      ...parts,
      grantUnasked: ({ conversation, operationKey }) =>
        parts.grantUnasked(conversation, operationKey),
    }),
    createRunSubagent({ spawner: parts.spawner, prompts }),
    createIncreaseMaxIterations(),
    createListSystemPrompts({ prompts }),
    createListMiniPrompts({ prompts }),
    createMemoryOperations({ memories }),
    createTodoOperations({ todos, now: Date.now }),
    createReadToolResult(stored, parts.inputTokens),
    createRecallHistory({ archive: parts.archive, topicMembers: parts.topicMembers }),
    createWebOperations({ settings: web }),
    createDocumentOperations({ memories }),
    ...createWorkspaceTools(parts),
    createSearchIndex(),
    createWorkingDirectoryIndexer(),
    createImageGeneration({ settings: images, events }),
  ];
  return tools.filter((tool) => tool !== undefined);
}
