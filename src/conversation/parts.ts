import type { Adapter } from "../contract/adapter.ts";
import type { EventHub } from "../contract/event.ts";
import type { ThreadId } from "../contract/incoming.ts";
import type { Model } from "../contract/model.ts";
import type { ApprovalDesk, QuestionDesk } from "../contract/permissions.ts";
import type { Redactor } from "../contract/redactor.ts";
import type { Store } from "../contract/store.ts";
import type { Todos } from "../contract/todo.ts";
import type { Toolbox } from "../contract/toolbox.ts";
import type { Workspaces } from "../contract/workspace.ts";
import type { Log } from "../lib/log.ts";
import type { Reply } from "../reply/reply.ts";
import type { Journal } from "./journal.ts";
import type { Run } from "./run.ts";
import type { Settings } from "./settings.ts";

/** Everything that a conversation works with. */
export interface ConversationParts {
  readonly store: Store;
  readonly journal: Journal;
  /** The conversations that are worked on in this process. */
  readonly runs: Map<string, Run>;
  readonly toolbox: Toolbox;
  /** Without one, only what people command themselves is done. */
  readonly model: Model | undefined;
  /** What the model is told before everything else. */
  readonly system: string;
  readonly approvals: ApprovalDesk;
  readonly questions: QuestionDesk;
  readonly hub: EventHub;
  readonly reply: Pick<Reply, "show" | "share" | "whisper" | "flush" | "restore" | "pending">;
  readonly redactor: Redactor;
  readonly settings: Pick<Settings, "load">;
  readonly todos: Pick<Todos, "read">;
  /** Without them, calls that need a workspace say so. */
  readonly workspaces: Pick<Workspaces, "open"> | undefined;
  readonly adapterOf: (
    thread: ThreadId,
  ) => Pick<Adapter, "mark" | "fetchAttachment" | "earlier" | "limits">;
  /** Whose memory a conversation uses: its own, or that of the topic it shares. */
  readonly scopeOf: (conversation: string) => Promise<string>;
  readonly log: Log;
  /** Another for every process. */
  readonly holder: string;
}
