import { createHash } from "node:crypto";
import type { Authorization } from "../authorization/authorization.ts";
import type { Config } from "../config.ts";
import type { HostConnector } from "../contract/connector.ts";
import { type Spawner, threadOf } from "../contract/conversation/subagent.ts";
import type { People } from "../contract/platform/actor.ts";
import type { Adapter } from "../contract/platform/adapter.ts";
import type { ThreadId } from "../contract/platform/incoming.ts";
import type { Redactor } from "../contract/redactor.ts";
import type { ServerContainers } from "../contract/server-process.ts";
import type { RunnableTool } from "../contract/tools/tool-call.ts";
import type { Toolbox } from "../contract/tools/toolbox.ts";
import { createQuestions } from "../conversation/questions.ts";
import type { Run } from "../conversation/turn/run.ts";
import { selectionOf } from "../intake/commands/selection.ts";
import type { Log } from "../lib/log.ts";
import { McpServers } from "../mcp/servers.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { createThoughtGuard } from "../tools/thought-guard.ts";
import { createToolbox } from "../tools/toolbox.ts";
import type { Agent } from "./agent.ts";
import { operationsOf } from "./catalogue.ts";
import type { ChannelProfiles } from "./channel-profiles.ts";
import type { CoreNetwork } from "./network.ts";
import { openPermissions, openPolicy } from "./permissions.ts";
import type { Records } from "./records.ts";
import { autoApproveBehind } from "./subagents.ts";
import { toolsOf } from "./tools.ts";

interface AbilityParts {
  readonly config: Pick<Config, "authorization" | "mcp" | "web" | "images">;
  readonly records: Records;
  readonly agent: Agent;
  readonly people: People;
  readonly adapterOf: (thread: ThreadId) => Pick<Adapter, "limits">;
  readonly channels: ChannelProfiles;
  readonly redactor: Redactor;
  readonly log: Log;
  /** The conversations that are worked on in this process. */
  readonly runs: ReadonlyMap<string, Run>;
  readonly subagents: Spawner;
  readonly connector: HostConnector;
  /** Undefined where workspaces have no network. */
  readonly network: CoreNetwork | undefined;
  /** Beside the bot's own. */
  readonly moreTools: readonly RunnableTool[];
  readonly containers: ServerContainers | undefined;
}

/** What the bot can do, and who may let it. */
export interface Abilities {
  readonly registry: ToolRegistry;
  readonly authorization: Authorization;
  readonly toolbox: Toolbox;
  /** External ones, which are started with the core. */
  readonly servers: McpServers;
}

export async function openAbilities(parts: AbilityParts): Promise<Abilities> {
  const { config, records, agent, people, adapterOf, redactor, log, runs } = parts;
  const { audit, choices, hub, journal, memories, results, selections, settings, todos } = records;
  const warn = (message: string) => log("warn", message);
  const { policy, checkOperations, source } = openPolicy(
    config.authorization,
    parts.channels.approvers,
  );
  const authorization = await openPermissions({
    policy,
    settings: config.authorization,
    journal,
    audit,
    people,
    shellOf: async (conversation) => (await choices.of(threadOf(conversation))).shell ?? "bash",
    outsideReadsAsk: async (conversation) =>
      (await settings.load(threadOf(conversation))).outsideReadsAsk,
    autoApproveBehind: autoApproveBehind(settings),
    cardLimits: (conversation) => ({ chars: adapterOf(conversation).limits.cardChars }),
    mask: (text) => redactor.redact(text),
    hosts: parts.network?.hosts,
    asksAboutHosts: parts.network?.asks,
    warn,
  });
  const registry = new ToolRegistry({ events: hub, warn });
  const thoughts = createThoughtGuard();
  const toolbox = createToolbox({
    registry,
    guard: authorization.guard,
    audit,
    events: hub,
    redactor,
    warn,
    stored: results,
    network: parts.network?.calls(() => authorization),
    onCall: (conversation, tool) => {
      if (tool !== "think") thoughts.acted(conversation);
    },
  });
  const tools = toolsOf({
    web: config.web,
    images: config.images,
    connector: parts.connector,
    events: hub,
    redact: (text) => redactor.redact(text),
    stored: results,
    inputTokens: agent.model?.inputTokens,
    thoughts,
    todos,
    memories,
    prompts: agent.prompts,
    archive: records.archive,
    selectionOf: (conversation) => selectionOf({ journal, selections }, conversation),
    // A commit is made without a name rather than not at all.
    nameOf: async (userId, conversation) =>
      (await people.find(userId, conversation).catch(() => undefined))?.name,
    topicMembers: (topic) => choices.members(topic),
    spawner: () => parts.subagents,
    questions: createQuestions({ desk: authorization.questions, hub, runs }),
    operationKey: (given) => registry.operationKey(given),
    requestTools: (conversation, names) => toolbox.requestTools(conversation, names),
    isAutoApproved: (conversation) => authorization.autoApprove.isOn(conversation),
    grantUnasked: (conversation, operation) =>
      authorization.questions.grantUnasked(conversation, operation),
  });
  await registry.initialize([...tools, ...parts.moreTools]);
  const servers = new McpServers({
    settings: config.mcp,
    documents: records.store.documents("mcp-tools"),
    containers: parts.containers,
    owner: createHash("sha256").update(config.mcp.dataDir).digest("hex").slice(0, 16),
    events: hub,
    log,
    replaceTools: (server, its) => registry.replaceServerTools(server, its),
  });
  checkOperations(operationsOf(registry), servers.names);
  // On record before anything is decided by it.
  await audit.record({ kind: "policy.loaded", actor: "operator", source, digest: policy.hash });
  return { registry, authorization, toolbox, servers };
}
