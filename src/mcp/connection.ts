import {
  type CallToolResult,
  Client,
  type ClientOptions,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Transport,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import type { ListedTool } from "./listed-tool.ts";

export interface ConnectionParts {
  readonly transport: Transport;
  readonly protocol: "auto" | "legacy";
  readonly timeoutMs: number;
  /** Once, when the other side has ended, but not for `close`. */
  readonly onClosed: () => void;
  readonly onToolsChanged: () => void;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onProgress: (message: string, fraction?: number) => void;
}

const MOST_PAGES = 100;
const TOTAL_TIMES = 20;
const CHANGES_WAIT_MS = 200;

const ToolsPage = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** The results of servers are data for a model: nothing here relies on their output schemas. */
const NO_VALIDATION: NonNullable<ClientOptions["jsonSchemaValidator"]> = {
  getValidator: () => (input: unknown) => ({
    valid: true,
    data: input as never,
    errorMessage: undefined,
  }),
};

/** One connection to a server, with the handshake behind it. */
export class Connection {
  readonly #client: Client;
  #isClosing = false;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Sampling, roots and elicitation are not offered, so that a server which asks for them gets an error. */
  static async open(parts: ConnectionParts): Promise<Connection> {
    const { transport, protocol, timeoutMs, onClosed, onToolsChanged } = parts;
    const client = new Client(
      { name: "deckhand", version: "1" },
      {
        capabilities: {},
        jsonSchemaValidator: NO_VALIDATION,
        versionNegotiation: { mode: protocol, probe: { timeoutMs: timeoutMs / 3 } },
        listChanged: {
          tools: { autoRefresh: false, debounceMs: CHANGES_WAIT_MS, onChanged: onToolsChanged },
        },
      },
    );
    const connection = new Connection(client);
    client.onclose = () => {
      if (!connection.#isClosing) onClosed();
    };
    try {
      await client.connect(transport, { timeout: timeoutMs, maxTotalTimeout: timeoutMs });
      return connection;
    } catch (error) {
      connection.#isClosing = true;
      await transport.close();
      throw error;
    }
  }

  /** As the server says, all pages of it. */
  async listTools(timeoutMs: number): Promise<unknown[]> {
    if (!this.#client.getServerCapabilities()?.tools) return [];
    const tools: unknown[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const page = await this.#client.request({ method: "tools/list", params }, ToolsPage, {
        timeout: timeoutMs,
      });
      tools.push(...page.tools);
      cursor = page.nextCursor;
      if (cursor === undefined) return tools;
    }
    throw new Error(`its list of tools has more than ${MOST_PAGES} pages`);
  }

  callTool(
    { name, inputSchema }: ListedTool,
    args: Readonly<Record<string, unknown>>,
    { signal, timeoutMs, onProgress }: CallOptions,
  ): Promise<CallToolResult> {
    return this.#client.callTool(
      { name, arguments: args },
      {
        signal,
        timeout: timeoutMs,
        // A server that tells how far it is may take longer, but not for ever.
        resetTimeoutOnProgress: true,
        maxTotalTimeout: TOTAL_TIMES * timeoutMs,
        onprogress: ({ message, progress, total }) =>
          onProgress(message ?? "", total ? progress / total : undefined),
        toolDefinition: { name, inputSchema: { ...inputSchema, type: "object" } },
      },
    );
  }

  /** Throws unless the server answers in time. */
  async ping(timeoutMs: number): Promise<void> {
    // The protocol of 2026 has no ping.
    if (this.#client.getProtocolEra() === "modern") {
      await this.#client.discover({ timeout: timeoutMs });
    } else {
      await this.#client.ping({ timeout: timeoutMs });
    }
  }

  get version(): string | undefined {
    return this.#client.getNegotiatedProtocolVersion();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#client.close();
  }
}

/** How a call has failed: the server has answered with an error, not at all, or is gone. */
export function failureKind(error: unknown): "answered" | "timeout" | "lost" {
  if (ProtocolError.isInstance(error)) return "answered";
  if (!SdkError.isInstance(error)) return "lost";
  if (error.code === SdkErrorCode.RequestTimeout) return "timeout";
  const isAnswer =
    error.code === SdkErrorCode.InvalidResult || error.code === SdkErrorCode.UnsupportedResultType;
  return isAnswer ? "answered" : "lost";
}
