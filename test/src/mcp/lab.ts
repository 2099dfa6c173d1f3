import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Posted } from "../../../src/contract/conversation/event.ts";
import type { ServerContainers } from "../../../src/contract/server-process.ts";
import type { Documents } from "../../../src/contract/store.ts";
import type { ToolContext } from "../../../src/contract/tools/tool-call.ts";
import { createEventHub } from "../../../src/events/hub.ts";
import type { ServerTimes } from "../../../src/mcp/server.ts";
import { McpServers } from "../../../src/mcp/servers.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { lab } from "../tools/support/lab.ts";

export const SCRIPTED = resolve("test/support/mcp/scripted-server.mjs");

/** Short enough for tests, long enough for a busy machine. */
const TIMES: ServerTimes = {
  handshakeMs: 10_000,
  pingEveryMs: 60_000,
  pingMs: 1_000,
  backoffMs: 10,
  mostFailures: 3,
  failuresWithinMs: 60_000,
};

type Entries = Readonly<Record<string, object>>;

export interface McpLabOptions {
  readonly servers?: Entries;
  readonly times?: Partial<ServerTimes>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly containers?: (directory: string) => ServerContainers;
  readonly image?: string;
  /** Makes what has to be in the data directory. */
  readonly prepare?: (directory: string) => void;
  readonly directory?: string;
  readonly project?: string;
  readonly documents?: Documents;
  readonly ownSecrets?: readonly string[];
}

/** External servers on this machine, behind a real registry. */
export class McpLab implements AsyncDisposable {
  readonly directory: string;
  readonly logged: string[] = [];
  readonly posted: Posted[] = [];
  readonly box = lab();
  readonly servers: McpServers;
  readonly #store: AsyncDisposable;
  readonly #keeps: boolean;

  private constructor(
    options: McpLabOptions,
    directory: string,
    store: AsyncDisposable & { documents(name: string): Documents },
  ) {
    this.directory = directory;
    this.#store = store;
    this.#keeps = options.directory !== undefined;
    const events = createEventHub({ warn: () => {} });
    events.observe((event) => void this.posted.push(event));
    this.servers = new McpServers({
      settings: {
        file: undefined,
        dataDir: directory,
        image: options.image ?? "deckhand-sandbox",
        variables: { PATH: process.env.PATH, ...options.variables },
        ownSecrets: new Set(options.ownSecrets),
      },
      documents: options.documents ?? store.documents("mcp-tools"),
      containers: options.containers?.(directory),
      owner: ownerOf(directory),
      events,
      log: (_level, message, fields) =>
        void this.logged.push(`${message} ${JSON.stringify(fields ?? {})}`),
      replaceTools: (server, tools) => this.box.registry.replaceServerTools(server, tools),
      times: { ...TIMES, ...options.times },
      project: options.project ?? join(directory, "none"),
    });
  }

  static async start(options: McpLabOptions = {}): Promise<McpLab> {
    const made = await McpLab.make(options);
    await made.servers.start();
    return made;
  }

  static async make(options: McpLabOptions = {}): Promise<McpLab> {
    const directory = options.directory ?? mkdtempSync(join(tmpdir(), "mcp-lab-"));
    mkdirSync(directory, { recursive: true });
    options.prepare?.(directory);
    if (options.servers) writeServers(directory, options.servers);
    const store = await openStore({ kind: "sqlite", file: join(directory, "store.db") });
    return new McpLab(options, directory, store);
  }

  summary(name: string) {
    const found = this.servers.list().find((one) => one.name === name);
    if (!found) throw new Error(`There is no server ${name}.`);
    return found;
  }

  /** What a call of `server.tool` gives, as the model gets it. */
  async call(key: string, args: object = {}, more: Partial<ToolContext> = {}) {
    const { toolbox } = this.box;
    const turn = this.box.turn(more as never);
    const call = { callId: `call-${Math.random()}`, name: key, arguments: { ...args } };
    const outcome = await toolbox.runCall(call, turn);
    if (outcome.outcome !== "finished") throw new Error("It waits.");
    return outcome.result;
  }

  /** The processes of this bot's servers, by what they run. */
  processes(): string[] {
    return processesOf(this.directory);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.servers[Symbol.asyncDispose]();
    await this.#store[Symbol.asyncDispose]();
    if (!this.#keeps) rmSync(this.directory, { recursive: true, force: true });
  }
}

export function writeServers(directory: string, mcpServers: Entries): void {
  writeFileSync(join(directory, ".mcp.json"), JSON.stringify({ mcpServers }));
}

/** An entry that runs the scripted server on this machine. */
export function scripted(scenario: string, own: object = {}, state = "") {
  const args = state === "" ? [SCRIPTED, scenario] : [SCRIPTED, scenario, state];
  return { command: process.execPath, args, "x-deckhand": { host: true, ...own } };
}

const ownerOf = (directory: string) => directory.replace(/[^A-Za-z0-9]/g, "");

/** In the environment of every process of a lab's servers. */
export const markOf = (directory: string) => `DECKHAND_MCP_SERVER=${ownerOf(directory)}:`;

export function processesOf(directory: string): string[] {
  const mark = markOf(directory);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const isIts = readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
        return isIts ? [readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")] : [];
      } catch {
        return [];
      }
    });
}
