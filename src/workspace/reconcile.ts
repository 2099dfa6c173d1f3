import { removeVolumes } from "./container.ts";
import { specHash } from "./container-spec.ts";
import type { ListedContainer } from "./docker.ts";
import { type Harbour, LiveWorkspace } from "./live-workspace.ts";
import { conversationKey, SPEC_LABEL, WORKSPACE_LABEL } from "./names.ts";
import type { Pool } from "./pool.ts";
import type { Records, WorkspaceRecord } from "./records.ts";

export interface ReconcileParts {
  readonly harbour: Harbour;
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
  const { harbour, records } = parts;
  const containers = await harbour.engine.containers(harbour.names.label);
  const known = new Map(
    (await records.list()).map((one) => [conversationKey(one.conversation), one]),
  );
  for (const container of containers) {
    const key = harbour.names.keyOf(container.name);
    if (key === undefined) await takeBackOrRemove(parts, container);
    else if (container.running) await keepRunning(parts, key, container, known.get(key));
  }
  await removeLeftVolumes(parts, containers, [...known.values()]);
}

/** Only one that is proven to be nobody's may join the pool again. */
async function takeBackOrRemove(parts: ReconcileParts, container: ListedContainer): Promise<void> {
  const { harbour, pool } = parts;
  const live = liveOf(harbour, container, { isNew: true });
  const current = container.labels[SPEC_LABEL] === specHash(await harbour.spec());
  if (current && container.running && (await isUnclaimed(live)) && pool.adopt(live)) return;
  live.link.close();
  await live.container.destroyUnclaimed();
}

async function isUnclaimed(live: LiveWorkspace): Promise<boolean> {
  try {
    const state = await (await live.channel()).request("state", {});
    return state.conversation === null && state.runningCalls.length === 0;
  } catch {
    return false; // one that does not answer is of no use to anybody
  }
}

/** The container's name proves whose it is, also when the bot died before it could write that down. */
async function keepRunning(
  parts: ReconcileParts,
  key: string,
  container: ListedContainer,
  record: WorkspaceRecord | undefined,
): Promise<void> {
  const live = liveOf(parts.harbour, container, { isNew: false });
  parts.onRunning(key, live, record ? Date.parse(record.lastUsedAt) : Date.now());
}

function liveOf(harbour: Harbour, container: ListedContainer, { isNew }: { isNew: boolean }) {
  const workspace = container.labels[WORKSPACE_LABEL] ?? "";
  return new LiveWorkspace(harbour, { workspace, container: container.name, isNew });
}

/** The grace is for volumes that another process of this bot is just making a container for. */
async function removeLeftVolumes(
  { harbour, volumeGraceMs }: ReconcileParts,
  containers: readonly ListedContainer[],
  records: readonly WorkspaceRecord[],
): Promise<void> {
  const used = new Set([
    ...containers.map(({ labels }) => labels[WORKSPACE_LABEL]),
    ...records.map(({ workspace }) => workspace),
  ]);
  const volumes = await harbour.engine.volumes(harbour.names.label);
  await harbour.disk.protect(volumes.map(({ name }) => name));
  const left = volumes.filter(
    ({ labels, createdAt }) =>
      !used.has(labels[WORKSPACE_LABEL]) && Date.now() - createdAt > volumeGraceMs,
  );
  for (const workspace of new Set(left.map(({ labels }) => labels[WORKSPACE_LABEL]))) {
    if (workspace) await removeVolumes(harbour, workspace);
  }
  await harbour.disk.unmountStale(
    new Set(volumes.map(({ labels }) => labels[WORKSPACE_LABEL] ?? "")),
  );
}
