import { actorKey } from "../../contract/platform/actor.ts";
import type { Json } from "../../contract/store.ts";
import type { ToolResult } from "../../contract/tools/tool-call.ts";
import type {
  Workspace,
  WorkspaceCall,
  WorkspaceSummary,
} from "../../contract/workspace/workspace.ts";
import type { DirectCall } from "./arguments.ts";
import type { CommandDeps } from "./deps.ts";
import { type Asked, CommandRefusedError, idOf } from "./verb.ts";

/** The thread's workspace, if it has one: nobody gets a container by asking what is in it. */
export async function existingWorkspace(deps: CommandDeps, asked: Asked): Promise<Workspace> {
  await assertWorkspace(deps, asked);
  return deps.openWorkspace(asked.conversation, actorKey(asked.actor));
}

/** An operation in the workspace that only reads. What went wrong is told to whoever asked. */
export async function readInWorkspace(
  workspace: Workspace,
  { event }: Asked,
  tool: string,
  args: Readonly<Record<string, Json>>,
  where: Pick<WorkspaceCall, "terminal"> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const result = await workspace.call({ id: idOf("read", event), tool, args, ...where });
  if (!result.success)
    throw new CommandRefusedError(result.message ?? "The workspace could not do that.");
  return result;
}

/** No turn is under way whose files would change under its hands. */
export async function assertNoTurn(
  { journal }: CommandDeps,
  { conversation }: Asked,
): Promise<void> {
  const { open } = await journal.read(conversation);
  if (open)
    throw new CommandRefusedError(
      "A turn is running here. Say `stop` first, or wait until it ends.",
    );
}

/**
 * A human's own call beside whatever turn is under way, by the same guard as every other. Undefined: a human has to be
 * asked first, so it has to become a turn of its own.
 */
export async function callNow(
  { toolbox, settings, openWorkspace, callJournal }: CommandDeps,
  { conversation, event, actor }: Asked,
  call: DirectCall,
): Promise<ToolResult | undefined> {
  const outcome = await toolbox.runCall(
    { callId: idOf("now", event), ...call },
    {
      conversation,
      userId: actorKey(actor),
      initiatedBy: "human",
      signal: AbortSignal.timeout(NOW_MS),
      workspace: () => openWorkspace(conversation, actorKey(actor)),
      offer: toolbox.offer({ conversation, settings: await settings.load(conversation) }),
      asks: true,
      journal: callJournal(conversation),
    },
  );
  return outcome.outcome === "finished" ? outcome.result : undefined;
}

const NOW_MS = 60_000;

interface KnownWorkspace {
  readonly workspaces: NonNullable<CommandDeps["workspaces"]>;
  readonly summary: WorkspaceSummary;
}

/** The workspaces, of which this thread has one. */
export async function assertWorkspace(
  deps: CommandDeps,
  asked: Asked,
): Promise<NonNullable<CommandDeps["workspaces"]>> {
  return (await knownWorkspace(deps, asked)).workspaces;
}

/** How this thread's workspace is, without waking it. */
export async function knownWorkspace(
  { workspaces }: CommandDeps,
  { conversation }: Asked,
): Promise<KnownWorkspace> {
  if (!workspaces) {
    throw new CommandRefusedError(
      "This bot has no workspaces. The operator can set up Docker and restart it.",
    );
  }
  const summary = (await workspaces.list()).find((one) => one.conversation === conversation);
  if (summary) return { workspaces, summary };
  throw new CommandRefusedError(
    "This thread has no workspace yet. A command creates one: `$ pwd`.",
  );
}
