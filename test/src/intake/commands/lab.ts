import { relative } from "node:path";
import { viewText } from "../../../../adapters/shared/view-text.ts";
import type { PromptFiles } from "../../../../src/agent/prompt-files.ts";
import { createAudit } from "../../../../src/audit/audit.ts";
import { describe as describeRecord } from "../../../../src/audit/describe.ts";
import type { Model } from "../../../../src/contract/model.ts";
import { actorKey, type Presence } from "../../../../src/contract/platform/actor.ts";
import { DeliveryError } from "../../../../src/contract/platform/adapter.ts";
import { Incoming } from "../../../../src/contract/platform/incoming.ts";
import type { FileShare, View } from "../../../../src/contract/platform/view.ts";
import { NOT_JOURNALED } from "../../../../src/contract/tools/call-journal.ts";
import { propertiesOf } from "../../../../src/contract/tools/tool-schema.ts";
import type { TerminalInfo } from "../../../../src/contract/workspace/channel.ts";
import type {
  CheckpointDiff,
  RestoreReport,
} from "../../../../src/contract/workspace/checkpoints.ts";
import type { RecordedTerminal } from "../../../../src/contract/workspace/recorded-terminal.ts";
import type { Workspace, WorkspaceSummary } from "../../../../src/contract/workspace/workspace.ts";
import { createChoices } from "../../../../src/conversation/choices.ts";
import { createArchive } from "../../../../src/conversation/context/archive.ts";
import { createPrompts } from "../../../../src/conversation/prompts.ts";
import { createSettings } from "../../../../src/conversation/settings.ts";
import { createTodos } from "../../../../src/conversation/todos.ts";
import { createEventHub } from "../../../../src/events/hub.ts";
import { createCommands } from "../../../../src/intake/commands/commands.ts";
import type { CommandDeps } from "../../../../src/intake/commands/deps.ts";
import { selectionOf } from "../../../../src/intake/commands/selection.ts";
import type { CommandOutcome } from "../../../../src/intake/commands.ts";
import { Journal } from "../../../../src/journal/journal.ts";
import type { ConversationLine } from "../../../../src/journal/lines.ts";
import { createMemories } from "../../../../src/memory/memories.ts";
import { createRedactor } from "../../../../src/redaction/redactor.ts";
import { maskedFile, maskedView } from "../../../../src/reply/masked.ts";
import { helpText } from "../../../../src/tools/catalogue/help.ts";
import { searchTools } from "../../../../src/tools/catalogue/search-tools.ts";
import { ToolRegistry } from "../../../../src/tools/registry.ts";
import { StoredResults } from "../../../../src/tools/results/stored-results.ts";
import { createTodoOperations } from "../../../../src/tools/todo/todo-operations.ts";
import { createToolbox } from "../../../../src/tools/toolbox.ts";
import { createWorkspaceTools } from "../../../../src/tools/workspace-tools.ts";
import { type LocalWorkspace, localWorkspace } from "../../../support/local-workspace.ts";
import { NOON, permissionLab, person } from "../../../support/permission-lab.ts";

export const THREAD = "chat:C1:thread1";
export const SECRET = "s3cr3t-value-of-the-operator";

type Door = "message" | "command" | "click";

export interface LabOptions {
  readonly policy?: string;
  readonly people?: readonly Presence[];
  readonly model?: Pick<Model, "name" | "check">;
  /** The thread has no workspace yet. */
  readonly isEmpty?: boolean;
  /** This bot has none at all. */
  readonly hasNoDocker?: boolean;
  readonly workspace?: (conversation: string) => Promise<Workspace>;
  readonly cannotWhisper?: boolean;
  readonly cannotWhisperFiles?: boolean;
}

export interface Told {
  readonly outcome: CommandOutcome;
  /** What everybody sees. */
  readonly shown: readonly View[];
  readonly whispered: readonly View[];
  readonly files: readonly FileShare[];
  /** All of it as text. */
  readonly text: string;
  readonly privateFiles: readonly FileShare[];
}

/** Every verb with what is ours behind it: a real store, the real guard, real files; terminals and checkpoints are told. */
export async function commandLab(options: LabOptions = {}) {
  const people = options.people ?? [
    { ...person("alice"), name: "Alice" },
    { ...person("bob"), name: "Bob" },
  ];
  const permissions = await permissionLab({
    people,
    ...(options.policy === undefined ? {} : { policy: options.policy }),
  });
  const { store, authorization } = permissions;
  const local = localWorkspace();
  const redactor = createRedactor({ secrets: { OPERATOR_TOKEN: SECRET } });
  const hub = createEventHub({ warn: () => {} });
  const journal = new Journal(store);
  const selections = store.documents("selections");
  const told = tellingWorkspace(local);
  const openWorkspace = options.workspace ?? (async () => told.workspace);
  const registry = new ToolRegistry({ events: hub, warn: () => {} });
  const todos = createTodos(journal, hub);
  const selected = (conversation: string) => selectionOf({ journal, selections }, conversation);
  await registry.initialize([
    ...createWorkspaceTools({ selectionOf: selected }),
    createTodoOperations({ todos, now: Date.now }),
  ]);
  const toolbox = createToolbox({
    registry,
    guard: authorization.guard,
    audit: createAudit({ store, redactor }),
    events: hub,
    redactor,
    warn: () => {},
    stored: new StoredResults(store.documents("results")),
  });
  const workspaces = tellingWorkspaces(options.isEmpty ? [] : [THREAD]);
  const seen: { shown: View[]; whispered: View[] } = { shown: [], whispered: [] };
  const shares: ReturnType<typeof maskedFile>[] = [];
  const privateShares: ReturnType<typeof maskedFile>[] = [];
  const choices = createChoices(store.documents("choices"));
  const deps: CommandDeps = {
    journal,
    archive: createArchive({ journal, redactor }),
    authorize: authorization.authorize,
    people: { find: async (key) => people.find(({ actor }) => actorKey(actor) === key) },
    toolbox,
    callJournal: () => NOT_JOURNALED,
    servers: {
      list: () => [],
      problems: [],
      reload: async () => undefined,
      approve: async () => false,
    },
    tools: {
      help: (topic) => helpText(registry, topic),
      search: (query) => searchTools(registry, query),
      operations: () => ["terminal_operations.run_command", "file_operations.read_file"],
      isOperation: (name) => registry.findOperation(name) !== undefined,
      typeOf: (name, parameter) => {
        const found = registry.findOperation(name);
        const type = found && propertiesOf(found.operation)[parameter]?.type;
        return typeof type === "string" ? type : undefined;
      },
    },
    workspaces: options.hasNoDocker ? undefined : workspaces.port,
    openWorkspace,
    subagents: { live: async () => [], list: async () => [] },
    network: undefined,
    approvals: authorization.approvals,
    questions: authorization.questions,
    grants: authorization.grants,
    autoApprove: authorization.autoApprove,
    todos,
    memories: createMemories({ documents: store.documents("memory") }),
    audit: createAudit({ store, redactor }),
    describeRecord,
    settings: createSettings({
      documents: store.documents("settings"),
      events: hub,
      warn: () => {},
    }),
    prompts: createPrompts({
      files: PROMPT_FILES,
      shipped: PROMPT_FILES,
      choices,
      log: () => {},
    }),
    choices,
    selections,
    model: options.model,
    show: {
      view: (_thread, _slot, view) => void seen.shown.push(maskedView(redactor, view)),
      file: (_thread, _slot, file) => void shares.push(maskedFile(redactor, file)),
      whisper: async (_thread, _actor, view) => {
        if (options.cannotWhisper) throw new DeliveryError("never", "Nobody can whisper here.");
        seen.whispered.push(maskedView(redactor, view));
      },
      whisperFile: async (_thread, _actor, file) => {
        if (options.cannotWhisper || options.cannotWhisperFiles)
          throw new DeliveryError("never", "Files are for everybody here.");
        privateShares.push(maskedFile(redactor, file));
      },
    },
    redactor,
    now: () => NOON,
  };
  const commands = createCommands(deps);
  let events = 0;

  /** Somebody says something by a door; of a button, its action. */
  const say = async (
    text: string,
    {
      who = people[0] as Presence,
      door = "message",
      event,
    }: { who?: Presence; door?: Door; event?: string } = {},
  ): Promise<Told> => {
    for (const list of Object.values(seen)) list.length = 0;
    events += 1;
    const outcome = await commands.handle(incomingOf(who, door, text, event ?? `e${events}`), who);
    const shown = [...seen.shown];
    const whispered = [...seen.whispered];
    const [files, privateFiles] = [await filesIn(shares), await filesIn(privateShares)];
    const all = [...shown, ...whispered].map((view) => viewText(view)).join("\n");
    return { outcome, shown, whispered, files, privateFiles, text: all };
  };

  return {
    ...told,
    deps,
    local,
    store,
    journal,
    authorization,
    clock: permissions.clock,
    todos,
    toolbox,
    registry,
    removed: workspaces.removed,
    known: workspaces.has,
    kept: workspaces.kept,
    say,
    selected,
    /** A turn that is under way. */
    beginTurn: () => journal.write(THREAD, () => TURN),
    write: (...lines: ConversationLine[]) => journal.write(THREAD, () => lines),
    [Symbol.asyncDispose]: async () => {
      local[Symbol.dispose]();
      await permissions[Symbol.asyncDispose]();
    },
  };
}

/** Every button that is to be seen, by its label. */
export function buttonsOf({ shown, whispered }: Told): Map<string, string> {
  return new Map(
    [...shown, ...whispered].flatMap((view) =>
      "buttons" in view && view.buttons
        ? view.buttons.map(({ label, action }) => [label, action] as const)
        : [],
    ),
  );
}

function incomingOf(who: Presence, door: Door, text: string, id: string) {
  const common = {
    id,
    thread: THREAD,
    actor: who.actor,
    actorName: who.actor.id,
    channel: "C1",
    isChannelMember: who.place.isChannelMember,
    at: NOON.toISOString(),
  };
  const particular = {
    message: { messageId: id, text, isMention: true, isDirect: false, attachments: [] },
    command: { text },
    click: { action: text },
  }[door];
  const incoming = Incoming.parse({ ...common, type: door, ...particular });
  if (incoming.type === "message" || incoming.type === "command" || incoming.type === "click") {
    return incoming;
  }
  throw new Error(`${incoming.type} is no door of commands.`);
}

const MESSAGE = {
  event: "chat:before",
  messageId: "before",
  author: "chat:T1:alice",
  name: "Alice",
  text: "work on it",
  at: NOON.toISOString(),
  attachments: [],
  mode: "turn" as const,
};

const TURN: ConversationLine[] = [
  { kind: "message", data: MESSAGE },
  {
    kind: "turn.started",
    data: {
      turn: "t1",
      messages: ["chat:before"],
      requester: MESSAGE.author,
      name: "Alice",
      mode: "agent",
      maximum: 50,
    },
  },
];

const REVIEWER = { id: "reviewer", name: "Reviewer", description: "Reads carefully." };
const BRIEF = { id: "brief", name: "Brief", description: "Few words.", enabled: false };
const PROMPT_FILES: PromptFiles = {
  system: async () => [{ ...REVIEWER, text: "You review." }],
  minis: async () => [{ ...BRIEF, text: "Be brief." }],
};

const TERMINAL: TerminalInfo = {
  session_id: THREAD,
  tty_name: "pts/0",
  pid: 1,
  created: NOON.toISOString(),
  working_directory: "/workspace",
  state: "idle",
  exit_code: null,
  rows: 24,
  cols: 80,
  end_index: 0,
};

/** Files are real; of terminals and checkpoints it tells what the test has put there. */
function tellingWorkspace({ workspace: files, files: { dir } }: LocalWorkspace) {
  const has = {
    history: "lab$ echo hello\nhello\n",
    hasTerminal: true,
    checkpoints: ["c1-0123abcd"],
    diff: undefined as CheckpointDiff | undefined,
    evicted: undefined as number | undefined,
    processes: [] as { pid: number; ppid: number; state: string; command: string }[],
  };
  const done: { what: string; args: unknown }[] = [];
  const workspace: Workspace = Object.assign(Object.create(files), {
    call: async (call: Parameters<Workspace["call"]>[0]) => {
      if (call.tool !== "terminal_operations") return files.call(call);
      done.push({ what: String(call.args.operation), args: call.args });
      if (call.args.operation === "get_history") return { success: true, history: has.history };
      return { success: true, output: "typed\n", status: "sent" };
    },
    download: (path: string) => files.download(relative(dir, path)),
    terminals: async () => (has.hasTerminal ? [TERMINAL] : []),
    resize: async (session: string, size: object) => {
      done.push({ what: "resize", args: { session, ...size } });
    },
    killAll: async () => {
      done.push({ what: "kill", args: {} });
      return { processes: has.processes };
    },
    checkpoints: {
      list: async () => ({
        checkpoints: has.checkpoints.map((checkpoint) => ({ checkpoint })),
        unfinished: null,
      }),
      diff: async (checkpoint: string) => has.diff ?? noDifference(checkpoint),
      restore: async (checkpoint: string, { callId }: { callId: string }) => {
        done.push({ what: "restore", args: { checkpoint, callId } });
        const { evicted } = has;
        return { ...restored(checkpoint), ...(evicted === undefined ? {} : { evicted }) };
      },
    },
  });
  return { has, done, workspace };
}

const noDifference = (checkpoint: string): CheckpointDiff => ({
  checkpoint,
  against: "now",
  added: 0,
  removed: 0,
  changed: 0,
  changes: [],
  diff: "",
  truncated: false,
});

const restored = (checkpoint: string): RestoreReport => ({
  checkpoint,
  path: null,
  before: "c9-99999999",
  complete: true,
  restored: 2,
  deleted: 1,
  restored_paths: [],
  deleted_paths: [],
  skipped: [],
  skipped_total: 0,
});

function tellingWorkspaces(conversations: readonly string[]) {
  const removed: string[] = [];
  const kept: boolean[] = [];
  const has = { state: "running" as WorkspaceSummary["state"], recorded: [] as RecordedTerminal[] };
  const port: CommandDeps["workspaces"] = {
    recordedTerminals: async () => has.recorded,
    list: async () =>
      conversations
        .filter((conversation) => !removed.includes(conversation))
        .map(
          (conversation): WorkspaceSummary => ({
            conversation,
            workspace: "w1",
            state: has.state,
            lastUsedAt: NOON.toISOString(),
            keep: kept.at(-1) ?? false,
          }),
        ),
    reset: async (conversation) => void removed.push(conversation),
    keep: async (_conversation, keep) => void kept.push(keep),
  };
  return { port, removed, kept, has };
}

async function filesIn(shares: ReturnType<typeof maskedFile>[]): Promise<FileShare[]> {
  const contents = await Promise.all(shares.splice(0));
  return contents.flatMap((content) => ("file" in content ? [content.file] : []));
}
