import { randomUUID } from "node:crypto";
import {
  QUEUE_LIMIT_BYTES,
  type TunnelHost,
  type TunnelService,
  UNREAD_LIMIT_BYTES,
  UNRESPONSIVE,
} from "../../contract/workspace/tunnel.ts";
import { EagerDuplex } from "../../lib/eager-duplex.ts";
import type { Container } from "../docker/container.ts";
import type { Engine, Exec } from "../docker/docker.ts";
import { TUNNEL } from "../docker/exec-commands.ts";
import type { Log } from "../options.ts";
import type { Channel } from "./channel.ts";
import { Demux } from "./demux.ts";

interface TunnelParts {
  readonly engine: Engine;
  readonly container: Container;
  readonly log: Log;
  /** Absent: this bot gives its workspaces no network. */
  readonly host: TunnelHost | undefined;
  /** Undefined as long as the workspace is nobody's. */
  readonly conversation: () => string | undefined;
  /** Tells the readers of the next result. */
  readonly tell: (notice: string) => void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** One that lasted so long was not broken from the start. */
const STABLE_MS = 5_000;
/** Init's exit code where another process listens on the proxy's port. */
const PORT_TAKEN = 98;
const STDERR_LIMIT_CHARS = 4_000;

const PORT_TAKEN_NOTICE =
  "Network access is off: another process of this workspace uses port 3128, which Deckhand's proxy needs. " +
  "End that process; Deckhand tries again by itself.";

/**
 * The tunnel of one workspace: a process started by an exec of its own, when a program in there first connects to the proxy.
 * It is started again when it dies and ends with this process.
 */
export class Tunnel {
  readonly #parts: TunnelParts;
  readonly #watcher = randomUUID();
  #service: TunnelService | undefined;
  #isStarting = false;
  /** Nothing in the container says any more when a tunnel is wanted: keep one running. */
  #isUnasked = false;
  #failures = 0;
  #notBefore = 0;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: TunnelParts) {
    this.#parts = parts;
  }

  /** Listens on a channel that was just opened. A server of an earlier image knows no network. */
  watch(channel: Channel): void {
    const { host, log, container } = this.#parts;
    if (!host) return;
    this.#isClosed = false;
    channel.onNetwork(({ watcher, news }) => {
      if (watcher !== this.#watcher) return;
      this.#isUnasked = news === "lost";
      this.#startSoon();
    });
    channel.request("watchNetwork", { watcher: this.#watcher }).then(
      ({ gate }) => {
        this.#isUnasked = gate === "lost";
        if (this.#isUnasked) this.#startSoon();
      },
      (error: unknown) =>
        log("debug", "Failed to watch a workspace's proxy.", { container: container.name, error }),
    );
  }

  /** The stream goes first: one that nobody reads makes Docker hang on this container. */
  close(reason: string): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#service?.close(reason);
    this.#service = undefined;
  }

  #startSoon(): void {
    if (this.#isClosed || this.#isStarting || this.#retry) return;
    this.#retry = setTimeout(
      () => {
        this.#retry = undefined;
        this.#isStarting = true;
        void this.#ensure().finally(() => {
          this.#isStarting = false;
        });
      },
      Math.max(0, this.#notBefore - Date.now()),
    );
    this.#retry.unref();
  }

  async #ensure(): Promise<void> {
    const { log, container } = this.#parts;
    try {
      // One that lives may only have been slow to accept.
      if (await this.#service?.isAlive()) return;
      this.#service?.close(UNRESPONSIVE);
      this.#service = undefined;
      await this.#start();
    } catch (error) {
      this.#failed();
      log("warn", "Failed to start a workspace's tunnel.", { container: container.name, error });
    }
  }

  async #start(): Promise<void> {
    const { engine, container, host, conversation } = this.#parts;
    const whose = conversation();
    if (!host || whose === undefined || this.#isClosed) return;
    const exec = await engine.exec(container.name, TUNNEL);
    if (typeof exec === "string") return; // the container has stopped: its next start asks anew
    if (this.#isClosed) return void exec.stream.destroy();
    const stderr: string[] = [];
    const service = host.serve(
      whose,
      duplexOver(exec, (text) => stderr.push(text)),
    );
    this.#service = service;
    const startedAt = Date.now();
    void service.ended.then((reason) => this.#ended(exec, service, { reason, startedAt, stderr }));
  }

  async #ended(
    exec: Exec,
    service: TunnelService,
    how: { reason: string; startedAt: number; stderr: readonly string[] },
  ): Promise<void> {
    const { engine, container, log, tell } = this.#parts;
    if (this.#service === service) this.#service = undefined;
    if (this.#isClosed) return;
    if (Date.now() - how.startedAt > STABLE_MS) this.#failures = 0;
    else this.#failed();
    const exitCode = await engine.exitCode(exec.id).catch(() => undefined); // the container may be gone
    log("info", "A workspace's tunnel ended.", {
      container: container.name,
      reason: how.reason,
      exitCode,
      stderr: how.stderr.join("").slice(0, STDERR_LIMIT_CHARS),
    });
    if (exitCode === PORT_TAKEN) tell(PORT_TAKEN_NOTICE);
    // A program that hangs holds its connections open until the gatekeeper kills it for the next one.
    if (this.#isUnasked || how.reason === UNRESPONSIVE) this.#startSoon();
  }

  #failed(): void {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures += 1;
    this.#notBefore = Date.now() + pauseMs;
  }
}

/** The streams of the program as one duplex. Docker's stream is never paused. */
function duplexOver({ stream }: Exec, onStderr: (text: string) => void): EagerDuplex {
  const duplex = new EagerDuplex({
    output: stream,
    mostQueuedBytes: QUEUE_LIMIT_BYTES,
    mostUnreadBytes: UNREAD_LIMIT_BYTES,
    onDestroy: () => stream.destroy(),
  });
  let stderrChars = 0;
  const demux = new Demux(
    (piece) => duplex.receive(piece),
    (piece) => {
      if (stderrChars > STDERR_LIMIT_CHARS) return;
      stderrChars += piece.length;
      onStderr(piece.toString());
    },
  );
  stream.on("data", (chunk: Buffer) => {
    try {
      demux.push(chunk);
    } catch (error) {
      // Bytes that cannot be taken apart cannot be trusted from here on.
      duplex.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  });
  stream.on("end", () => duplex.receiveEnd());
  return duplex;
}
