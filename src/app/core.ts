import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createModel } from "../agent/model/model.ts";
import { readPrompt } from "../agent/prompt.ts";
import { createAudit } from "../audit/audit.ts";
import { createCallAudit } from "../audit/call-audit.ts";
import { describe } from "../audit/describe.ts";
import type { Authorization } from "../authorization/authorization.ts";
import type { Config } from "../config.ts";
import type { People } from "../contract/actor.ts";
import type { Adapter, Receipt } from "../contract/adapter.ts";
import type { Audit } from "../contract/audit.ts";
import { NoWorkspaceError } from "../contract/gate.ts";
import type { Incoming, ThreadId } from "../contract/incoming.ts";
import type { Model } from "../contract/model.ts";
import type { Prompts } from "../contract/prompt.ts";
import type { Redactor } from "../contract/redactor.ts";
import type { Store } from "../contract/store.ts";
import { propertiesOf } from "../contract/tool-schema.ts";
import type { Toolbox } from "../contract/toolbox.ts";
import type { Workspace, Workspaces } from "../contract/workspace.ts";
import { createCallLog } from "../conversation/call-log.ts";
import { createChoices, scopeOf } from "../conversation/choices.ts";
import { Conversations } from "../conversation/conversations.ts";
import { Journal } from "../conversation/journal.ts";
import { createQuestions } from "../conversation/questions.ts";
import type { Run } from "../conversation/run.ts";
import { createSettings, type Settings } from "../conversation/settings.ts";
import { showTodoBoards } from "../conversation/todo-board.ts";
import { createTodos } from "../conversation/todos.ts";
import { createEventHub } from "../events/hub.ts";
import { createAdmission } from "../intake/admit.ts";
import { createCommands } from "../intake/commands/commands.ts";
import { selectionOf } from "../intake/commands/selection.ts";
import { handle } from "../intake/handle.ts";
import { InboxWorker } from "../intake/worker.ts";
import type { Log } from "../lib/log.ts";
import { createMemories } from "../memory/memories.ts";
import { createReply } from "../reply/reply.ts";
import { helpText } from "../tools/help.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { StoredResults } from "../tools/stored-results.ts";
import { createThoughtGuard } from "../tools/thought-guard.ts";
import { createToolbox } from "../tools/toolbox.ts";
import { openPermissions } from "./permissions.ts";
import { toolsOf } from "./tools.ts";

export interface CoreParts {
  readonly config: Pick<Config, "authorization" | "model" | "web" | "images">;
  readonly store: Store;
  readonly redactor: Redactor;
  readonly log: Log;
  /** Absent where there is no engine: then calls that need a workspace say so. */
  readonly workspaces: Workspaces | undefined;
  readonly adapterOf: (thread: ThreadId) => Adapter;
}

/** The bot without its platforms. */
export interface Core extends AsyncDisposable {
  /** Undefined: direct mode. */
  readonly model: Model | undefined;
  readonly authorization: Authorization;
  readonly people: People;
  readonly audit: Audit;
  readonly settings: Settings;
  /** The thread's workspace for people, beside whatever turn is under way. */
  readonly openWorkspace: (conversation: string) => Promise<Workspace>;
  /** What every platform hands its events to. */
  readonly receive: (incoming: Incoming) => Promise<Receipt>;
  /** Takes up what was cut off, and begins to work. */
  start(): Promise<void>;
}

/** Puts everything together that knows no platform. */
export async function openCore(parts: CoreParts): Promise<Core> {
  const { config, store, redactor, log, workspaces, adapterOf } = parts;
  const warn = (message: string) => log("warn", message);
  const holder = randomUUID();
  const runs = new Map<string, Run>();

  const audit = createAudit({ store, redactor });
  const hub = createEventHub({ warn });
  const journal = new Journal(store);
  const selections = store.documents("selections");
  const settings = createSettings({ documents: store.documents("settings"), events: hub, warn });
  const choices = createChoices(store.documents("choices"));
  const memories = createMemories({ documents: store.documents("memory") });
  const todos = createTodos(store, hub);
  const people = peopleOf(adapterOf);
  const model = createModel(config.model);
  const prompt = readPrompt(readFileSync(PROMPT_FILE, "utf8"));
  const prompts: Prompts = {
    systemPrompts: async () => [prompt],
    miniPrompts: async () => [],
  };

  const stored = new StoredResults(store.documents("tool-results"));
  const thoughts = createThoughtGuard();
  const registry = new ToolRegistry({ events: hub, warn });
  // The policy names tools, and tools ask the guard: whichever is made first has to wait for the other.
  const permitted = Promise.withResolvers<Authorization>();
  const asking = permitted.promise.then(({ questions: desk }) =>
    createQuestions({ desk, hub, runs }),
  );
  await registry.initialize(
    toolsOf({
      web: config.web,
      images: config.images,
      events: hub,
      stored,
      thoughts,
      todos,
      memories,
      prompts,
      archive: undefined,
      selectionOf: (conversation) => selectionOf({ journal, selections }, conversation),
      topicMembers: (topic) => choices.members(topic),
      spawner: () => undefined,
      questions: { ask: async (question) => (await asking).ask(question) },
      operationKey: (given) => registry.operationKey(given),
      requestTools: (conversation, names) => toolbox.requestTools(conversation, names),
      isAutoApproved: async (conversation) =>
        (await permitted.promise).autoApprove.isOn(conversation),
      grantUnasked: async (conversation, operation) =>
        (await permitted.promise).questions.grantUnasked(conversation, operation),
    }),
  );
  const authorization = await openPermissions({
    settings: config.authorization,
    store,
    audit,
    people,
    operations: operationsOf(registry),
    outsideReadsAsk: async (conversation) => (await settings.load(conversation)).outsideReadsAsk,
    cardLimits: (conversation) => ({ chars: adapterOf(conversation).limits.cardChars }),
    warn,
  });
  permitted.resolve(authorization);
  const { approvals, questions, grants, autoApprove, authorize } = authorization;

  const calls = createCallLog(authorization.gate, (conversation) => runs.get(conversation));
  const recorded = createCallAudit(audit, calls.gate);
  const toolbox: Toolbox = createToolbox({
    registry,
    gate: recorded.gate,
    events: hub,
    redactor,
    warn,
    stored,
    onCall: (conversation, tool) => {
      if (tool !== "think") thoughts.acted(conversation);
    },
    onState: async (change) => {
      await calls.onState(change);
      await recorded.onState(change);
    },
  });
  const fenceOf = (conversation: string) => runs.get(conversation)?.lease.fence;
  const reply = createReply({ store, adapterOf, log, fenceOf });
  const endBoards = showTodoBoards(hub, reply);
  const conversations = new Conversations({
    store,
    journal,
    runs,
    toolbox,
    model,
    system: prompt.text,
    approvals,
    questions,
    hub,
    reply,
    redactor,
    settings,
    todos,
    workspaces,
    adapterOf,
    scopeOf: async (conversation) => scopeOf(conversation, await choices.of(conversation)),
    log,
    holder,
  });
  const openWorkspace = (conversation: string) =>
    openForPeople({ store, workspaces, holder, fence: fenceOf(conversation) }, conversation);
  const commands = createCommands({
    store,
    journal,
    authorize,
    people,
    toolbox,
    tools: catalogueOf(registry),
    workspaces,
    openWorkspace,
    approvals,
    questions,
    grants,
    autoApprove,
    todos,
    memories,
    audit,
    describeRecord: describe,
    settings,
    prompts,
    choices,
    selections,
    model,
    show: {
      view: (thread, slot, view) => reply.show(thread, slot, view),
      file: (thread, slot, file) => reply.share(thread, slot, file),
      whisper: (thread, actorId, view) => adapterOf(thread).whisper(thread, actorId, view),
    },
    redactor,
    now: () => new Date(),
  });
  const handleParts = {
    conversations,
    commands,
    authorize,
    approvals,
    questions,
    grants,
    reply,
    adapterOf,
  };
  const worker = new InboxWorker({
    store,
    name: holder,
    log,
    handle: (event, row) => handle(handleParts, event, row),
  });
  return {
    model,
    authorization,
    people,
    audit,
    settings,
    openWorkspace,
    receive: createAdmission({
      store,
      authorize,
      approvals,
      questions,
      onAdmitted: () => worker.look(),
    }),
    start: async () => {
      await conversations.start();
      worker.start();
    },
    [Symbol.asyncDispose]: async () => {
      endBoards();
      await worker[Symbol.asyncDispose]();
      await conversations[Symbol.asyncDispose]();
      await reply[Symbol.asyncDispose]();
    },
  };
}

const PROMPT_FILE = new URL("../../prompts/system/default.md", import.meta.url);
/** Long enough to open a workspace under it, and short enough to keep nobody waiting. */
const PEOPLE_LEASE_MS = 5_000;

/** People are asked for where they are: at the platform of the conversation's own thread. */
function peopleOf(adapterOf: CoreParts["adapterOf"]): People {
  return {
    find: async (key, conversation) => {
      const adapter = adapterOf(conversation);
      const [platform, id] = [key.split(":")[0], key.split(":").at(-1)];
      if (platform !== adapter.platform || id === undefined) return undefined;
      return adapter.presence(conversation, id);
    },
  };
}

interface Opening {
  readonly store: Store;
  readonly workspaces: Workspaces | undefined;
  readonly holder: string;
  /** Of the turn that is under way here. */
  readonly fence: number | undefined;
}

/** Beside a turn under the turn's own fence; otherwise under one that is newer than every turn before. */
async function openForPeople(
  { store, workspaces, holder, fence }: Opening,
  conversation: string,
): Promise<Workspace> {
  if (!workspaces) throw new NoWorkspaceError();
  if (fence !== undefined) return workspaces.open(conversation, { fence });
  const lease = await store.lease(conversation, `${holder}:people`, PEOPLE_LEASE_MS);
  if (!lease) throw new Error("Another replica works on this thread just now. Try again.");
  try {
    return await workspaces.open(conversation, { fence: lease.fence });
  } finally {
    await lease.release();
  }
}

function operationsOf(registry: ToolRegistry): string[] {
  return registry
    .list()
    .flatMap(({ tool: { definition } }) =>
      definition.single
        ? [definition.name]
        : Object.keys(definition.operations).map((name) => `${definition.name}.${name}`),
    );
}

function catalogueOf(registry: ToolRegistry) {
  return {
    help: (topic?: string) => helpText(registry, topic),
    operations: () => operationsOf(registry),
    isOperation: (name: string) => registry.findOperation(name) !== undefined,
    typeOf: (operation: string, parameter: string) => {
      const found = registry.findOperation(operation);
      const property = found && propertiesOf(found.operation)[parameter];
      return typeof property?.type === "string" ? property.type : undefined;
    },
  };
}
