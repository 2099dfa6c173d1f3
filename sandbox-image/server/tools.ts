import {
  failed,
  type OperationResult,
  type Tool,
  ToolError,
} from "../../src/contract/operation.ts";
import { parseCall } from "../../src/contract/tool-schema.ts";
import type { CallContext, Handlers } from "./handlers.ts";

/** A call that was understood: what it is, whether repeating it does harm, and how to run it. */
export interface PreparedCall {
  readonly fingerprint: string;
  readonly repeat: "safe" | "unsafe";
  run(context: CallContext): Promise<OperationResult>;
}

interface ServedTool {
  readonly tool: Tool;
  prepare(args: Readonly<Record<string, unknown>>): PreparedCall;
}

/** Ties a tool's definition to the functions that serve it. */
export function serve<T extends Tool>(tool: T, handlers: Handlers<T>): ServedTool {
  return {
    tool,
    prepare: (args) => {
      const { operation, params } = parseCall(tool, args);
      const handler = handlers[operation] as Handlers<Tool>[string];
      return {
        fingerprint: JSON.stringify([tool.name, operation, params]),
        repeat: tool.operations[operation]?.repeat ?? "unsafe",
        run: (context) =>
          answer(async () => {
            if (!("readsAhead" in handler)) await context.recorded?.();
            return handler(params, context);
          }),
      };
    },
  };
}

export class Tools {
  readonly #served: ReadonlyMap<string, ServedTool>;

  constructor(served: readonly ServedTool[]) {
    this.#served = new Map(served.map((one) => [one.tool.name, one]));
  }

  get definitions(): Tool[] {
    return [...this.#served.values()].map((one) => one.tool);
  }

  prepare(name: string, args: Readonly<Record<string, unknown>>): PreparedCall {
    const served = this.#served.get(name);
    if (served) return served.prepare(args);
    const known = [...this.#served.keys()].join(", ");
    throw new ToolError(
      "toolNotFound",
      `Tool "${name.slice(0, 60)}" not found. Available: ${known}.`,
    );
  }
}

async function answer(
  run: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<OperationResult> {
  try {
    return { success: true, ...(await run()) };
  } catch (error) {
    if (error instanceof ToolError) return failed(error);
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return failed(
      new ToolError(
        "executionFailed",
        "Something broke in the workspace server. Try once more; if it stays, reset the workspace.",
      ),
    );
  }
}
