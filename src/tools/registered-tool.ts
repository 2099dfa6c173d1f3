import type { ModelTool } from "../contract/model.ts";
import type { RunnableTool } from "../contract/tools/tool-call.ts";

/** A tool, the server that brought it, and what models are told of its parameters. */
export interface RegisteredTool {
  readonly tool: RunnableTool;
  /** Empty for our own. */
  readonly server: string;
  readonly parameters: ModelTool["parameters"];
}
