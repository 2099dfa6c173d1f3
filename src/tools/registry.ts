import type { EventHub } from "../contract/conversation/event.ts";
import { foreignToolName } from "../contract/tools/foreign-tool.ts";
import type { Operation } from "../contract/tools/operation.ts";
import type { RunnableTool } from "../contract/tools/tool-call.ts";
import { flatSchema } from "../contract/tools/tool-schema.ts";
import { nameProblem } from "./catalogue/foreign-names.ts";
import { foreignSchema } from "./catalogue/foreign-schema.ts";
import { meantBy } from "./catalogue/names.ts";
import type { RegisteredTool } from "./registered-tool.ts";

/** A server's tool that is not offered, and why. */
export interface RefusedTool {
  readonly name: string;
  readonly reason: string;
}

export interface RegistryDeps {
  readonly events: Pick<EventHub, "announce">;
  readonly warn: (message: string) => void;
  /** How long a tool may take to make itself ready. */
  readonly initializeTimeoutMs?: number;
}

/** Every tool there is, by name. Tools may come and go at any time. */
export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();
  readonly #deps: RegistryDeps;
  #isInitialized = false;

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
  }

  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  /** Makes the tools ready, registers those that are, and publishes the list. One that cannot be made ready is left out. */
  async initialize(tools: readonly RunnableTool[]): Promise<void> {
    const ready = await Promise.all(tools.map((tool) => this.#makeReady(tool)));
    for (const [index, tool] of tools.entries()) if (ready[index]) this.#add(tool);
    this.#isInitialized = true;
    this.#publish();
  }

  /** One of our own. A tool of the same name is replaced. */
  register(tool: RunnableTool): void {
    this.#add(tool);
    this.#publish();
  }

  /**
   * All tools of an external server, in place of those it had. A tool whose name people could take for another's is
   * refused, and said to be.
   */
  replaceServerTools(server: string, tools: readonly RunnableTool[]): RefusedTool[] {
    for (const [name, one] of this.#tools) if (one.server === server) this.#tools.delete(name);
    const refused: RefusedTool[] = [];
    for (const tool of tools) {
      checkOrigin(server, tool);
      const { name } = tool.definition;
      const reason = nameProblem(server, name, this.#tools.values());
      if (reason === undefined) this.#addForeign(server, tool);
      else refused.push({ name, reason });
    }
    this.#publish();
    return refused;
  }

  get(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  /** In the fixed order; tools that it does not know come last, by server and name. */
  list(): RegisteredTool[] {
    return [...this.#tools.values()].sort(byOrder);
  }

  names(): string[] {
    return this.list().map(nameOf);
  }

  /** An operation under any of its names, and its canonical key. Undefined when there is no such operation. */
  findOperation(name: string): { readonly key: string; readonly operation: Operation } | undefined {
    const meant = meantBy(name, (tool) => this.#tools.get(tool));
    if (!meant) return undefined;
    const { definition } = meant.tool.tool;
    const wanted = definition.single ? definition.name : (meant.operation ?? "");
    const operation = Object.hasOwn(definition.operations, wanted)
      ? definition.operations[wanted]
      : undefined;
    const key = definition.single ? definition.name : `${definition.name}.${wanted}`;
    return operation && { key, operation };
  }

  /** The canonical key of an operation under any of its names. */
  operationKey(name: string): string | undefined {
    return this.findOperation(name)?.key;
  }

  #add(tool: RunnableTool): void {
    const { name } = tool.definition;
    this.#tools.set(name, { tool, server: "", parameters: flatSchema(tool.definition) });
  }

  #addForeign(server: string, tool: RunnableTool): void {
    const { name, operations } = tool.definition;
    const schema = operations[name]?.foreign?.schema;
    this.#tools.set(name, { tool, server, parameters: foreignSchema(schema) });
  }

  async #makeReady(tool: RunnableTool): Promise<boolean> {
    const { name } = tool.definition;
    // Whatever a tool does wrong here is its own loss: the others have to start.
    try {
      const limitMs = this.#deps.initializeTimeoutMs ?? INITIALIZE_TIMEOUT_MS;
      await withinTime(Promise.resolve(tool.initialize?.()), limitMs);
      return true;
    } catch (error) {
      this.#deps.warn(`The tool ${name} failed to start and is not offered: ${String(error)}`);
      return false;
    }
  }

  #publish(): void {
    if (!this.#isInitialized) return;
    this.#deps.events.announce({ type: "toolsChanged", tools: this.names() });
  }
}

/** The name carries the server's, so that a server can replace nothing but its own. */
function checkOrigin(server: string, { definition: { name, operations } }: RunnableTool): void {
  const isIts = operations[name]?.foreign?.server === server;
  if (isIts && name.startsWith(foreignToolName(server, ""))) return;
  throw new Error(`${name} is not a tool of the server ${server}.`);
}

const INITIALIZE_TIMEOUT_MS = 30_000;

async function withinTime(work: Promise<void>, limitMs: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`not ready after ${limitMs} ms`)), limitMs);
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function byOrder(one: RegisteredTool, other: RegisteredTool): number {
  return (
    place(one) - place(other) ||
    compare(one.server, other.server) ||
    compare(nameOf(one), nameOf(other))
  );
}

function place({ server, tool }: RegisteredTool): number {
  return (server === "" ? tool.definition.position : undefined) ?? Number.MAX_SAFE_INTEGER;
}

// By code units, so that the order is the same in every language.
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function nameOf(registered: RegisteredTool): string {
  return registered.tool.definition.name;
}
