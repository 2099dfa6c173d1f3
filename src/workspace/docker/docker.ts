import type { Duplex } from "node:stream";
import Docker from "dockerode";
import { connectionOptions, type Endpoint } from "./endpoint.ts";
import { explain, hasStatus, notRunning } from "./engine-errors.ts";
import { ATTACH, EXEC_START, execRequest, volumeRequest } from "./engine-requests.ts";
import type { ExecCommand } from "./exec-commands.ts";

export type CreateOptions = Omit<Docker.ContainerCreateOptions, "name">;

export interface ContainerState {
  readonly id: string;
  readonly status: "created" | "running" | "paused" | "restarting" | "removing" | "exited" | "dead";
  readonly labels: Readonly<Record<string, string>>;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly createdAt: number;
  readonly oomKilled: boolean;
  /** By the engine's health check; false while it has not failed often enough. */
  readonly isUnhealthy: boolean;
}

export interface ListedContainer {
  readonly id: string;
  readonly name: string;
  readonly running: boolean;
  readonly isUnhealthy: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: number;
}

export interface ListedVolume {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: number;
}

const QUICK_MS = 15_000;
/** Creating, starting and stopping wait for the kernel, and on a busy host for other containers. */
const SLOW_MS = 60_000;

/** The few things we want of Docker. What may well happen is a value; anything else throws EngineError. */
export class Engine {
  readonly #docker: Docker;
  readonly #host: string;

  constructor(endpoint: Endpoint) {
    this.#host = endpoint.dockerHost;
    this.#docker = new Docker(connectionOptions(endpoint));
  }

  async host(): Promise<{ cpus: number; securityOptions: readonly string[] }> {
    const info: { NCPU?: number; SecurityOptions?: string[] | null } = await this.#ask(
      QUICK_MS,
      () => this.#docker.info(),
    );
    return { cpus: info.NCPU ?? 1, securityOptions: info.SecurityOptions ?? [] };
  }

  imageId(name: string): Promise<string | "no-image"> {
    const look = async () => (await this.#docker.getImage(name).inspect()).Id;
    return this.#ask(QUICK_MS, look, { 404: "no-image" });
  }

  create(name: string, options: CreateOptions): Promise<"created" | "taken" | "no-image"> {
    const create = async (abortSignal: AbortSignal) => {
      await this.#docker.createContainer(
        divided<Docker.ContainerCreateOptions>({ name }, options, abortSignal),
      );
      return "created" as const;
    };
    return this.#ask(SLOW_MS, create, { 404: "no-image", 409: "taken" });
  }

  start(name: string): Promise<"started" | "running" | "gone" | "removing"> {
    const start = (abortSignal: AbortSignal) => this.#container(name).start({ abortSignal });
    const refusals = { 304: "running", 404: "gone", 409: "removing" } as const;
    return this.#ask(SLOW_MS, as("started", start), refusals);
  }

  stop(name: string): Promise<"stopped" | "gone"> {
    const stop = (abortSignal: AbortSignal) => this.#container(name).stop({ abortSignal });
    return this.#ask(SLOW_MS, as("stopped", stop), { 304: "stopped", 404: "gone" });
  }

  kill(name: string): Promise<"killed" | "gone" | "stopped"> {
    const kill = (abortSignal: AbortSignal) => this.#container(name).kill({ abortSignal });
    return this.#ask(SLOW_MS, as("killed", kill), { 404: "gone", 409: "stopped" });
  }

  unpause(name: string): Promise<"unpaused" | "gone"> {
    const unpause = (abortSignal: AbortSignal) => this.#container(name).unpause({ abortSignal });
    return this.#ask(QUICK_MS, as("unpaused", unpause), { 404: "gone", 409: "unpaused" });
  }

  /** 409 means that a removal is under way already. */
  remove(name: string): Promise<"removed" | "gone"> {
    const remove = (abortSignal: AbortSignal) =>
      this.#container(name).remove({ force: true, abortSignal });
    return this.#ask(SLOW_MS, as("removed", remove), { 404: "gone", 409: "removed" });
  }

  /**
   * Exclusive for the new name alone: of two renames of one container both can succeed, one after the other. "taken" also
   * when the container has the new name already.
   */
  rename(from: string, to: string): Promise<"renamed" | "gone" | "taken"> {
    const rename = (abortSignal: AbortSignal) =>
      this.#container(from).rename(
        divided<{ name: string; abortSignal: AbortSignal }>({ name: to }, {}, abortSignal),
      );
    return this.#ask(QUICK_MS, as("renamed", rename), { 400: "taken", 404: "gone", 409: "taken" });
  }

  inspect(name: string): Promise<ContainerState | undefined> {
    const inspect = async (abortSignal: AbortSignal) => {
      const { Id, State, Config, Created } = await this.#container(name).inspect({ abortSignal });
      return {
        id: Id,
        status: State.Status as ContainerState["status"],
        labels: Config.Labels ?? {},
        startedAt: Date.parse(State.StartedAt),
        finishedAt: Date.parse(State.FinishedAt),
        createdAt: Date.parse(Created),
        oomKilled: State.OOMKilled,
        isUnhealthy: State.Health?.Status === "unhealthy",
      };
    };
    return this.#ask(QUICK_MS, inspect, { 404: undefined });
  }

  async containers(label: string): Promise<ListedContainer[]> {
    const found = await this.#ask(QUICK_MS, (abortSignal) =>
      this.#docker.listContainers({ all: true, filters: { label: [label] }, abortSignal }),
    );
    return found.map((one) => ({
      id: one.Id,
      name: (one.Names[0] ?? "").replace(/^\//, ""),
      running: one.State === "running",
      // The list has the health in this text alone.
      isUnhealthy: one.State === "running" && one.Status.endsWith("(unhealthy)"),
      labels: one.Labels,
      createdAt: one.Created * 1000,
    }));
  }

  async volumes(label: string): Promise<ListedVolume[]> {
    const found = await this.#ask(QUICK_MS, () =>
      this.#docker.listVolumes({ filters: JSON.stringify({ label: [label] }) }),
    );
    return (found.Volumes ?? []).map((one) => ({
      name: one.Name,
      labels: one.Labels ?? {},
      // The types leave it out, every engine sends it.
      createdAt: Date.parse((one as { CreatedAt?: string }).CreatedAt ?? ""),
    }));
  }

  /** One that is there already stays as it is. */
  async createVolume(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
    await this.#ask(QUICK_MS, (abortSignal) =>
      this.#docker.createVolume(
        divided<Docker.VolumeCreateOptions>({}, volumeRequest(name, labels), abortSignal),
      ),
    );
  }

  /** Where the volume's files are on the engine's host. */
  mountpoint(volume: string): Promise<string | undefined> {
    const look = async (abortSignal: AbortSignal) =>
      (await this.#docker.getVolume(volume).inspect({ abortSignal })).Mountpoint;
    return this.#ask(QUICK_MS, look, { 404: undefined });
  }

  removeVolume(volume: string): Promise<"removed" | "gone" | "in-use"> {
    const remove = (abortSignal: AbortSignal) =>
      this.#docker.getVolume(volume).remove({ abortSignal });
    return this.#ask(SLOW_MS, as("removed", remove), { 404: "gone", 409: "in-use" });
  }

  /** The server's standard streams. Attaching to a container that does not run waits for its start. */
  attach(name: string): Promise<Duplex | "gone" | "not-running"> {
    const attach = (abortSignal: AbortSignal) =>
      this.#container(name).attach({ ...ATTACH, abortSignal });
    return this.#ask(QUICK_MS, asDuplex(attach), { 404: "gone", 409: "not-running" });
  }

  /** Starts another process in the container and gives its standard streams. */
  exec(name: string, command: ExecCommand): Promise<Exec | "gone" | "not-running"> {
    const start = async (abortSignal: AbortSignal): Promise<Exec | "not-running"> => {
      const exec = await this.#container(name).exec({
        ...execRequest(command),
        abortSignal,
      });
      const options = { ...EXEC_START, abortSignal };
      const stream = await exec.start(options).catch(notRunning);
      return stream === "not-running" ? stream : { id: exec.id, stream };
    };
    return this.#ask(SLOW_MS, start, { 404: "gone", 409: "not-running" });
  }

  /** Null while it runs. */
  async exitCode(execId: string): Promise<number | null> {
    const look = (abortSignal: AbortSignal) =>
      this.#docker.getExec(execId).inspect({ abortSignal });
    return (await this.#ask(QUICK_MS, look)).ExitCode;
  }

  #container(name: string): Docker.Container {
    return this.#docker.getContainer(name);
  }

  /** Puts a time limit on one request and turns expected refusals into values. */
  async #ask<T, V = never>(
    limitMs: number,
    ask: (abortSignal: AbortSignal) => Promise<T>,
    expected: Record<number, V> = {},
  ): Promise<T | V> {
    const limit = new AbortController();
    // Not AbortSignal.timeout: it would cut an attached stream long after the request is over.
    const timer = setTimeout(() => limit.abort(), limitMs);
    try {
      return await Promise.race([ask(limit.signal), aborted(limit.signal)]);
    } catch (error) {
      if (hasStatus(error) && error.statusCode in expected) return expected[error.statusCode] as V;
      throw explain(error, this.#host);
    } finally {
      clearTimeout(timer);
    }
  }
}

export interface Exec {
  readonly id: string;
  readonly stream: Duplex;
}

/** Without it, dockerode repeats the whole body in the query. */
function divided<Options>(query: object, body: object, abortSignal: AbortSignal): Options {
  return { _query: query, _body: body, abortSignal } as Options;
}

function as<const T extends string>(value: T, ask: (signal: AbortSignal) => Promise<unknown>) {
  return async (signal: AbortSignal): Promise<T> => {
    await ask(signal);
    return value;
  };
}

/** A hijacked stream is the connection's socket, though the types promise less. */
function asDuplex(ask: (signal: AbortSignal) => Promise<NodeJS.ReadWriteStream>) {
  return async (signal: AbortSignal): Promise<Duplex> => (await ask(signal)) as Duplex;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("Docker did not respond in time.")));
  });
}
