import { EngineError } from "../errors.ts";
import type { LiveWorkspace, WorkspaceContext } from "../live-workspace.ts";

/**
 * Claims a workspace of the pool for a container name, against every other process of this bot. Its own server decides,
 * because Docker's rename does not: two renames of one container can both succeed. "taken": a container of that name
 * exists already. "lost": the workspace belongs to another claim, or does not answer.
 */
export async function claimWorkspace(
  context: WorkspaceContext,
  live: LiveWorkspace,
  name: string,
): Promise<"ours" | "taken" | "lost"> {
  const owner = await recordOwner(context, live, name);
  context.probe("claimed");
  const finished = await finishClaim(context, live, owner ?? noOwnerOf(context, live));
  if (owner === name && finished === "renamed") return "ours";
  live.link.close();
  return owner === name && finished === "taken" ? "taken" : "lost";
}

/**
 * Gives a claimed container the name of its owner, whichever process claimed it: that process may have died in between.
 * Where another container has that name, or the owner is no conversation's container, the claimed container is removed.
 */
export async function finishClaim(
  { names }: WorkspaceContext,
  live: LiveWorkspace,
  owner: string,
): Promise<"renamed" | "gone" | "taken"> {
  const isConversation = names.keyOf(owner) !== undefined;
  const renamed = isConversation ? await live.container.rename(owner) : "taken";
  if (renamed !== "taken") return renamed;
  live.link.close(); // first: the engine hangs on a container with an attached stream
  await live.container.destroyUnclaimed();
  return renamed;
}

/** Removes a workspace of the pool, unless a claim was first: then that claim is finished. */
export async function discardWorkspace(
  context: WorkspaceContext,
  live: LiveWorkspace,
): Promise<void> {
  const noOwner = noOwnerOf(context, live);
  const owner = live.link.isOpen ? await recordOwner(context, live, noOwner) : undefined;
  live.link.close();
  await finishClaim(context, live, owner ?? noOwner);
}

/** An owner that is no conversation's container. */
function noOwnerOf({ names }: WorkspaceContext, { container }: LiveWorkspace): string {
  return names.pooled(container.workspace);
}

/** Undefined: it is gone, or its server gives no usable answer. */
async function recordOwner(
  { log }: WorkspaceContext,
  live: LiveWorkspace,
  name: string,
): Promise<string | undefined> {
  try {
    return (await (await live.channel()).request("claim", { owner: name })).owner;
  } catch (error) {
    if (error instanceof EngineError) throw error;
    log("debug", String(error), { container: live.container.name });
    return undefined;
  }
}
