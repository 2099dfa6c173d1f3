import { Server } from "@modelcontextprotocol/server";
import type { OperationResult, Tool } from "../../src/contract/tools/operation.ts";
import { flatSchema } from "../../src/contract/tools/tool-schema.ts";
import { CallMeta } from "../../src/contract/workspace/channel.ts";
import type { Calls } from "./calls.ts";
import { type DirectRequest, InvalidParamsError, isRecord } from "./direct.ts";

const PROGRESS_EVERY_MS = 250;

/** The MCP server of one connection: everything of the protocol but the calls themselves. */
export function makeServer(tools: { readonly definitions: readonly Tool[] }): Server {
  const server = new Server(
    { name: "deckhand-workspace", title: "Deckhand workspace", version: "1" },
    {
      capabilities: { tools: {} },
      instructions: "Files and a terminal in one container. Relative paths start at /workspace.",
    },
  );
  server.setRequestHandler("tools/list", async () => ({
    tools: tools.definitions.map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: flatSchema(tool),
    })),
  }));
  return server;
}

/** MCP's `tools/call`. */
export function serveCalls(calls: Calls): (request: DirectRequest) => Promise<object> {
  return async (request) => {
    const { name, arguments: args = {} } = request.params;
    if (typeof name !== "string")
      throw new InvalidParamsError("tools/call needs the name of a tool.");
    if (!isRecord(args)) throw new InvalidParamsError("The arguments of a tool are an object.");
    const meta = metaOf(request);
    const result = await calls.run({
      tool: name,
      args,
      meta,
      signal: request.signal,
      onProgress: progressTo(request),
    });
    return asToolResult(result, meta);
  };
}

/** Throws InvalidParamsError for keys of ours that hold something else. */
export function metaOf({ meta }: DirectRequest): CallMeta {
  const parsed = CallMeta.safeParse(meta);
  if (parsed.success) return parsed.data;
  throw new InvalidParamsError(
    `_meta: ${parsed.error.issues.map(({ message }) => message).join("; ")}`,
  );
}

/** Sends the newest message a few times a second, and never one after the answer. */
function progressTo({ meta, notify }: DirectRequest): (message: string) => void {
  const { progressToken } = meta;
  if (progressToken === undefined) return () => {};
  let last = Number.NEGATIVE_INFINITY;
  let progress = 0;
  return (message) => {
    const now = performance.now();
    if (now - last < PROGRESS_EVERY_MS) return;
    last = now;
    progress += 1;
    notify("notifications/progress", { progressToken, progress, message });
  };
}

/** Our bot reads the structured result alone; other clients get it as text as well. */
function asToolResult(result: OperationResult, meta: CallMeta): object {
  const ours = meta["deckhand/call"] !== undefined;
  return {
    content: ours ? [] : [{ type: "text", text: JSON.stringify(result, null, 2) }],
    structuredContent: result,
    isError: !result.success,
  };
}
