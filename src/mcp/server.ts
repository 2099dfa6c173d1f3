import { ToolError } from "../contract/tools/operation.ts";
import type { Log } from "../lib/log.ts";
import { visibleLine } from "../lib/text/neutral.ts";
import { type CallOptions, type Connection, failureKind } from "./connection.ts";
import type { ServerEntry } from "./entry.ts";
import type { ListedTool } from "./listed-tool.ts";

export type ServerState = "starting" | "active" | "inactive" | "restarting" | "stopped";

/** How long things may take. Tests make them shorter. */
export interface ServerTimes {
  readonly handshakeMs: number;
  readonly pingEveryMs: number;
  readonly pingMs: number;
  /** Before the first restart; twice as long before each further one. */
  readonly backoffMs: number;
  /** A server that fails as often as this within the time stays inactive. */
  readonly mostFailures: number;
  readonly failuresWithinMs: number;
}

export const SERVER_TIMES: ServerTimes = {
  handshakeMs: 30_000,
  pingEveryMs: 30_000,
  pingMs: 5_000,
  backoffMs: 1_000,
  mostFailures: 3,
  failuresWithinMs: 60_000,
};

/** So many unanswered pings in a row end a server. */
const MOST_SILENT = 2;
const ERROR_CHARS = 500;

export interface ConnectHooks {
  readonly onHeard: () => void;
  readonly onToolsChanged: () => void;
  /** Once, when the other side has ended. */
  readonly onClosed: (why: string) => void;
}

export interface ServerParts {
  readonly entry: ServerEntry;
  readonly times: ServerTimes;
  readonly log: Log;
  /** A way to the server that was not used before. */
  readonly connect: (hooks: ConnectHooks) => Promise<Connection>;
  /** Called when it becomes active or ceases to be. */
  readonly onState: () => void;
  /** Given what the server lists, whenever it does. */
  readonly onTools: (listed: readonly unknown[]) => Promise<void>;
}

/** Keeps one server alive: starts it, looks after it, starts it again, and gives up where that does not help. */
export class Server {
  readonly entry: ServerEntry;
  #state: ServerState = "starting";
  /** Since the bot was started. */
  restarts = 0;
  lastError: string | undefined;
  #isStopped = false;
  readonly #parts: ServerParts;
  readonly #failures: number[] = [];
  #connection: Connection | undefined;
  #attempt: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pulse: NodeJS.Timeout | undefined;
  #silent = 0;
  #lastHeardAt = 0;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.entry = parts.entry;
  }

  get state(): ServerState {
    return this.#state;
  }

  get version(): string | undefined {
    return this.#connection?.version;
  }

  /** Resolves once it is active or its first attempt has failed. Never rejects. */
  start(): Promise<void> {
    this.#attempt ??= this.#try().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  /** Ends it for good. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#state = "stopped";
    clearTimeout(this.#timer);
    clearTimeout(this.#pulse);
    await this.#drop();
    await this.#attempt;
    await this.#drop();
  }

  /** Starts it again at once, also where it has been given up. */
  async restart(why: string): Promise<void> {
    this.#failures.length = 0;
    await this.#drop();
    this.#note("restarting", why);
    clearTimeout(this.#timer);
    await this.#again();
  }

  /** What a call of its tool gives. Throws a ToolError for everything that goes wrong with the server. */
  async call(
    tool: ListedTool,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions & { readonly checkTool: () => void },
  ) {
    const connection = await this.#active();
    options.checkTool();
    try {
      return await connection.callTool(tool, args, options);
    } catch (error) {
      if (options.signal.aborted) throw options.signal.reason;
      throw await this.#explain(connection, error, options);
    }
  }

  /** A server that is just being started is waited for, and no other. */
  async #active(): Promise<Connection> {
    if (this.state === "starting" || this.state === "restarting") await this.#attempt;
    if (this.#connection && this.state === "active") return this.#connection;
    const why = this.lastError === undefined ? "" : `: ${this.lastError}`;
    throw new ToolError(
      "executionFailed",
      `The external server ${this.entry.name} is ${this.state}${why}. An owner can look at it with \`mcp\` and restart it with \`mcp reload ${this.entry.name}\`.`,
    );
  }

  async #explain(connection: Connection, error: unknown, { timeoutMs }: CallOptions) {
    const { name } = this.entry;
    const why = reasonOf(error);
    const unknown = { outcome: "unknown" as const };
    const check = "It may have taken effect: check before you repeat it.";
    switch (failureKind(error)) {
      case "answered":
        this.#log("warn", "An MCP server answered a call with an error.", { why });
        // One that breaks its protocol may be about to break altogether.
        void this.#look();
        return new ToolError("executionFailed", `The external server ${name} refused: ${why}`);
      case "timeout": {
        const seconds = Math.round(timeoutMs / 1000);
        if (await this.#answers(connection)) {
          const message = `The external server ${name} did not finish within ${seconds} s. ${check}`;
          return new ToolError("timeout", message, unknown);
        }
        if (connection === this.#connection) await this.#lose(`it hung during a call`);
        const message = `The external server ${name} hung and is being restarted: try again. ${check}`;
        return new ToolError("timeout", message, unknown);
      }
      case "lost": {
        if (connection === this.#connection) await this.#lose(why);
        const message = `The connection to the external server ${name} was lost during the call, and it is being restarted: try again. ${check}`;
        return new ToolError("executionFailed", message, unknown);
      }
    }
  }

  async #try(): Promise<void> {
    const { connect, times, onTools } = this.#parts;
    let connection: Connection | undefined;
    let ended: string | undefined;
    try {
      connection = await connect({
        onClosed: (why) => {
          ended = why;
          void this.#lose(why, connection);
        },
        onToolsChanged: () => void this.#listAgain(),
        onHeard: () => {
          this.#lastHeardAt = Date.now();
        },
      });
      if (this.#isStopped) return await connection.close();
      const listed = await connection.listTools(times.handshakeMs);
      this.#connection = connection;
      await onTools(listed);
      if (this.#connection !== connection || this.#isStopped) return;
      this.#silent = 0;
      this.#lastHeardAt = Date.now();
      this.#enter("active");
      this.#beat();
    } catch (error) {
      if (this.#connection === connection) this.#connection = undefined;
      await connection?.close().catch(() => undefined);
      if (!this.#isStopped) this.#failed((connection && ended) ?? reasonOf(error));
    }
  }

  async #listAgain(): Promise<void> {
    const connection = this.#connection;
    if (!connection || this.state !== "active") return;
    try {
      await this.#parts.onTools(await connection.listTools(this.#parts.times.handshakeMs));
    } catch (error) {
      this.#log("warn", "An MCP server did not list its changed tools.", { why: reasonOf(error) });
    }
  }

  /** The connection is over. Ends what is left of the server, and tries again. */
  async #lose(why: string, which: Connection | undefined = this.#connection): Promise<void> {
    if (this.#isStopped || !which || which !== this.#connection) return;
    this.#connection = undefined;
    clearTimeout(this.#pulse);
    this.#enter("restarting");
    await which.close().catch(() => undefined);
    if (!this.#isStopped) this.#failed(why);
  }

  #failed(why: string): void {
    const { backoffMs, mostFailures, failuresWithinMs } = this.#parts.times;
    const now = Date.now();
    this.#failures.push(now);
    while ((this.#failures[0] ?? now) < now - failuresWithinMs) this.#failures.shift();
    if (this.#failures.length >= mostFailures) {
      this.#note("inactive", `it failed ${this.#failures.length} times: ${why}`);
      return;
    }
    this.#note("restarting", why);
    clearTimeout(this.#timer);
    const waitMs = backoffMs * 2 ** (this.#failures.length - 1);
    this.#timer = setTimeout(() => void this.#again(), waitMs);
    this.#timer.unref();
  }

  async #again(): Promise<void> {
    await this.#attempt;
    if (this.#isStopped || this.#connection) return;
    this.restarts += 1;
    await this.start();
  }

  #beat(): void {
    clearTimeout(this.#pulse);
    this.#pulse = setTimeout(() => void this.#look(), this.#parts.times.pingEveryMs);
    this.#pulse.unref();
  }

  /** One unanswered ping makes it inactive, the next one ends it. */
  async #look(): Promise<void> {
    const connection = this.#connection;
    if (!connection || this.#isStopped) return;
    const isHeard = this.#lastHeardAt > Date.now() - this.#parts.times.pingEveryMs;
    const answers = (isHeard && this.state === "active") || (await this.#answers(connection));
    if (connection !== this.#connection || this.#isStopped) return;
    this.#silent = answers ? 0 : this.#silent + 1;
    if (this.#silent >= MOST_SILENT) return this.#lose("it does not answer pings");
    if (answers) this.#enter("active");
    else this.#note("inactive", "it does not answer");
    this.#beat();
  }

  async #answers(connection: Connection): Promise<boolean> {
    try {
      await connection.ping(this.#parts.times.pingMs);
      return true;
    } catch (error) {
      return failureKind(error) === "answered";
    }
  }

  async #drop(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    clearTimeout(this.#pulse);
    // One that cannot be ended must not keep the others from it.
    await connection?.close().catch((error: unknown) => {
      this.#log("error", "An MCP server could not be ended.", { error });
    });
  }

  #enter(state: ServerState): void {
    const isOther = this.#state !== state;
    this.#state = state;
    if (isOther) this.#parts.onState();
  }

  #note(state: ServerState, why: string): void {
    this.#enter(state);
    this.lastError = why;
    this.#log("warn", `The MCP server ${this.entry.name} is ${state}: ${why}.`);
  }

  #log(level: "warn" | "error", message: string, fields: Record<string, unknown> = {}): void {
    this.#parts.log(level, message, { server: this.entry.name, ...fields });
  }
}

/** A server's words, or ours about it, on one line that is not long. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = visibleLine(message.slice(0, 4 * ERROR_CHARS));
  return line.length > ERROR_CHARS ? `${line.slice(0, ERROR_CHARS - 3).toWellFormed()}...` : line;
}
