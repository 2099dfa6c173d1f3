import { describe } from "../audit/describe.ts";
import type { People } from "../contract/platform/actor.ts";
import type { Adapter, Receipt } from "../contract/platform/adapter.ts";
import type { OpenForm } from "../contract/platform/form-click.ts";
import type { Incoming, ThreadId } from "../contract/platform/incoming.ts";
import type { Redactor } from "../contract/redactor.ts";
import type { Workspace, Workspaces } from "../contract/workspace/workspace.ts";
import type { Subagents } from "../conversation/subagents/subagents.ts";
import { callJournal } from "../conversation/turn/call-journal.ts";
import type { Run } from "../conversation/turn/run.ts";
import { createAdmission } from "../intake/admit.ts";
import { createCommands } from "../intake/commands/commands.ts";
import type { Commands } from "../intake/commands.ts";
import type { HandleParts } from "../intake/deed.ts";
import { handle } from "../intake/handle.ts";
import { createOpenForm } from "../intake/open-form.ts";
import { InboxWorker } from "../intake/worker.ts";
import type { Log } from "../lib/log.ts";
import type { Abilities } from "./abilities.ts";
import type { Agent } from "./agent.ts";
import { catalogueOf } from "./catalogue.ts";
import type { Talking } from "./conversations.ts";
import { type CoreNetwork, networkDesk, revocable } from "./network.ts";
import type { Records } from "./records.ts";

interface IntakeParts {
  readonly records: Records;
  readonly agent: Agent;
  readonly abilities: Abilities;
  readonly talking: Talking;
  /** Undefined where workspaces have no network. */
  readonly network: CoreNetwork | undefined;
  readonly people: People;
  readonly subagents: Subagents;
  readonly workspaces: Workspaces | undefined;
  readonly openWorkspace: (conversation: string, requester?: string) => Promise<Workspace>;
  readonly adapterOf: (thread: ThreadId) => Adapter;
  readonly redactor: Redactor;
  readonly log: Log;
  /** The conversations that are worked on in this process. */
  readonly runs: ReadonlyMap<string, Run>;
  readonly holder: string;
  readonly inboxHoldMs: number | undefined;
}

/** The door that all platforms share, and whoever sees to what has come in through it. */
interface Intake extends AsyncDisposable {
  readonly receive: (incoming: Incoming) => Promise<Receipt>;
  readonly openForm: OpenForm;
  /** Begins to see to it. */
  start(): void;
}

export function openIntake(parts: IntakeParts): Intake {
  const { records, abilities, talking, adapterOf, subagents, log, holder, inboxHoldMs } = parts;
  const { store } = records;
  const { authorization } = abilities;
  const handling: HandleParts = {
    inbox: store.inbox,
    conversations: talking.conversations,
    commands: openCommands(parts),
    authorize: authorization.authorize,
    approvals: authorization.approvals,
    questions: authorization.questions,
    grants: revocable(parts.network, authorization.grants),
    autoApprove: authorization.autoApprove,
    subagents,
    reply: talking.reply,
    adapterOf,
  };
  const worker = new InboxWorker({
    store,
    name: holder,
    log,
    handle: (event, row) => handle(handling, event, row),
    ...(inboxHoldMs === undefined ? {} : { holdMs: inboxHoldMs }),
  });
  return {
    receive: createAdmission({
      store,
      journal: records.journal,
      authorize: authorization.authorize,
      onAdmitted: () => worker.look(),
    }),
    openForm: createOpenForm(handling),
    start: () => worker.start(),
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}

function openCommands(parts: IntakeParts): Commands {
  const { records, agent, abilities, talking } = parts;
  const { authorization, registry, toolbox } = abilities;
  const { reply } = talking;
  return createCommands({
    journal: records.journal,
    archive: records.archive,
    authorize: authorization.authorize,
    people: parts.people,
    toolbox,
    callJournal: (conversation) => callJournal(parts.runs.get(conversation)),
    tools: catalogueOf(registry),
    servers: abilities.servers,
    workspaces: parts.workspaces,
    openWorkspace: parts.openWorkspace,
    subagents: parts.subagents,
    network: parts.network && networkDesk(parts.network, authorization.grants),
    approvals: authorization.approvals,
    questions: authorization.questions,
    grants: revocable(parts.network, authorization.grants),
    autoApprove: authorization.autoApprove,
    todos: records.todos,
    memories: records.memories,
    audit: records.audit,
    describeRecord: describe,
    settings: records.settings,
    prompts: agent.prompts,
    choices: records.choices,
    selections: records.selections,
    model: agent.model,
    redactor: parts.redactor,
    show: {
      view: (thread, slot, view) => reply.show(thread, slot, view),
      file: (thread, slot, file) => reply.share(thread, slot, file),
      whisper: (...whispered) => reply.whisper(...whispered),
      whisperFile: (...whispered) => reply.whisperFile(...whispered),
    },
    now: () => new Date(),
  });
}
