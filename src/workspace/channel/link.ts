import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { WorkspaceError } from "../../contract/workspace/workspace.ts";
import type { Container, Revival } from "../docker/container.ts";
import type { Engine } from "../docker/docker.ts";
import { ChannelLostError, EngineError, lostAsUndefined } from "../errors.ts";
import type { Log } from "../options.ts";
import { Channel } from "./channel.ts";

export interface LinkOptions {
  readonly engine: Engine;
  readonly container: Container;
  readonly log: Log;
  /** Told when the container had to be started or made anew. */
  readonly onRevival: (revival: Revival) => void;
}

const ATTACH_TRIES = 3;
const FIRST_ANSWER_MS = 5_000;
const LATER_ANSWER_MS = 20_000;
const ENGINE_PAUSE_MS = 500;
/** An engine that shuts down fails a few times before it is away; one that is really ill fails for ever. */
const ENGINE_TRIES = { away: Number.POSITIVE_INFINITY, unwell: 4, refused: 1 };
/** How long a call waits for an engine that is being restarted. */
const ENGINE_PATIENCE_MS = 20_000;

const NO_SERVER =
  "This thread's workspace starts, but its server does not respond. `reset` creates a new one and deletes its files.";

/** Keeps one channel to a workspace's server: attaches again, wakes or remakes the container as needed. */
export class Link {
  readonly #options: LinkOptions;
  #channel: Channel | undefined;
  #opening: Promise<Channel> | undefined;
  #retired: WorkspaceError | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Resolves with a channel that works. Everybody who asks meanwhile gets the same one. */
  async channel(): Promise<Channel> {
    if (this.#retired) throw this.#retired;
    if (this.#channel?.isOpen) return this.#channel;
    this.#opening ??= this.#patiently(() => this.#attach()).finally(() => {
      this.#opening = undefined;
    });
    const channel = await this.#opening;
    if (this.#retired) channel.close();
    this.#channel = channel;
    return channel;
  }

  /** The first channel to a container that was just made: attached before it starts, as that saves time. */
  async begin(): Promise<Channel> {
    const { container } = this.#options;
    const [stream] = await Promise.all([this.#attachStream(), container.prepare()]);
    await container.start();
    this.#channel = await this.#channelOver(stream, LATER_ANSWER_MS);
    return this.#channel;
  }

  get isOpen(): boolean {
    return this.#channel?.isOpen ?? false;
  }

  /** Closes for good: whoever still waits for an answer is told why, and nothing is woken any more. */
  retire(why: WorkspaceError): void {
    this.#retired = why;
    this.close();
  }

  /** The stream goes first: an attached stream that nobody reads makes Docker hang on this container. */
  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
  }

  /** Ends everything in the container, when a call could not be proven to have ended. */
  async restart(revival: "started" | "restarted" = "started"): Promise<void> {
    this.close();
    await this.#options.container.restart();
    this.#options.onRevival(revival);
  }

  /**
   * Closes a channel over which the server does not answer, so that the next use restarts the workspace. The engine's
   * word alone is not enough: on an overloaded host a health check may fail while the server is well.
   */
  async closeIfSilent(withinMs: number): Promise<void> {
    const channel = this.#channel;
    if (!channel?.isOpen) return;
    const limit = setTimeout(() => channel.close(), withinMs);
    try {
      await channel.request("state", {}).catch(lostAsUndefined);
    } finally {
      clearTimeout(limit);
    }
  }

  async #attach(): Promise<Channel> {
    for (let tries = 1; tries < ATTACH_TRIES; tries += 1) {
      const channel = await this.#tryAttach(tries === 1 ? FIRST_ANSWER_MS : LATER_ANSWER_MS);
      if (channel) return channel;
      if ((await this.#options.container.inspect())?.isUnhealthy) break;
    }
    // It runs, but does not answer.
    await this.restart("restarted");
    const channel = await this.#tryAttach(LATER_ANSWER_MS);
    if (channel) return channel;
    throw new WorkspaceError(NO_SERVER);
  }

  /** Undefined: the container runs, or did a moment ago, but its server does not answer. */
  async #tryAttach(answerWithinMs: number): Promise<Channel | undefined> {
    const { container, log, onRevival } = this.#options;
    const revival = await container.ensureRunning();
    if (revival !== "was-running") onRevival(revival);
    try {
      return await this.#openChannel(answerWithinMs);
    } catch (error) {
      if (!(error instanceof ChannelLostError)) throw error;
      log("warn", "Failed to connect to a workspace's server.", {
        container: container.name,
        error,
      });
      return undefined;
    }
  }

  async #openChannel(answerWithinMs: number): Promise<Channel> {
    return this.#channelOver(await this.#attachStream(), answerWithinMs);
  }

  async #attachStream(): Promise<Duplex> {
    const { engine, container } = this.#options;
    const stream = await engine.attach(container.name);
    if (typeof stream === "string") throw new ChannelLostError(`The container is ${stream}.`);
    return stream;
  }

  #channelOver(stream: Duplex, initializeTimeoutMs: number): Promise<Channel> {
    const { container, log } = this.#options;
    return Channel.open(stream, {
      initializeTimeoutMs,
      onStderr: (text) => log("debug", text.trimEnd(), { container: container.name }),
    });
  }

  async #patiently<T>(attempt: () => Promise<T>): Promise<T> {
    const giveUpAt = Date.now() + ENGINE_PATIENCE_MS;
    const tries = { ...ENGINE_TRIES };
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof EngineError) || Date.now() > giveUpAt) throw error;
        tries[error.trouble] -= 1;
        if (tries[error.trouble] === 0) throw error;
        await delay(ENGINE_PAUSE_MS);
      }
    }
  }
}
