import type { Adapter } from "../contract/platform/adapter.ts";
import type { ThreadId } from "../contract/platform/incoming.ts";
import type { Redactor } from "../contract/redactor.ts";
import type { Workspaces } from "../contract/workspace/workspace.ts";
import { scopeOf } from "../conversation/choices.ts";
import { archivedNote } from "../conversation/context/note.ts";
import { Conversations } from "../conversation/conversations.ts";
import type { ConversationParts } from "../conversation/parts.ts";
import { showTodoBoards } from "../conversation/shown/todo-board.ts";
import { childParts } from "../conversation/subagents/child-parts.ts";
import { withChildren } from "../conversation/subagents/child-reply.ts";
import type { Subagents } from "../conversation/subagents/subagents.ts";
import type { Run } from "../conversation/turn/run.ts";
import type { Log } from "../lib/log.ts";
import { createReply, type Reply } from "../reply/reply.ts";
import type { Abilities } from "./abilities.ts";
import type { Agent } from "./agent.ts";
import type { Records } from "./records.ts";

interface ConversationsParts {
  readonly records: Records;
  readonly agent: Agent;
  readonly abilities: Abilities;
  readonly workspaces: Workspaces | undefined;
  readonly adapterOf: (thread: ThreadId) => Adapter;
  readonly redactor: Redactor;
  readonly log: Log;
  readonly runs: Map<string, Run>;
  readonly holder: string;
  readonly subagents: Subagents;
  readonly leastEditGapMs: number | undefined;
}

/** The conversations, and what people see of them. */
export interface Talking extends AsyncDisposable {
  readonly conversations: Conversations;
  /** Those of subagents. */
  readonly children: Conversations;
  readonly reply: Reply;
}

export function openConversations(parts: ConversationsParts): Talking {
  const { records, agent, abilities, runs, adapterOf, redactor, log, leastEditGapMs } = parts;
  const { store, hub, choices, journal, orders } = records;
  const { authorization, toolbox } = abilities;
  const thread = createReply({
    journal,
    notices: store.documents("unreadable"),
    adapterOf,
    redactor,
    log,
    fenceOf: (conversation) => runs.get(conversation)?.lease.fence,
    ...(leastEditGapMs === undefined ? {} : { leastEditGapMs }),
  });
  const reply = withChildren(thread, orders);
  const endBoards = showTodoBoards(hub, reply);
  const all: ConversationParts = {
    store,
    journal,
    runs,
    toolbox,
    model: agent.model,
    briefings: agent.briefings,
    approvals: authorization.approvals,
    questions: authorization.questions,
    hub,
    reply,
    redactor,
    settings: records.settings,
    todos: records.todos,
    uploadBudget: records.uploadBudget,
    results: records.results,
    memories: records.memories,
    archiveNote: async (conversation) => archivedNote(await journal.read(conversation)),
    workspaces: parts.workspaces,
    adapterOf,
    subagents: parts.subagents,
    scopeOf: async (conversation) => scopeOf(conversation, await choices.of(conversation)),
    log,
    holder: parts.holder,
  };
  const conversations = new Conversations(all);
  const children = new Conversations(childParts(all, orders));
  return {
    conversations,
    children,
    reply,
    [Symbol.asyncDispose]: async () => {
      endBoards();
      await Promise.all([conversations, children].map((one) => one[Symbol.asyncDispose]()));
      await reply[Symbol.asyncDispose]();
    },
  };
}
