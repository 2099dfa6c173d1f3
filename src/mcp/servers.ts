import { isDeepStrictEqual } from "node:util";
import type { EventHub } from "../contract/conversation/event.ts";
import type { ServerContainers } from "../contract/server-process.ts";
import type { Documents } from "../contract/store.ts";
import { ToolError } from "../contract/tools/operation.ts";
import type { RunnableTool } from "../contract/tools/tool-call.ts";
import type { Log } from "../lib/log.ts";
import { answerOf } from "./answer.ts";
import { connect } from "./connect.ts";
import { type Discovered, discoverServers } from "./discover.ts";
import { matchesAny, type ServerEntry } from "./entry.ts";
import { foreignTool } from "./foreign-tool.ts";
import { killLeftProcesses } from "./host-process.ts";
import { digestOfTool, type ListedTool, readTools } from "./listed-tool.ts";
import { SERVER_TIMES, Server, type ServerState, type ServerTimes } from "./server.ts";
import type { McpSettings } from "./settings.ts";
import { digestOfChanges, type QuarantinedTool, Trust } from "./trust.ts";

export interface McpParts {
  readonly settings: McpSettings;
  readonly documents: Documents;
  readonly containers: ServerContainers | undefined;
  /** Names this bot among those of the machine. */
  readonly owner: string;
  readonly events: Pick<EventHub, "post">;
  readonly log: Log;
  /** Puts a server's tools in place of those it had, and says which are refused. */
  readonly replaceTools: (
    server: string,
    tools: readonly RunnableTool[],
  ) => readonly { readonly name: string; readonly reason: string }[];
  readonly times?: Partial<ServerTimes>;
  /** The directory of servers that come with the bot. */
  readonly project?: string;
}

export interface ServerSummary {
  readonly name: string;
  readonly runs: "container" | "host" | "remote";
  readonly state: ServerState;
  /** Of the tools that are offered, without the server's name. */
  readonly tools: readonly string[];
  readonly restarts: number;
  readonly lastError: string | undefined;
  readonly protocol: string | undefined;
  readonly quarantined: readonly QuarantinedTool[];
  /** Names the difference in quarantine; undefined where there is none. */
  readonly changes: string | undefined;
  readonly problems: readonly string[];
}

interface Kept {
  readonly server: Server;
  offered: readonly string[];
  /** The accepted tools, in the order of the server. */
  tools: readonly ListedTool[];
  /** What the server lists now and may be called, by name. */
  current: ReadonlyMap<string, string> | undefined;
  /** Models are told that the server does not run. */
  isMarked: boolean;
  quarantined: readonly QuarantinedTool[];
  listed: readonly unknown[];
  problems: readonly string[];
}

/** All external servers of this bot. */
export class McpServers implements AsyncDisposable {
  /** Of entries that cannot be used. */
  problems: readonly string[] = [];
  readonly #parts: McpParts;
  readonly #times: ServerTimes;
  readonly #trust: Trust;
  readonly #kept = new Map<string, Kept>();
  #discovered: Discovered;
  #starting: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: McpParts) {
    this.#parts = parts;
    this.#times = { ...SERVER_TIMES, ...parts.times };
    this.#trust = new Trust(parts.documents);
    this.#discovered = discoverServers(parts.settings, parts.project);
    this.#noteProblems();
  }

  /** Those that are configured, whether they run or not. */
  get names(): string[] {
    return this.#discovered.entries.map(({ name }) => name);
  }

  /** Resolves once each server is active or has failed for the first time. The second time it does nothing. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /** Resolves earlier, if that takes longer. */
  async startWithin(limitMs: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limitMs);
    await Promise.race([this.start(), late]);
    clearTimeout(timer);
  }

  list(): ServerSummary[] {
    return [...this.#kept.values()].map(summaryOf);
  }

  /** Reads the configuration anew and starts one server again. Undefined: there is none of that name any more. */
  async reload(name: string): Promise<ServerSummary | undefined> {
    this.#discovered = discoverServers(this.#parts.settings, this.#parts.project);
    this.#noteProblems();
    const entry = this.#discovered.entries.find((one) => one.name === name);
    const kept = this.#kept.get(name);
    if (kept && entry && isDeepStrictEqual(kept.server.entry, entry)) {
      await kept.server.restart("it is reloaded");
      return summaryOf(kept);
    }
    if (kept) await this.#remove(kept);
    if (!entry) return undefined;
    await this.#add(entry);
    await this.#kept.get(name)?.server.start();
    return this.list().find((one) => one.name === name);
  }

  /** Accepts what is in quarantine, as it was shown. False: it is something else by now. */
  async approve(name: string, changes: string): Promise<boolean> {
    const kept = this.#kept.get(name);
    if (!kept || kept.quarantined.length === 0) return false;
    if (digestOfChanges(kept.quarantined) !== changes) return false;
    await this.#trust.accept(name, kept.quarantined);
    await this.#take(kept, kept.listed);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#kept.values()].map(({ server }) => server.stop()));
    await this.#starting;
  }

  async #start(): Promise<void> {
    const { owner, containers, log } = this.#parts;
    if (this.#discovered.entries.length > 0) {
      await killLeftProcesses(owner);
      await containers?.removeLeft().catch((error: unknown) => {
        log("warn", "Containers of MCP servers that an earlier run left could not be removed.", {
          error,
        });
      });
    }
    for (const entry of this.#discovered.entries) await this.#add(entry);
    if (this.#isClosed) return;
    await Promise.all([...this.#kept.values()].map(({ server }) => server.start()));
  }

  /** The tools that it had last are offered before it answers: waiting approvals find them again. */
  async #add(entry: ServerEntry): Promise<void> {
    const { log } = this.#parts;
    const server = new Server({
      entry,
      times: this.#times,
      log,
      connect: (hooks) => this.#connect(entry, hooks),
      onTools: (listed) => this.#take(kept, listed),
      onState: () => this.#mark(kept),
    });
    const kept: Kept = {
      server,
      offered: [],
      tools: [],
      isMarked: false,
      current: undefined,
      quarantined: [],
      listed: [],
      problems: [],
    };
    this.#kept.set(entry.name, kept);
    const known = await this.#trust.accepted(entry.name);
    if (known) this.#offer(kept, Object.values(known));
  }

  #connect(entry: ServerEntry, hooks: Parameters<typeof connect>[2]) {
    const { containers, settings, owner, log } = this.#parts;
    const parts = {
      containers,
      image: settings.image,
      owner,
      path: settings.variables.PATH,
      handshakeMs: this.#times.handshakeMs,
      log,
    };
    return connect(parts, entry, hooks);
  }

  async #remove(kept: Kept): Promise<void> {
    const { name } = kept.server.entry;
    this.#kept.delete(name);
    await kept.server.stop();
    this.#parts.replaceTools(name, []);
  }

  async #take(kept: Kept, listed: readonly unknown[]): Promise<void> {
    const { entry } = kept.server;
    const { tools, problems } = readTools(listed);
    const { accepted, quarantined } = await this.#trust.judge(entry.name, tools);
    kept.listed = listed;
    kept.quarantined = quarantined;
    const refused = this.#offer(kept, accepted);
    kept.current = new Map(accepted.map((tool) => [tool.name, digestOfTool(tool, entry.digest)]));
    const waiting = quarantined.map(
      ({ name, before }) => `${name} ${before ? "has changed" : "is new"} and waits for an owner`,
    );
    const said = [...problems, ...refused, ...waiting];
    for (const problem of said.slice(0, MOST_LOGGED)) {
      this.#parts.log("warn", "A tool of an MCP server is not offered.", {
        server: entry.name,
        problem,
      });
    }
    kept.problems = [...problems, ...refused];
  }

  /** A server that is given up keeps its tools, which say so. */
  #mark(kept: Kept): void {
    if (kept.isMarked === (kept.server.state === "inactive")) return;
    this.#offer(kept, kept.tools);
  }

  #offer(kept: Kept, all: readonly ListedTool[]): string[] {
    const { name, own } = kept.server.entry;
    const tools = all.filter(
      (tool) =>
        (!own.allow || matchesAny(own.allow, tool.name)) && !matchesAny(own.deny, tool.name),
    );
    kept.tools = all;
    kept.isMarked = kept.server.state === "inactive";
    const made = tools.map((tool) => this.#toolOf(kept, tool));
    const refused = this.#parts.replaceTools(name, made);
    const names = new Set(refused.map((one) => one.name));
    kept.offered = tools.map((tool) => tool.name).filter((tool) => !names.has(`${name}.${tool}`));
    return refused.map((one) => `${one.name} is refused: ${one.reason}`);
  }

  #toolOf(kept: Kept, listed: ListedTool): RunnableTool {
    const { entry } = kept.server;
    const digest = digestOfTool(listed, entry.digest);
    return foreignTool({
      server: entry.name,
      listed,
      digest,
      isInactive: kept.isMarked,
      level: isReadOnly(entry, listed) ? "safe" : "standard",
      ...(entry.own.channels && { channels: entry.own.channels }),
      run: async (params, context) => {
        const checkTool = () => {
          if (kept.current?.get(listed.name) === digest) return;
          const message = `${entry.name}.${listed.name} has changed or is gone since it was offered. An owner can look at it with \`mcp show ${entry.name}\`.`;
          throw new ToolError("permissionDenied", message);
        };
        const { signal, progress } = context;
        const result = await kept.server.call(listed, params, {
          signal,
          timeoutMs: entry.own.timeout * 1000,
          onProgress: progress,
          checkTool,
        });
        const { events } = this.#parts;
        return answerOf(result, { server: entry.name, tool: listed.name }, { context, events });
      },
    });
  }

  #noteProblems(): void {
    this.problems = this.#discovered.problems;
    for (const problem of this.problems) this.#parts.log("error", problem);
  }
}

const MOST_LOGGED = 20;

/** By the operator's own list, or by the server's hints where the operator trusts it. */
function isReadOnly({ own }: ServerEntry, { name, annotations }: ListedTool): boolean {
  if (matchesAny(own.readOnly, name)) return true;
  return own.trust && annotations?.readOnlyHint === true && annotations.destructiveHint !== true;
}

function summaryOf({ server, offered, quarantined, problems }: Kept): ServerSummary {
  const { entry, state, restarts, lastError, version } = server;
  const runs = entry.own.host ? "host" : "container";
  return {
    name: entry.name,
    runs: entry.at.kind === "http" ? "remote" : runs,
    state,
    tools: offered,
    restarts,
    lastError,
    protocol: version,
    quarantined,
    changes: quarantined.length > 0 ? digestOfChanges(quarantined) : undefined,
    problems,
  };
}
