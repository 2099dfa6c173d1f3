import {
  failed,
  type OperationResult,
  type Tool,
  ToolError,
} from "../../src/contract/tools/operation.ts";
import { parseCall } from "../../src/contract/tools/tool-schema.ts";
import { reportBug } from "./bugs.ts";
import type { CallContext, Handlers } from "./handlers.ts";

/** A call that was understood: what it is, whether repeating it does harm, and how to run it. */
export interface PreparedCall {
  readonly fingerprint: string;
  readonly repeat: "safe" | "unsafe";
  run(context: CallContext): Promise<OperationResult>;
}

type Params = Readonly<Record<string, unknown>>;

interface ServedTool {
  readonly tool: Tool;
  prepare(args: Params): PreparedCall;
  /** Runs an operation whose parameters were parsed before. */
  run(operation: string, params: Params, context: CallContext): Promise<OperationResult>;
}

/** Ties a tool's definition to the functions that serve it. */
export function serve<T extends Tool>(tool: T, handlers: Handlers<T>): ServedTool {
  const run: ServedTool["run"] = (operation, params, context) => {
    const handler = (handlers as Handlers<Tool>)[operation] as Handlers<Tool>[string];
    return answer(async () => {
      if (!("readsAhead" in handler)) await context.recorded?.();
      return handler(params, context);
    });
  };
  return {
    tool,
    run,
    prepare: (args) => {
      const { operation, params } = parseCall(tool, args);
      return {
        ...describe(tool, operation, params),
        run: (context) => run(operation, params, context),
      };
    },
  };
}

/** Runs a prepared call elsewhere; the fingerprint holds the whole call as JSON. */
export type Relay = (
  call: Omit<PreparedCall, "run"> & { readonly tool: string },
  context: CallContext,
) => Promise<OperationResult>;

/** Ties a tool's definition to another process that serves it. */
export function relay(tool: Tool, send: Relay): Pick<ServedTool, "tool" | "prepare"> {
  return {
    tool,
    prepare: (args) => {
      const { operation, params } = parseCall(tool, args);
      const call = describe(tool, operation, params);
      return { ...call, run: (context) => send({ ...call, tool: tool.name }, context) };
    },
  };
}

function describe(tool: Tool, operation: string, params: Params): Omit<PreparedCall, "run"> {
  return {
    fingerprint: JSON.stringify([tool.name, operation, params]),
    repeat: tool.operations[operation]?.repeat ?? "unsafe",
  };
}

export class Tools<Served extends Pick<ServedTool, "tool" | "prepare"> = ServedTool> {
  readonly #served: ReadonlyMap<string, Served>;

  constructor(served: readonly Served[]) {
    this.#served = new Map(served.map((one) => [one.tool.name, one]));
  }

  get definitions(): Tool[] {
    return [...this.#served.values()].map((one) => one.tool);
  }

  prepare(name: string, args: Params): PreparedCall {
    return this.get(name).prepare(args);
  }

  get(name: string): Served {
    const served = this.#served.get(name);
    if (served) return served;
    const known = [...this.#served.keys()].join(", ");
    throw new ToolError(
      "toolNotFound",
      `Tool "${name.slice(0, 60)}" not found. Available: ${known}.`,
    );
  }
}

async function answer(run: () => Promise<Params>): Promise<OperationResult> {
  try {
    return { success: true, ...(await run()) };
  } catch (error) {
    if (error instanceof ToolError) return failed(error);
    reportBug(error);
    return failed(
      new ToolError(
        "executionFailed",
        "The workspace server failed. Try again; if it persists, reset the workspace.",
      ),
    );
  }
}
