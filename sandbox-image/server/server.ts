import { type CallToolResult, Server, type ServerContext } from "@modelcontextprotocol/server";
import { CallMeta } from "../../src/contract/channel.ts";
import type { OperationResult } from "../../src/contract/operation.ts";
import { flatSchema } from "../../src/contract/tool-schema.ts";
import type { Calls } from "./calls.ts";
import type { Connection } from "./connection.ts";
import type { Tools } from "./tools.ts";

const PROGRESS_EVERY_MS = 250;

export interface ServerParts {
  readonly tools: Tools;
  readonly calls: Calls;
  /** Adds the methods that people and the bot use beside the tools. */
  readonly addMethods: (server: Server) => void;
}

/** The MCP server of one connection. What lives longer than a connection is in its parts. */
export function makeServer(parts: ServerParts, connection: Connection): Server {
  const server = new Server(
    { name: "deckhand-workspace", title: "Deckhand workspace", version: "1" },
    {
      capabilities: { tools: {} },
      instructions: "Files and a terminal in one container. Relative paths start at /workspace.",
    },
  );
  server.setRequestHandler("tools/list", async () => ({
    tools: parts.tools.definitions.map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: flatSchema(tool),
    })),
  }));
  server.setRequestHandler("tools/call", async (request, context) => {
    const meta = CallMeta.parse(context.mcpReq._meta ?? {});
    const result = await parts.calls.run({
      tool: request.params.name,
      args: request.params.arguments ?? {},
      meta,
      signal: takenBack(context.mcpReq.signal, connection),
      onProgress: progressTo(context),
    });
    return asToolResult(result, meta);
  });
  parts.addMethods(server);
  return server;
}

/** The SDK aborts requests also when their connection ends; a call must outlive that. */
function takenBack(signal: AbortSignal, connection: Connection): AbortSignal {
  const stop = new AbortController();
  signal.addEventListener("abort", () => {
    if (!connection.dropped) stop.abort();
  });
  return stop.signal;
}

/** Sends the newest message a few times a second, and never one after the answer. */
function progressTo(context: ServerContext): (message: string) => void {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let last = Number.NEGATIVE_INFINITY;
  let progress = 0;
  return (message) => {
    const now = performance.now();
    if (now - last < PROGRESS_EVERY_MS) return;
    last = now;
    progress += 1;
    void context.mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken, progress, message },
    });
  };
}

/** Our bot reads the structured result alone; other clients get it as text as well. */
function asToolResult(result: OperationResult, meta: CallMeta): CallToolResult {
  const ours = meta["deckhand/call"] !== undefined;
  return {
    content: ours ? [] : [{ type: "text", text: JSON.stringify(result, null, 2) }],
    structuredContent: result,
    isError: !result.success,
  };
}
