import type { EventHub } from "../contract/conversation/event.ts";
import type { Memories } from "../contract/conversation/memory.ts";
import type { Todos } from "../contract/conversation/todo.ts";
import type { TurnUsage } from "../contract/conversation/turn-usage.ts";
import type { Model } from "../contract/model.ts";
import type { ApprovalDesk, QuestionDesk } from "../contract/permission/permissions.ts";
import type { Adapter } from "../contract/platform/adapter.ts";
import type { ThreadId } from "../contract/platform/incoming.ts";
import type { UploadBudget } from "../contract/platform/upload-budget.ts";
import type { Redactor } from "../contract/redactor.ts";
import type { Store } from "../contract/store.ts";
import type { Toolbox } from "../contract/tools/toolbox.ts";
import type { Workspaces } from "../contract/workspace/workspace.ts";
import type { TurnCall } from "../journal/conversation/state.ts";
import type { Journal } from "../journal/journal.ts";
import type { Log } from "../lib/log.ts";
import type { Reply } from "../reply/reply.ts";
import type { Briefings } from "./briefings.ts";
import type { Settings } from "./settings.ts";
import type { Run } from "./turn/run.ts";

/** What a turn needs of the subagents that work for it. */
export interface SubagentHands {
  /** Those that have begun and not ended, and those that work for them. */
  live(conversation: string): Promise<string[]>;
  /** Ends what works for these calls, with all that it runs, and tells what it had used of models. Throws where it could not. */
  end(run: Run, calls: readonly TurnCall[], by: string): Promise<TurnUsage[]>;
}

/** Everything that a conversation works with. */
export interface ConversationParts {
  readonly store: Store;
  readonly journal: Journal;
  /** The conversations that are worked on in this process. */
  readonly runs: Map<string, Run>;
  readonly toolbox: Toolbox;
  /** Without one, only what people command themselves is done. */
  readonly model: Model | undefined;
  /** Set where conversations are asked with models of their own. */
  readonly modelFor?: (conversation: string) => Promise<Model | undefined>;
  /** What the model is told before everything else, turn by turn. */
  readonly briefings: Briefings;
  readonly approvals: ApprovalDesk;
  readonly questions: QuestionDesk;
  readonly hub: EventHub;
  readonly reply: Omit<Reply, typeof Symbol.asyncDispose>;
  readonly redactor: Redactor;
  readonly settings: Pick<Settings, "load">;
  readonly todos: Pick<Todos, "read">;
  readonly uploadBudget: Pick<UploadBudget, "take">;
  /** What is too long for a model, for it to be read part by part. Gives the id that it is stored under. */
  readonly results: {
    store(conversation: string, id: string, text: string): Promise<string>;
  };
  readonly memories: Pick<Memories, "documents" | "recent">;
  /** Tells the model that older messages are kept elsewhere. Undefined: none are. */
  readonly archiveNote?: (conversation: string) => Promise<string | undefined>;
  /** Without them, calls that need a workspace say so. */
  readonly workspaces: Pick<Workspaces, "open"> | undefined;
  readonly adapterOf: (
    thread: ThreadId,
  ) => Pick<Adapter, "mark" | "fetchAttachment" | "earlier" | "limits">;
  readonly subagents: SubagentHands;
  /**
   * Set where every conversation is a subagent's: the work on the one that it works for. It is worked on as long as that is,
   * and no longer.
   */
  readonly parentOf?: (conversation: string) => Run | undefined;
  /** Whose memory a conversation uses: its own, or that of the topic it shares. */
  readonly scopeOf: (conversation: string) => Promise<string>;
  readonly log: Log;
  /** Another for every process. */
  readonly holder: string;
}
