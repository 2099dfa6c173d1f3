import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import Docker from "dockerode";
import type {
  ServerContainer,
  ServerContainers,
  ServerProcess,
  ServerProcessHooks,
} from "../../contract/server-process.ts";
import { archiveOf } from "../../lib/archived-file.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { Demux } from "../channel/demux.ts";
import { FileRecords } from "../lifecycle/records.ts";
import type { WorkspaceSettings } from "../settings.ts";
import { type CreateOptions, Engine } from "./docker.ts";
import { connectionOptions } from "./endpoint.ts";
import { explain, hasStatus } from "./engine-errors.ts";

/** On every container of a server, with the name of the bot. Reconciling workspaces does not look at it. */
export const SERVER_LABEL = "deckhand.mcp";
const DIRECTORY = "/server";
const PIDS = 128;
const TMP_BYTES = 256 * 1024 * 1024;
const NANO = 1e9;
const CLOSE_MS = 2_000;
const GONE_TRIES = 100;
const GONE_PAUSE_MS = 50;

/** Runs external servers in containers on the workspaces' engine. */
export function createServerContainers({
  settings,
  dataDir,
}: {
  readonly settings: WorkspaceSettings;
  readonly dataDir: string;
}): ServerContainers {
  const engine = new ServerEngine(settings);
  const instance = new FileRecords(dataDir).instance();
  return {
    start: async (container, hooks) =>
      new RunningContainer(engine, hooks).start(container, await instance, settings.runtime),
    removeLeft: async () => {
      const left = await engine.containers(`${SERVER_LABEL}=${await instance}`);
      for (const { name } of left) await removeContainer(engine, name);
    },
  };
}

class RunningContainer implements ServerProcess {
  readonly #engine: ServerEngine;
  readonly #hooks: ServerProcessHooks;
  readonly #ended = Promise.withResolvers<void>();
  #name = "";
  #stream: Duplex | undefined;

  constructor(engine: ServerEngine, hooks: ServerProcessHooks) {
    this.#engine = engine;
    this.#hooks = hooks;
  }

  async start(
    container: ServerContainer,
    instance: string,
    runtime: string | undefined,
  ): Promise<ServerProcess> {
    this.#name = `deckhand-${instance}-mcp-${container.name}-${randomBytes(4).toString("hex")}`;
    const created = await this.#engine.create(this.#name, specOf(container, instance, runtime));
    if (created === "no-image") {
      throw new OperatorError(`the image "${container.image}" is missing on the Docker engine`);
    }
    try {
      const files = Object.entries(container.files).map(([name, bytes]) => ({ name, bytes }));
      if (files.length > 0) await this.#engine.putArchive(this.#name, archiveOf(files), DIRECTORY);
      await this.#attach();
      await this.#engine.start(this.#name);
      return this;
    } catch (error) {
      this.#stream?.destroy();
      await removeContainer(this.#engine, this.#name);
      throw error;
    }
  }

  write(text: string): void {
    if (this.#stream?.writable) this.#stream.write(text);
  }

  async stop(): Promise<void> {
    this.#stream?.end();
    await Promise.race([this.#ended.promise, delay(CLOSE_MS, undefined, { ref: false })]);
    // Docker hangs on everything about a container whose stream is open and not read.
    this.#stream?.destroy();
    await removeContainer(this.#engine, this.#name);
  }

  /** Before the start, so that nothing it says is missed. */
  async #attach(): Promise<void> {
    const stream = await this.#engine.attach(this.#name);
    if (typeof stream === "string") throw new OperatorError("its container is gone");
    this.#stream = stream;
    const demux = new Demux(this.#hooks.onStdout, this.#hooks.onStderr);
    stream.on("data", (chunk: Buffer) => {
      try {
        demux.push(chunk);
      } catch {
        stream.destroy(); // What cannot be taken apart cannot be trusted from here on.
      }
    });
    stream.on("error", () => this.#end());
    stream.on("end", () => this.#end());
    stream.on("close", () => this.#end());
  }

  #end(): void {
    this.#ended.resolve();
    this.#hooks.onEnd("its container ended");
  }
}

/** Nothing of the workspaces and nothing of the bot: no volume, no network unless one is named, no capability. */
function specOf(
  { image, command, env, network, memoryBytes, name }: ServerContainer,
  instance: string,
  runtime: string | undefined,
): CreateOptions {
  const [program = "", ...args] = command;
  return {
    Image: image,
    Entrypoint: [program],
    Cmd: args,
    Env: Object.entries({ HOME: "/tmp", ...env }).map(([key, value]) => `${key}=${value}`),
    User: "1000:1000",
    WorkingDir: DIRECTORY,
    Labels: { [SERVER_LABEL]: instance, "deckhand.mcp-server": name },
    // Its input ends with the bot, however that ends.
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    StopTimeout: 2,
    Healthcheck: { Test: ["NONE"] },
    // Where the files are put; it goes with the container.
    Volumes: { [DIRECTORY]: {} },
    HostConfig: {
      AutoRemove: true,
      NetworkMode: network ?? "none",
      IpcMode: "private",
      ...(runtime === undefined ? {} : { Runtime: runtime }),
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      Privileged: false,
      ReadonlyRootfs: true,
      Init: true,
      PidsLimit: PIDS,
      Memory: memoryBytes,
      MemorySwap: memoryBytes,
      NanoCpus: NANO,
      OomScoreAdj: 500,
      Ulimits: [{ Name: "core", Soft: 0, Hard: 0 }],
      Tmpfs: { "/tmp": `rw,exec,nosuid,nodev,mode=1777,size=${TMP_BYTES}` },
      LogConfig: { Type: "none", Config: {} },
      RestartPolicy: { Name: "no" },
    },
  };
}

async function removeContainer(engine: ServerEngine, name: string): Promise<void> {
  await engine.removeWithVolumes(name);
  for (let tries = 0; tries < GONE_TRIES && (await engine.inspect(name)); tries += 1) {
    await delay(GONE_PAUSE_MS);
  }
}

const LIMIT_MS = 60_000;

/** With two requests that the engine proxy does not admit: under compose, servers run on the bot's machine or elsewhere. */
class ServerEngine extends Engine {
  readonly #docker: Docker;
  readonly #host: string;

  constructor(settings: WorkspaceSettings) {
    super(settings);
    this.#docker = new Docker(connectionOptions(settings));
    this.#host = settings.dockerHost;
  }

  /** Removes it with the volumes that have no name. */
  async removeWithVolumes(name: string): Promise<void> {
    const abortSignal = AbortSignal.timeout(LIMIT_MS);
    try {
      await this.#docker.getContainer(name).remove({ force: true, v: true, abortSignal });
    } catch (error) {
      // It is gone, or is just going.
      const isGone = hasStatus(error) && [404, 409].includes(error.statusCode);
      if (!isGone) throw explain(error, this.#host);
    }
  }

  /** Unpacks a tar stream into a container that need not run. */
  async putArchive(name: string, tar: NodeJS.ReadableStream, directory: string): Promise<void> {
    const abortSignal = AbortSignal.timeout(LIMIT_MS);
    try {
      await this.#docker.getContainer(name).putArchive(tar, { path: directory, abortSignal });
    } catch (error) {
      throw explain(error, this.#host);
    }
  }
}
