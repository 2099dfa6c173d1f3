import type { Adapter } from "../contract/adapter.ts";
import type { ThreadId } from "../contract/incoming.ts";
import type { Redactor } from "../contract/redactor.ts";
import type { Workspaces } from "../contract/workspace.ts";
import { scopeOf } from "../conversation/choices.ts";
import { Conversations } from "../conversation/conversations.ts";
import type { Run } from "../conversation/run.ts";
import { showTodoBoards } from "../conversation/todo-board.ts";
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
  readonly leastEditGapMs: number | undefined;
}

/** The conversations, and what people see of them. */
export interface Talking extends AsyncDisposable {
  readonly conversations: Conversations;
  readonly reply: Reply;
}

export function openConversations(parts: ConversationsParts): Talking {
  const { records, agent, abilities, runs, adapterOf, redactor, log, leastEditGapMs } = parts;
  const { store, hub, choices } = records;
  const reply = createReply({
    store,
    adapterOf,
    redactor,
    log,
    fenceOf: (conversation) => runs.get(conversation)?.lease.fence,
    ...(leastEditGapMs === undefined ? {} : { leastEditGapMs }),
  });
  const endBoards = showTodoBoards(hub, reply);
  const conversations = new Conversations({
    ...parts,
    ...records,
    ...agent,
    ...abilities.authorization,
    toolbox: abilities.toolbox,
    reply,
    scopeOf: async (conversation) => scopeOf(conversation, await choices.of(conversation)),
  });
  return {
    conversations,
    reply,
    [Symbol.asyncDispose]: async () => {
      endBoards();
      await conversations[Symbol.asyncDispose]();
      await reply[Symbol.asyncDispose]();
    },
  };
}
