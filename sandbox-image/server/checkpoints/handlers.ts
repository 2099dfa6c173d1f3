import type { checkpointOperations } from "../../../src/contract/workspace/checkpoints.ts";
import type { Handlers } from "../handlers.ts";
import type { ServerSettings } from "../settings.ts";

/** On a volume of its own, mode 0700, root's. */
const STORE = "/var/lib/deckhand/checkpoints";

/** For the server of one root call only: the store must be out of the workload's reach. */
export function checkpointHandlers(
  { workspaceDir }: Pick<ServerSettings, "workspaceDir">,
  store = STORE,
): Handlers<typeof checkpointOperations> {
  const open = async (maxStoreBytes?: number) => {
    // Loaded here, because both servers are one bundle and only this call needs it.
    const { Checkpoints } = await import("./checkpoints.ts");
    const limits = maxStoreBytes === undefined ? {} : { maxStoreBytes };
    return new Checkpoints({ root: workspaceDir, store, limits });
  };
  return {
    create: async ({ label, store_limit_bytes }, { signal }) =>
      (await open(store_limit_bytes)).create({ label, signal }),
    list: async () => (await open()).list(),
    diff: async ({ checkpoint, against, paths }, { signal }) =>
      (await open()).diff(checkpoint, { against, paths, signal }),
    restore: async ({ checkpoint, path, store_limit_bytes }, { signal }) =>
      (await open(store_limit_bytes)).restore(checkpoint, { path, signal }),
    trim: async ({ store_limit_bytes }, { signal }) => (await open(store_limit_bytes)).trim(signal),
  };
}
