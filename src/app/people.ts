import { threadOf } from "../contract/conversation/subagent.ts";
import { NoWorkspaceError } from "../contract/permission/gate.ts";
import type { People } from "../contract/platform/actor.ts";
import type { Adapter } from "../contract/platform/adapter.ts";
import type { ThreadId } from "../contract/platform/incoming.ts";
import type { Store } from "../contract/store.ts";
import { ToolError } from "../contract/tools/operation.ts";
import type { OpenOptions, Workspace, Workspaces } from "../contract/workspace/workspace.ts";

/** People are asked for where they are: at the platform of the conversation's own thread. */
export function peopleOf(adapterOf: (thread: ThreadId) => Adapter): People {
  return {
    find: async (key, conversation) => {
      const adapter = adapterOf(conversation);
      const [platform, id] = [key.split(":")[0], key.split(":").at(-1)];
      if (platform !== adapter.platform || id === undefined) return undefined;
      return adapter.presence(threadOf(conversation), id);
    },
    holders: async (role, conversation) => {
      const adapter = adapterOf(conversation);
      const found = await adapter.holders?.(threadOf(conversation), role);
      return found && { ...found, keys: found.ids.map((id) => `${adapter.platform}:${id}`) };
    },
    ownersName: (conversation) => adapterOf(conversation).ownersName ?? "the owners",
  };
}

interface Opening {
  readonly store: Store;
  readonly workspaces: Workspaces | undefined;
  readonly holder: string;
  /** Of the turn that is under way here. */
  readonly fence: number | undefined;
}

/** Long enough to open a workspace under it, and short enough to keep nobody waiting. */
const PEOPLE_LEASE_MS = 5_000;
/** How long somebody waits for a place among the workspaces that run before they are told. */
const PATIENCE_MS = 30_000;

/** Beside a turn under the turn's own fence; otherwise under one that is newer than every turn before. */
export async function openForPeople(
  { store, workspaces, holder, fence }: Opening,
  conversation: string,
  requester?: string,
): Promise<Workspace> {
  if (!workspaces) throw new NoWorkspaceError();
  if (fence !== undefined) return openInTime(workspaces, conversation, { fence, requester });
  const lease = await store.lease(conversation, `${holder}:people`, PEOPLE_LEASE_MS);
  // It may be the lease of one that has died: whoever asked is answered as soon as that has run out.
  if (!lease) throw new Error("Another replica is working on this thread. Try again.");
  try {
    return await openInTime(workspaces, conversation, { fence: lease.fence, requester });
  } finally {
    await lease.release();
  }
}

/** Turns wait for a place as long as it takes. A word of somebody is answered: nothing else is heard in its thread until then. */
async function openInTime(
  workspaces: Workspaces,
  conversation: string,
  options: Pick<OpenOptions, "fence" | "requester">,
): Promise<Workspace> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    return await workspaces.open(conversation, { ...options, signal });
  } catch (error) {
    throw signal.aborted ? notToBeHad(error) : error;
  }
}

function notToBeHad(cause: unknown): ToolError {
  const why =
    "The workspace is not available right now; all workspaces may be in use. Try again in a moment.";
  return new ToolError("executionFailed", why, {}, { cause });
}
