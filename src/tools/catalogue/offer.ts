import type { ConversationSettings } from "../../contract/conversation/conversation-settings.ts";
import type { ModelTool } from "../../contract/model.ts";
import type { Tool } from "../../contract/tools/operation.ts";
import { flatSchema } from "../../contract/tools/tool-schema.ts";
import type { Offer, OfferRequest } from "../../contract/tools/toolbox.ts";
import type { RegisteredTool } from "../registered-tool.ts";
import type { ToolRegistry } from "../registry.ts";
import { offeredNames } from "./names.ts";

/** What a small model has from the beginning, with what our own notes tell it to use. It asks for more with `think`. */
const CORE: ReadonlySet<string> = new Set([
  "think",
  "user_collaboration",
  "todo_operations",
  "read_tool_result",
  "recall_history",
  "terminal_operations",
]);

/** Tools that people can switch off for a conversation. */
const SWITCHES: ReadonlyMap<string, keyof ConversationSettings> = new Map([
  ["terminal_operations", "terminal"],
  ["run_subagent", "workflow"],
  ["increase_max_iterations", "dynamicIterations"],
]);

/** The tools of one step, and the answer to calls of others. Those that were requested count where only a core is offered. */
export function makeOffer(
  registry: ToolRegistry,
  request: OfferRequest,
  requested: ReadonlySet<string>,
): Offer {
  const all = registry.list();
  const names = offeredNames(all);
  const meant = new Map(Array.from(names, ([name, offered]) => [offered, name]));
  const tools = all.filter((tool) => isOffered(tool, request, requested));
  return {
    tools: tools.map((tool) => asModelTool(tool, names, request)),
    toolNamed: (offered) => meant.get(offered),
    refusal: (tool, operation) =>
      channelProblem(registry.get(tool), request) ??
      refusal(tool, request, requested) ??
      (operation === undefined ? undefined : exclusionOf(`${tool}.${operation}`, request)),
  };
}

/** Nobody can answer an outside caller's question, so it is not offered there; asked anyway, the tool does not wait. */
function isOffered(
  registered: RegisteredTool,
  request: OfferRequest,
  requested: ReadonlySet<string>,
): boolean {
  if (channelProblem(registered, request) !== undefined) return false;
  const { name } = registered.tool.definition;
  if (name === "user_collaboration" && request.isExternalCall) return false;
  return refusal(name, request, requested) === undefined;
}

/** An operator may keep a server for some channels. */
function channelProblem(
  registered: RegisteredTool | undefined,
  { conversation }: OfferRequest,
): string | undefined {
  const definition = registered?.tool.definition;
  const channels = definition?.operations[definition.name]?.foreign?.channels;
  if (!channels || channels.some((channel) => conversation.startsWith(`${channel}:`))) {
    return undefined;
  }
  return "The operator keeps its server for other channels.";
}

function refusal(
  tool: string,
  request: OfferRequest,
  requested: ReadonlySet<string>,
): string | undefined {
  const exclusion = exclusionOf(tool, request);
  if (exclusion !== undefined) return exclusion;
  if (request.settings.smallContext && !CORE.has(tool) && !requested.has(tool)) {
    return `It is not offered in this turn. Call think with requested_tools: ["${tool}"] first.`;
  }
  return undefined;
}

/** Why a tool may not be used here even if it is asked for. */
export function exclusionOf(
  tool: string,
  { settings, excluded }: OfferRequest,
): string | undefined {
  if (excluded?.has(tool)) return "Subagents may not use it.";
  const setting = SWITCHES.get(tool);
  if (setting !== undefined && settings[setting] === false) {
    return `This conversation's setting "${setting}" is off; people can turn it on.`;
  }
  return undefined;
}

function asModelTool(
  { tool: { definition }, parameters }: RegisteredTool,
  names: ReadonlyMap<string, string>,
  { excluded }: OfferRequest,
): ModelTool {
  const { name, description } = definition;
  return {
    name: names.get(name) ?? name,
    description,
    parameters: excluded ? parametersWithout(definition, parameters, excluded) : parameters,
  };
}

/** What is left of a tool of which some operations are left out. */
function parametersWithout(
  definition: Tool,
  parameters: ModelTool["parameters"],
  excluded: ReadonlySet<string>,
): ModelTool["parameters"] {
  const all = Object.entries(definition.operations);
  const left = all.filter(([operation]) => !excluded.has(`${definition.name}.${operation}`));
  if (left.length === all.length || definition.single) return parameters;
  return flatSchema({ ...definition, operations: Object.fromEntries(left) });
}
