import { setTimeout as delay } from "node:timers/promises";
import { WorkspaceError } from "../../contract/workspace/workspace.ts";
import type { DiskLimit } from "../disk/disk-limit.ts";
import { type Names, SPEC_LABEL, VOLUME_PARTS, WORKSPACE_LABEL } from "../names.ts";
import type { SpecInput } from "./container-spec.ts";
import { containerSpec, specHash } from "./container-spec.ts";
import type { ContainerState, Engine } from "./docker.ts";

/** What all containers of this bot share. */
export interface EngineContext {
  readonly engine: Engine;
  readonly names: Names;
  readonly disk: DiskLimit;
  /** Looked up again when the engine no longer has the image. */
  spec(options?: { fresh?: boolean; image?: string | undefined }): Promise<SpecInput>;
}

/** What had to be done so that the container runs. */
export type Revival =
  | "was-running"
  | "started"
  /** It ran, but its server did not answer. */
  | "restarted"
  | "recreated"
  /** The volumes were gone as well: no file and no memory of earlier calls is left. */
  | "recreated-empty";

/** One workspace's container and volumes. The container may be absent; the volumes make the workspace. */
export class Container {
  readonly workspace: string;
  readonly #context: EngineContext;
  readonly #image: string | undefined;
  #name: string;

  /** Made from the image of the settings where no other is given. */
  constructor(context: EngineContext, workspace: string, name: string, image?: string) {
    this.#context = context;
    this.workspace = workspace;
    this.#name = name;
    this.#image = image;
  }

  get name(): string {
    return this.#name;
  }

  /** "taken": a container of that name is there already. The disk is made ready meanwhile. */
  async create(): Promise<"created" | "taken"> {
    const disk = this.#context.disk.makeReady(this.workspace);
    try {
      return await this.#create();
    } finally {
      await disk;
    }
  }

  /** The same for a workspace that has never been: without a container nothing of it is left. */
  async createNew(): Promise<"created" | "taken"> {
    let made: "created" | "taken" | undefined;
    try {
      made = await this.create();
      return made;
    } finally {
      if (made !== "created") await removeVolumes(this.#context, this.workspace);
    }
  }

  async #create(): Promise<"created" | "taken"> {
    const { engine, names } = this.#context;
    for (const fresh of [false, true]) {
      const spec = await this.#context.spec({ fresh, image: this.#image });
      const made = await engine.create(this.#name, containerSpec(spec, names, this.workspace));
      if (made !== "no-image") return made;
    }
    throw new WorkspaceError("The sandbox image is missing. Build it with `npm run image`.");
  }

  /** "renamed" also when another process gave it that name. "taken": another container has the name. */
  async rename(to: string): Promise<"renamed" | "gone" | "taken"> {
    const { engine } = this.#context;
    const renamed = await engine.rename(this.#name, to);
    const hasName = async () =>
      (await engine.inspect(to))?.labels[WORKSPACE_LABEL] === this.workspace;
    if (renamed !== "renamed" && !(await hasName())) return renamed;
    this.#name = to;
    return "renamed";
  }

  inspect(): Promise<ContainerState | undefined> {
    return this.#context.engine.inspect(this.#name);
  }

  /** Puts the disk limit in place, which must be there before the start. */
  prepare(): Promise<void> {
    return this.#context.disk.mount(this.workspace);
  }

  async start(): Promise<"started" | "running" | "gone" | "removing"> {
    return this.#context.engine.start(this.#name);
  }

  stop(): Promise<"stopped" | "gone"> {
    return this.#context.engine.stop(this.#name);
  }

  /** Ends everything in it at once; files stay. */
  async restart(): Promise<void> {
    await this.#context.engine.kill(this.#name);
    await this.ensureRunning();
  }

  async ensureRunning(): Promise<Revival> {
    const state = await this.inspect();
    if (state?.status === "running") return "was-running";
    if (state?.status === "paused") {
      await this.#context.engine.unpause(this.#name);
      return "was-running";
    }
    if (state) await this.prepare();
    const started = state && (await this.start());
    if (started === "started" || started === "running") return "started";
    // One of the pool that is gone may have been claimed: its volumes are somebody's by now.
    if (this.#context.names.isPooled(this.#name))
      throw new WorkspaceError("The workspace is no longer in the pool.");
    if (state) await this.#awaitRemoval();
    return this.#recreate();
  }

  /** Whether a container made now would be another one. */
  async isOutdated(state: ContainerState): Promise<boolean> {
    return state.labels[SPEC_LABEL] !== specHash(await this.#context.spec({ image: this.#image }));
  }

  /** Removes the container alone: the next start makes a new one around the same volumes. */
  async removeContainer(): Promise<void> {
    await this.#context.engine.remove(this.#name);
  }

  /** Removes the container and every file. */
  async destroy(): Promise<void> {
    await this.removeContainer();
    await removeVolumes(this.#context, this.workspace);
  }

  /** The same, unless the container has got another name: then it and its files are somebody's. */
  async destroyUnclaimed(): Promise<void> {
    if ((await this.#context.engine.remove(this.#name)) === "gone") return;
    await removeVolumes(this.#context, this.workspace);
  }

  /** Somebody is removing it: its name is free only when that is done. */
  async #awaitRemoval(): Promise<void> {
    await this.removeContainer();
    for (let tries = 0; tries < RELEASE_TRIES && (await this.inspect()); tries += 1) {
      await delay(RELEASE_PAUSE_MS);
    }
  }

  async #recreate(): Promise<Revival> {
    const { engine, names } = this.#context;
    const kept = await engine.mountpoint(names.volume(this.workspace, "state"));
    await this.create();
    await this.prepare();
    await this.start();
    return kept === undefined ? "recreated-empty" : "recreated";
  }
}

const RELEASE_TRIES = 50;
const RELEASE_PAUSE_MS = 100;

export async function removeVolumes(context: EngineContext, workspace: string): Promise<void> {
  await context.disk.unmount(workspace);
  for (const part of VOLUME_PARTS)
    await removeVolume(context, context.names.volume(workspace, part));
}

/** Docker lets go of a volume a moment after its container is gone. */
async function removeVolume({ engine }: EngineContext, volume: string): Promise<void> {
  for (let tries = 0; tries < RELEASE_TRIES; tries += 1) {
    if ((await engine.removeVolume(volume)) !== "in-use") return;
    await delay(RELEASE_PAUSE_MS);
  }
}
