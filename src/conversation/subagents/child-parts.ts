import { subagentId, threadOf } from "../../contract/conversation/subagent.ts";
import type { Model } from "../../contract/model.ts";
import type { OfferRequest, Toolbox } from "../../contract/tools/toolbox.ts";
import type { ConversationParts } from "../parts.ts";
import type { KeptOrder, Orders } from "./orders.ts";
import { DEEPEST } from "./take-order.ts";
import { subagentDirectory, workspaceView } from "./workspace-view.ts";

/** What the conversations of subagents work with: that of all others, within the limits of their orders. */
export function childParts(parts: ConversationParts, orders: Orders): ConversationParts {
  const { settings, briefings, toolbox, model, workspaces, adapterOf, runs } = parts;
  return {
    ...parts,
    parentOf: (child) => runs.get(orders.known(child)?.parent ?? ""),
    settings: {
      load: async (child) => {
        const order = await orderOf(orders, child);
        return {
          ...(await settings.load(threadOf(child))),
          terminal: order.enableTerminalAccess,
          workflow: mayDelegate(order),
          dynamicIterations: order.enableDynamicIterations,
          maxIterations: order.maxIterations,
        };
      },
    },
    briefings: {
      keep: (child) => briefings.keep(child),
      of: async (child, name) => {
        const briefing = await briefings.of(child, name);
        const place = placeOf(child, await orderOf(orders, child));
        return { ...briefing, system: `${briefing.system}\n\n${place}` };
      },
    },
    toolbox: limited(toolbox, orders),
    modelFor: async (child) => model && sampled(model, await orderOf(orders, child)),
    workspaces: workspaces && {
      open: async (child, options) => {
        const order = await orderOf(orders, child);
        const thread = threadOf(child);
        const work = runs.get(thread);
        if (!work) throw new Error(`No turn is running for ${thread} in this process.`);
        // The container is the thread's, and so is the right to use it.
        const workspace = await workspaces.open(thread, { ...options, fence: work.lease.fence });
        return workspaceView(workspace, {
          id: subagentId(child),
          isShared: order.topic !== undefined,
          checkpoint: () => checkpointOf(work),
        });
      },
    },
    // There is no thread of its own to read, nor a message to mark.
    adapterOf: (child) => ({
      limits: adapterOf(threadOf(child)).limits,
      mark: async () => undefined,
      earlier: async () => [],
      fetchAttachment: (_, attachment) =>
        adapterOf(threadOf(child)).fetchAttachment(threadOf(child), attachment),
    }),
    scopeOf: async (child) => (await orderOf(orders, child)).topic ?? child,
  };
}

async function orderOf(orders: Orders, child: string): Promise<KeptOrder> {
  const order = await orders.find(child);
  if (order) return order;
  throw new Error(`The task of the subagent ${child} is missing in the store.`);
}

/** What a subagent is told about where it is. */
function placeOf(child: string, { topic }: KeptOrder): string {
  const shared =
    "You work for another agent, in its workspace /workspace. Your last message is your report to it: say what you found " +
    "or did, and what is left.";
  if (topic !== undefined) return shared;
  return (
    `${shared} Relative paths start in your own directory, /workspace/${subagentDirectory(subagentId(child))}. Files elsewhere in ` +
    "/workspace can be read by their absolute paths; changing them needs an approval. Results name files relative to " +
    "/workspace: to use such a name, put /workspace/ before it."
  );
}

/** What a subagent changes is taken back with the turn that it works for. */
async function checkpointOf(work: NonNullable<ReturnType<ConversationParts["runs"]["get"]>>) {
  await work.keepCheckpoint();
  const { open } = await work.state();
  const { checkpoint, problem } = open?.checkpoint ?? {};
  if (checkpoint !== undefined) return checkpoint;
  throw new Error(problem ?? "The turn has no checkpoint.");
}

function mayDelegate({ enableWorkflowMode, depth }: KeptOrder): boolean {
  return enableWorkflowMode && depth < DEEPEST;
}

const TERMINAL_TOOLS = [
  "terminal_operations",
  "build_and_version_control.create_and_run_task",
  "build_and_version_control.run_task",
  "build_and_version_control.get_task_output",
];

function limited(toolbox: Toolbox, orders: Orders): Toolbox {
  return {
    ...toolbox,
    offer: (request) => toolbox.offer({ ...request, excluded: excludedFor(orders, request) }),
  };
}

/** Whoever makes an offer has just loaded the settings, and so the order is known; without it, everything is left out. */
function excludedFor(orders: Orders, { conversation }: OfferRequest): ReadonlySet<string> {
  const order = orders.known(conversation);
  return new Set([
    ...(order && mayDelegate(order) ? [] : ["run_subagent"]),
    ...(order?.enableTerminalAccess ? [] : TERMINAL_TOOLS),
    ...(order?.enableDynamicIterations ? [] : ["increase_max_iterations"]),
  ]);
}

/** The model that the order names, asked as the order says. Another than its parent's may take less at once. */
function sampled(model: Model, order: KeptOrder): Model {
  const { model: name = model.name } = order;
  return {
    name,
    inputTokens: model.inputTokensOf(name),
    inputTokensOf: (other) => model.inputTokensOf(other),
    check: (signal) => model.check(signal),
    step: (request) => model.step({ ...request, sampling: samplingOf(order) }),
  };
}

function samplingOf({ model, temperature, topP, enableReasoning }: KeptOrder) {
  return {
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(enableReasoning === undefined ? {} : { reasoning: enableReasoning }),
  };
}
