import type { Authorization } from "../authorization/authorization.ts";
import type { Config } from "../config.ts";
import { type Spawner, threadOf } from "../contract/conversation/subagent.ts";
import type { People } from "../contract/platform/actor.ts";
import type { Adapter } from "../contract/platform/adapter.ts";
import type { ThreadId } from "../contract/platform/incoming.ts";
import type { Redactor } from "../contract/redactor.ts";
import type { RunnableTool } from "../contract/tools/tool-call.ts";
import type { Toolbox } from "../contract/tools/toolbox.ts";
import { createQuestions } from "../conversation/questions.ts";
import type { Run } from "../conversation/run.ts";
import { selectionOf } from "../intake/commands/selection.ts";
import type { Log } from "../lib/log.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { createThoughtGuard } from "../tools/thought-guard.ts";
import { createToolbox } from "../tools/toolbox.ts";
import type { Agent } from "./agent.ts";
import { operationsOf } from "./catalogue.ts";
import type { ChannelProfiles } from "./channel-profiles.ts";
import { openPermissions } from "./permissions.ts";
import type { Records } from "./records.ts";
import { autoApproveBehind } from "./subagents.ts";
import { type ToolParts, toolsOf } from "./tools.ts";

interface AbilityParts {
  readonly config: Pick<Config, "authorization" | "web" | "images">;
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
  /** Beside the bot's own. */
  readonly moreTools: readonly RunnableTool[];
}

/** What the bot can do, and who may let it. */
export interface Abilities {
  readonly registry: ToolRegistry;
  readonly authorization: Authorization;
  readonly toolbox: Toolbox;
}

export async function openAbilities(parts: AbilityParts): Promise<Abilities> {
  const { config, records, people, adapterOf, redactor, log, moreTools } = parts;
  const warn = (message: string) => log("warn", message);
  const registry = new ToolRegistry({ events: records.hub, warn });
  const thoughts = createThoughtGuard();
  // The policy names tools, and tools ask the guard: whichever is made first has to wait for the other.
  const permitted = Promise.withResolvers<Authorization>();
  const requestTools: Toolbox["requestTools"] = (...given) => toolbox.requestTools(...given);
  const own = toolsOf(
    toolParts(parts, { registry, thoughts, requestTools, permitted: permitted.promise }),
  );
  await registry.initialize([...own, ...moreTools]);
  const authorization = await openPermissions({
    settings: config.authorization,
    channelApprovers: parts.channels.approvers,
    journal: records.journal,
    audit: records.audit,
    people,
    operations: operationsOf(registry),
    shellOf: async (conversation) =>
      (await records.choices.of(threadOf(conversation))).shell ?? "bash",
    outsideReadsAsk: async (conversation) =>
      (await records.settings.load(threadOf(conversation))).outsideReadsAsk,
    autoApproveBehind: autoApproveBehind(records.settings),
    cardLimits: (conversation) => ({ chars: adapterOf(conversation).limits.cardChars }),
    mask: (text) => redactor.redact(text),
    warn,
  });
  permitted.resolve(authorization);
  const toolbox = createToolbox({
    registry,
    guard: authorization.guard,
    audit: records.audit,
    events: records.hub,
    redactor,
    warn,
    stored: records.results,
    onCall: (conversation, tool) => {
      if (tool !== "think") thoughts.acted(conversation);
    },
  });
  return { registry, authorization, toolbox };
}

interface Promised extends Pick<ToolParts, "thoughts" | "requestTools"> {
  readonly registry: ToolRegistry;
  readonly permitted: Promise<Authorization>;
}

function toolParts(
  { config, records, people, agent, redactor, runs, subagents }: AbilityParts,
  { registry, thoughts, requestTools, permitted }: Promised,
): ToolParts {
  const { hub, results, todos, memories, journal, archive, selections, choices } = records;
  const asking = permitted.then(({ questions: desk }) => createQuestions({ desk, hub, runs }));
  return {
    web: config.web,
    images: config.images,
    events: hub,
    redact: (text) => redactor.redact(text),
    stored: results,
    inputTokens: agent.model?.inputTokens,
    thoughts,
    todos,
    memories,
    prompts: agent.prompts,
    archive,
    selectionOf: (conversation) => selectionOf({ journal, selections }, conversation),
    // A commit is made without a name rather than not at all.
    nameOf: async (userId, conversation) =>
      (await people.find(userId, conversation).catch(() => undefined))?.name,
    topicMembers: (topic) => choices.members(topic),
    spawner: () => subagents,
    questions: { ask: async (question) => (await asking).ask(question) },
    operationKey: (given) => registry.operationKey(given),
    requestTools,
    isAutoApproved: async (conversation) => (await permitted).autoApprove.isOn(conversation),
    grantUnasked: async (conversation, operation) =>
      (await permitted).questions.grantUnasked(conversation, operation),
  };
}
