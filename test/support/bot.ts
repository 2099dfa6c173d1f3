import { readFileSync } from "node:fs";
import { readPrompt } from "../../src/agent/prompt.ts";
import { createAudit } from "../../src/audit/audit.ts";
import { createCallAudit } from "../../src/audit/call-audit.ts";
import { type Authorization, createAuthorization } from "../../src/authorization/authorization.ts";
import { defaultPolicy, type Policy } from "../../src/authorization/policy.ts";
import { openShellParser, type ShellParser } from "../../src/authorization/shell/parser.ts";
import type { Adapter } from "../../src/contract/adapter.ts";
import type { StateChange } from "../../src/contract/call-state.ts";
import type { EventHub } from "../../src/contract/event.ts";
import type { Model } from "../../src/contract/model.ts";
import type { Redactor } from "../../src/contract/redactor.ts";
import type { Store } from "../../src/contract/store.ts";
import type { RunnableTool } from "../../src/contract/tool-call.ts";
import type { Workspaces } from "../../src/contract/workspace.ts";
import { createCallLog } from "../../src/conversation/call-log.ts";
import { Conversations } from "../../src/conversation/conversations.ts";
import { Journal } from "../../src/conversation/journal.ts";
import { createQuestions } from "../../src/conversation/questions.ts";
import type { Run } from "../../src/conversation/run.ts";
import { createSettings, type Settings } from "../../src/conversation/settings.ts";
import { showTodoBoards } from "../../src/conversation/todo-board.ts";
import { createTodos } from "../../src/conversation/todos.ts";
import { createEventHub } from "../../src/events/hub.ts";
import { createAdmission } from "../../src/intake/admit.ts";
import type { Commands } from "../../src/intake/commands.ts";
import { handle } from "../../src/intake/handle.ts";
import { InboxWorker } from "../../src/intake/worker.ts";
import type { Log } from "../../src/lib/log.ts";
import { createReply } from "../../src/reply/reply.ts";
import { createIncreaseMaxIterations } from "../../src/tools/increase-max-iterations.ts";
import { createReadToolResult } from "../../src/tools/read-tool-result.ts";
import { ToolRegistry } from "../../src/tools/registry.ts";
import { StoredResults } from "../../src/tools/stored-results.ts";
import { createTodoOperations } from "../../src/tools/todo/todo-operations.ts";
import { createToolbox } from "../../src/tools/toolbox.ts";
import { createUserCollaboration } from "../../src/tools/user-collaboration.ts";
import { createWorkspaceTools } from "../../src/tools/workspace-tools.ts";

export interface BotParts {
  readonly store: Store;
  readonly adapter: Adapter;
  readonly model: Model | undefined;
  readonly workspaces: Workspaces | undefined;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly policy?: Policy;
  readonly tools?: readonly RunnableTool[];
  /** Equal names count as the same process: a test's way to take over at once. */
  readonly name?: string;
  readonly now?: () => Date;
}

export interface Bot extends AsyncDisposable {
  readonly conversations: Conversations;
  readonly authorization: Authorization;
  readonly settings: Settings;
  readonly hub: EventHub;
}

let parsers: Promise<ShellParser> | undefined;

/** The whole bot, put together as the application does it. */
export async function startBot(parts: BotParts): Promise<Bot> {
  const { store, adapter, log, redactor, name = "bot" } = parts;
  const warn = (message: string) => log("warn", message);
  const hub = createEventHub({ warn });
  const adapterOf = () => adapter;
  const journal = new Journal(store);
  const runs = new Map<string, Run>();
  const settings = createSettings({ documents: store.documents("settings"), events: hub, warn });
  const todos = createTodos(store, hub);
  parsers ??= openShellParser();
  const audit = createAudit({ store, redactor });
  const authorization = createAuthorization({
    store,
    audit,
    policy: parts.policy ?? defaultPolicy(),
    people: { find: (key, thread) => adapter.presence(thread, key.split(":").at(-1) ?? "") },
    parser: await parsers,
    grantSeconds: 300,
    outsideReadsAsk: async (conversation) => (await settings.load(conversation)).outsideReadsAsk,
    cardLimits: () => ({ chars: adapter.limits.cardChars }),
    now: parts.now ?? (() => new Date()),
    warn,
  });
  const { approvals, questions, grants, autoApprove } = authorization;

  const registry = new ToolRegistry({ events: hub, warn });
  const callLog = createCallLog(authorization.gate, (conversation) => runs.get(conversation));
  const callAudit = createCallAudit(audit, callLog.gate);
  const { gate } = callAudit;
  const onState = async (change: StateChange) => {
    await callLog.onState(change);
    await callAudit.onState(change);
  };
  const stored = new StoredResults(store.documents("results"));
  const toolbox = createToolbox({ registry, gate, onState, events: hub, redactor, warn, stored });
  await registry.initialize([
    createUserCollaboration({
      questions: createQuestions({ desk: questions, hub, runs }),
      operationKey: (given) => registry.operationKey(given),
      isAutoApproved: (conversation) => autoApprove.isOn(conversation),
      grantUnasked: ({ conversation, operationKey }) =>
        questions.grantUnasked(conversation, operationKey),
    }),
    createIncreaseMaxIterations(),
    createTodoOperations({ todos, now: Date.now }),
    createReadToolResult(stored),
    ...createWorkspaceTools(),
    ...(parts.tools ?? []),
  ]);

  const reply = createReply({
    store,
    adapterOf,
    log,
    fenceOf: (thread) => runs.get(thread)?.lease.fence,
    leastEditGapMs: 5,
  });
  const prompt = new URL("../../prompts/system/default.md", import.meta.url);
  const conversations = new Conversations({
    ...parts,
    journal,
    runs,
    toolbox,
    system: readPrompt(readFileSync(prompt, "utf8")).text,
    approvals,
    questions,
    hub,
    reply,
    settings,
    todos,
    adapterOf,
    scopeOf: async (conversation) => conversation,
    holder: name,
  });
  const endBoards = showTodoBoards(hub, reply);
  const worker = new InboxWorker({
    store,
    log,
    name,
    holdMs: 300,
    handle: (event, row) =>
      handle(
        {
          conversations,
          commands: COMMANDS,
          authorize: authorization.authorize,
          approvals,
          questions,
          grants,
          reply,
          adapterOf,
        },
        event,
        row,
      ),
  });
  const admit = createAdmission({
    ...authorization,
    store,
    onAdmitted: () => worker.look(),
  });
  await conversations.start();
  worker.start();
  await adapter.start(admit);
  return {
    conversations,
    authorization,
    settings,
    hub,
    async [Symbol.asyncDispose]() {
      await adapter[Symbol.asyncDispose]();
      await worker[Symbol.asyncDispose]();
      await conversations[Symbol.asyncDispose]();
      endBoards();
      await reply[Symbol.asyncDispose]();
    },
  };
}

/** The few words that these tests say. */
const COMMANDS: Commands = {
  async handle(incoming) {
    const text = incoming.type === "click" ? "" : incoming.text.trim();
    if (text === "stop") return { kind: "stop" };
    const queued = /^queue (.+)$/s.exec(text)?.[1];
    if (queued !== undefined) return { kind: "queue", text: queued };
    const command = /^\$ (.+)$/s.exec(text)?.[1];
    if (command === undefined) return { kind: "none" };
    const args = { operation: "run_command", command };
    return { kind: "direct", call: { name: "terminal_operations", arguments: args } };
  },
};
