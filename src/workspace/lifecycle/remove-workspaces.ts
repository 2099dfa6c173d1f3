import { removeVolumes } from "../docker/container.ts";
import { createServerContainers, SERVER_LABEL } from "../docker/server-containers.ts";
import { WORKSPACE_LABEL } from "../names.ts";
import type { WorkspacesOptions } from "../options.ts";
import { createWorkspaceContext } from "../workspace-context.ts";
import { FileRecords } from "./records.ts";

/** The workspaces of a data directory. Remove them only while no bot uses that directory: it would make new ones. */
export interface InstalledWorkspaces {
  readonly containers: readonly string[];
  readonly volumes: readonly string[];
  /** Removes all containers and volumes with every file in them. */
  remove(): Promise<void>;
}

export async function installedWorkspaces(
  options: WorkspacesOptions,
): Promise<InstalledWorkspaces> {
  const context = createWorkspaceContext(
    options,
    await new FileRecords(options.dataDir).instance(),
  );
  const { engine, names, disk } = context;
  const servers = await engine.containers(`${SERVER_LABEL}=${names.instance}`);
  const containers = [...(await engine.containers(names.label)), ...servers];
  const volumes = await engine.volumes(names.label);
  return {
    containers: containers.map(({ name }) => name),
    volumes: volumes.map(({ name }) => name),
    remove: async () => {
      await createServerContainers(options).removeLeft();
      for (const { name } of containers) await engine.remove(name);
      const workspaces = new Set(volumes.map(({ labels }) => labels[WORKSPACE_LABEL]));
      for (const workspace of workspaces) {
        if (workspace) await removeVolumes(context, workspace);
      }
      await disk.unmountStale();
    },
  };
}
