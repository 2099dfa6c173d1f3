import { WorkspaceError } from "../contract/workspace/workspace.ts";
import { DiskLimit } from "./disk/disk-limit.ts";
import { apparmorProfile, loadedProfiles } from "./docker/apparmor.ts";
import type { SpecInput } from "./docker/container-spec.ts";
import { Engine } from "./docker/docker.ts";
import { isLocal } from "./docker/endpoint.ts";
import type { WorkspaceContext } from "./live-workspace.ts";
import { Names } from "./names.ts";
import type { WorkspacesOptions } from "./options.ts";

/** Puts together what all workspaces of one bot share. */
export function createWorkspaceContext(
  options: WorkspacesOptions,
  instance: string,
): WorkspaceContext {
  const { settings, log, dataDir } = options;
  const engine = new Engine(settings);
  const names = new Names(instance);
  const usable = isLocal(settings) && process.getuid?.() === 0;
  const disk = new DiskLimit({ engine, names, log, dataDir, bytes: settings.diskBytes, usable });
  const probe = options.probe ?? (() => {});
  return { engine, names, disk, log, probe, spec: rememberedSpec(options, engine) };
}

function rememberedSpec(options: WorkspacesOptions, engine: Engine): WorkspaceContext["spec"] {
  const specs = new Map<string, Promise<SpecInput>>();
  return ({ fresh, image = options.settings.image } = {}) => {
    const known = fresh ? undefined : specs.get(image);
    if (known) return known;
    const spec = lookUpSpec(options, engine, image).catch((error: unknown) => {
      if (specs.get(image) === spec) specs.delete(image);
      throw error;
    });
    specs.set(image, spec);
    return spec;
  };
}

async function lookUpSpec(
  { settings, seccomp, health }: WorkspacesOptions,
  engine: Engine,
  image: string,
): Promise<SpecInput> {
  const [imageId, host] = await Promise.all([engine.imageId(image), engine.host()]);
  if (imageId === "no-image") {
    throw new WorkspaceError(
      `The sandbox image "${image}" is missing. Build it with \`npm run image\`.`,
    );
  }
  const loaded = isLocal(settings) ? await loadedProfiles() : "";
  const apparmor = apparmorProfile(host.securityOptions, loaded);
  return { settings, seccomp, imageId, engineCpus: host.cpus, apparmor, health };
}
