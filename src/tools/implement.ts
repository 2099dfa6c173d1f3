import type { OperationName, ParamsOf, Tool } from "../contract/tools/operation.ts";
import type { Answer, RunnableTool, ToolContext } from "../contract/tools/tool-call.ts";

/** One function per operation, each given the parameters of its own schema. */
export type ToolHandlers<T extends Tool> = {
  [Name in OperationName<T>]: (params: ParamsOf<T, Name>, context: ToolContext) => Promise<Answer>;
};

/** Ties a tool's definition to the functions that do it. */
export function implement<T extends Tool>(
  definition: T,
  handlers: ToolHandlers<T>,
  more: Pick<RunnableTool, "initialize"> = {},
): RunnableTool {
  return {
    definition,
    ...more,
    run: (operation, params, context) => {
      // The pipeline has parsed the parameters by this operation's schema; the compiler cannot follow that.
      const handler = handlers[operation as OperationName<T>] as ToolHandlers<Tool>[string];
      return handler(params, context);
    },
  };
}
