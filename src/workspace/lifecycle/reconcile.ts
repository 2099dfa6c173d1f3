import type { WorkspaceState } from "../../contract/workspace/channel.ts";
import { removeVolumes } from "../docker/container.ts";
import { specHash } from "../docker/container-spec.ts";
import type { ListedContainer } from "../docker/docker.ts";
import { LiveWorkspace, type WorkspaceContext } from "../live-workspace.ts";
import { conversationKey, SPEC_LABEL, WORKSPACE_LABEL } from "../names.ts";
import { discardWorkspace, finishClaim } from "./claim-workspace.ts";
import type { Pool } from "./pool.ts";
import type { Records, WorkspaceRecord } from "./records.ts";

export interface ReconcileParts {
  readonly context: WorkspaceContext;
  readonly records: Records;
  readonly pool: Pool;
  readonly volumeGraceMs: number;
  /** A claimed workspace whose container runs. */
  readonly onRunning: (key: string, live: LiveWorkspace, lastUsedAt: number) => void;
}

/**
 * Makes the engine and the records agree after whatever happened since the last run. Looks only at
 * what carries this bot's own label: what has a conversation is kept, the rest goes or joins the pool.
 */
export async function reconcile(parts: ReconcileParts): Promise<void> {
  const { context, records } = parts;
  const containers = await context.engine.containers(context.names.label);
  const known = new Map(
    (await records.list()).map((one) => [conversationKey(one.conversation), one]),
  );
  for (const container of containers) {
    const key = context.names.keyOf(container.name);
    if (key === undefined) await takeBackOrRemove(parts, container);
    else if (container.running) await keepRunning(parts, key, container, known.get(key));
  }
  await removeLeftVolumes(parts, containers, [...known.values()]);
}

/** Only one that has proven to have no owner may join the pool again. */
async function takeBackOrRemove(parts: ReconcileParts, container: ListedContainer): Promise<void> {
  const { context, pool } = parts;
  const live = liveOf(context, container, { isNew: true });
  const state = container.running ? await stateOf(live) : undefined;
  if (state && state.owner !== null) return finish(parts, live, state.owner);
  const current = container.labels[SPEC_LABEL] === specHash(await context.spec());
  const isUnused = state?.conversation === null && state.runningCalls.length === 0;
  if (current && isUnused && pool.adopt(live)) return;
  await discardWorkspace(context, live);
}

/** Undefined: one that does not answer is of no use. */
async function stateOf(live: LiveWorkspace): Promise<WorkspaceState | undefined> {
  try {
    return await (await live.channel()).request("state", {});
  } catch {
    return undefined;
  }
}

/** The process that claimed it died before the rename, or is about to rename it. */
async function finish(parts: ReconcileParts, live: LiveWorkspace, owner: string): Promise<void> {
  const { context, onRunning } = parts;
  const key = context.names.keyOf(owner);
  const finished = await finishClaim(context, live, owner);
  if (finished === "renamed" && key !== undefined) onRunning(key, live, Date.now());
  else live.link.close();
}

/** The container's name proves whose it is, also when the bot died before it could write that down. */
async function keepRunning(
  parts: ReconcileParts,
  key: string,
  container: ListedContainer,
  record: WorkspaceRecord | undefined,
): Promise<void> {
  const live = liveOf(parts.context, container, { isNew: false });
  parts.onRunning(key, live, record ? Date.parse(record.lastUsedAt) : Date.now());
}

function liveOf(
  context: WorkspaceContext,
  container: ListedContainer,
  { isNew }: { isNew: boolean },
) {
  const workspace = container.labels[WORKSPACE_LABEL] ?? "";
  return new LiveWorkspace(context, { workspace, container: container.name, isNew });
}

/** The grace is for volumes that another process of this bot is just making a container for. */
async function removeLeftVolumes(
  { context, volumeGraceMs }: ReconcileParts,
  containers: readonly ListedContainer[],
  records: readonly WorkspaceRecord[],
): Promise<void> {
  const used = new Set([
    ...containers.map(({ labels }) => labels[WORKSPACE_LABEL]),
    ...records.map(({ workspace }) => workspace),
  ]);
  const volumes = await context.engine.volumes(context.names.label);
  await context.disk.protect(volumes.map(({ name }) => name));
  const left = volumes.filter(
    ({ labels, createdAt }) =>
      !used.has(labels[WORKSPACE_LABEL]) && Date.now() - createdAt > volumeGraceMs,
  );
  for (const workspace of new Set(left.map(({ labels }) => labels[WORKSPACE_LABEL]))) {
    if (workspace) await removeVolumes(context, workspace);
  }
  await context.disk.unmountStale();
}
