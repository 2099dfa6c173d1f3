import { randomUUID } from "node:crypto";
import type { Authorization } from "../authorization/authorization.ts";
import type { Config } from "../config.ts";
import type { Audit } from "../contract/audit.ts";
import type { HostConnector } from "../contract/connector.ts";
import type { EventHub } from "../contract/conversation/event.ts";
import { threadOf } from "../contract/conversation/subagent.ts";
import type { Model } from "../contract/model.ts";
import type { Egress, EgressGate } from "../contract/network.ts";
import type { People } from "../contract/platform/actor.ts";
import type { Adapter, Receipt } from "../contract/platform/adapter.ts";
import type { OpenForm } from "../contract/platform/form-click.ts";
import type { Incoming, ThreadId } from "../contract/platform/incoming.ts";
import type { Redactor } from "../contract/redactor.ts";
import type { ServerContainers } from "../contract/server-process.ts";
import type { Store } from "../contract/store.ts";
import type { RunnableTool } from "../contract/tools/tool-call.ts";
import type { Workspace, Workspaces } from "../contract/workspace/workspace.ts";
import type { Conversations } from "../conversation/conversations.ts";
import type { Settings } from "../conversation/settings.ts";
import { Subagents } from "../conversation/subagents/subagents.ts";
import type { Run } from "../conversation/turn/run.ts";
import { namesIn } from "../intake/commands/names.ts";
import type { Log } from "../lib/log.ts";
import { Connector } from "../network/connector.ts";
import { openAbilities } from "./abilities.ts";
import { openAgent } from "./agent.ts";
import { type ChannelProfiles, openChannelProfiles } from "./channel-profiles.ts";
import { openConversations } from "./conversations.ts";
import { openIntake } from "./intake.ts";
import { auditNetwork, networkOf } from "./network.ts";
import { openForPeople, peopleOf } from "./people.ts";
import { openRecords } from "./records.ts";

export interface CoreParts {
  readonly config: Pick<
    Config,
    "authorization" | "model" | "promptsDir" | "mcp" | "web" | "images" | "uploadBytesPerHour"
  > &
    Partial<Pick<Config, "network">>;
  readonly store: Store;
  readonly redactor: Redactor;
  readonly log: Log;
  /** Absent where there is no engine: then calls that need a workspace say so. */
  readonly workspaces: Workspaces | undefined;
  readonly adapterOf: (thread: ThreadId) => Adapter;
  readonly channels?: ChannelProfiles;
  /** How the bot's own tools reach hosts outside. */
  readonly connector?: HostConnector;
  /** What happens on the network of workspaces. Absent where they have none. */
  readonly egress?: Egress;
  /** Where MCP servers run; absent where there is no engine. */
  readonly containers?: ServerContainers | undefined;
  /** Beside the bot's own. */
  readonly tools?: readonly RunnableTool[];
  /** Who this process is among its replicas; a name that nobody else has, where none is given. */
  readonly holder?: string;
  /** For tests that cannot wait: how long a message rests between two edits, and for how long a row is nobody else's. */
  readonly pace?: { readonly leastEditGapMs: number; readonly inboxHoldMs: number };
}

/** The bot without its platforms. */
export interface Core extends AsyncDisposable {
  /** Undefined: direct mode. */
  readonly model: Model | undefined;
  readonly authorization: Authorization;
  readonly people: People;
  readonly audit: Audit;
  /** Decides about the connections of workspaces. Undefined where they have no network. */
  readonly gate: EgressGate | undefined;
  readonly settings: Settings;
  readonly hub: EventHub;
  /** How people call those who have written in a conversation, by their keys. */
  readonly namesIn: (
    conversation: string,
    keys: readonly string[],
  ) => Promise<(key: string) => string>;
  readonly conversations: Pick<Conversations, "state" | "stop" | "restore">;
  /** The thread's workspace for people, beside whatever turn is under way. */
  readonly openWorkspace: (conversation: string, requester?: string) => Promise<Workspace>;
  /** What every platform hands its events to. */
  readonly receive: (incoming: Incoming) => Promise<Receipt>;
  /** What every platform asks before it opens the form of a button. */
  readonly openForm: OpenForm;
  /** Takes up what was cut off, and begins to work. */
  start(): Promise<void>;
}

/** One MCP server that hangs must not keep people waiting: its tools come later. */
const SERVERS_WAIT_MS = 5_000;

/** Puts everything together that knows no platform. */
export async function openCore(parts: CoreParts): Promise<Core> {
  const { config, store, redactor, log, workspaces, tools = [], pace } = parts;
  // Subagents are heard in the thread that they work for.
  const adapterOf = (conversation: string) => parts.adapterOf(threadOf(conversation));
  const channels = parts.channels ?? openChannelProfiles(undefined);
  const holder = parts.holder ?? randomUUID();
  const runs = new Map<string, Run>();
  const people = peopleOf(adapterOf);
  const openWorkspace = (conversation: string, requester?: string) => {
    const fence = runs.get(conversation)?.lease.fence;
    return openForPeople({ store, workspaces, holder, fence }, conversation, requester);
  };

  const records = openRecords({ config, store, redactor, log });
  const { journal, settings } = records;
  const subagents = new Subagents({
    journal,
    orders: records.orders,
    settings,
    hub: records.hub,
    choices: records.choices,
    runs,
    children: () => talking.children,
  });
  const network = networkOf(parts, {
    channels,
    journal,
    live: (conversation) => subagents.live(conversation),
  });
  const agent = openAgent({
    config,
    records,
    log,
    channelNotes: (conversation) => channels.notesOf(threadOf(conversation)),
  });
  const abilities = await openAbilities({
    config,
    records,
    agent,
    people,
    adapterOf,
    channels,
    redactor,
    log,
    runs,
    subagents,
    connector: parts.connector ?? new Connector(),
    network,
    moreTools: tools,
    containers: parts.containers,
  });
  const talking = openConversations({
    records,
    agent,
    abilities,
    workspaces,
    adapterOf,
    redactor,
    log,
    runs,
    holder,
    subagents,
    leastEditGapMs: pace?.leastEditGapMs,
  });
  const gate = network && network.open({ records, abilities, reply: talking.reply });
  const auditing = network && auditNetwork(network.egress, records.audit, log);
  const intake = openIntake({
    records,
    network,
    agent,
    abilities,
    talking,
    people,
    subagents,
    workspaces,
    openWorkspace,
    adapterOf,
    redactor,
    log,
    runs,
    holder,
    inboxHoldMs: pace?.inboxHoldMs,
  });
  return {
    model: agent.model,
    authorization: abilities.authorization,
    people,
    audit: records.audit,
    gate,
    settings,
    hub: records.hub,
    namesIn: (conversation, keys) => namesIn({ journal, people }, conversation, keys),
    conversations: talking.conversations,
    openWorkspace,
    receive: intake.receive,
    openForm: intake.openForm,
    start: async () => {
      await abilities.servers.startWithin(SERVERS_WAIT_MS);
      await talking.conversations.start();
      await gate?.restore();
      intake.start();
      records.journalCommits.start();
    },
    [Symbol.asyncDispose]: async () => {
      await intake[Symbol.asyncDispose]();
      await talking[Symbol.asyncDispose]();
      await auditing?.[Symbol.asyncDispose]();
      await abilities.servers[Symbol.asyncDispose]();
      await records.journalCommits[Symbol.asyncDispose]();
      await records.audit[Symbol.asyncDispose]();
    },
  };
}
