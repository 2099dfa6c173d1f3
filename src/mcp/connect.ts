import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import type {
  ServerContainers,
  ServerProcess,
  ServerProcessHooks,
} from "../contract/server-process.ts";
import type { Log } from "../lib/log.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { Connection } from "./connection.ts";
import type { HttpServer, ServerEntry, StdioServer } from "./entry.ts";
import { startHostProcess } from "./host-process.ts";
import { LineTransport } from "./line-transport.ts";
import { type ConnectHooks, reasonOf } from "./server.ts";
import { ServerLog } from "./server-log.ts";

export interface ConnectParts {
  /** Absent where the bot has no Docker engine. */
  readonly containers: ServerContainers | undefined;
  readonly image: string;
  /** Names this bot among those of the machine. */
  readonly owner: string;
  readonly path: string | undefined;
  readonly handshakeMs: number;
  readonly log: Log;
}

const MIB = 1024 * 1024;

/** Starts a server, or reaches a remote one, and shakes hands. Throws with the server's own last words. */
export async function connect(
  parts: ConnectParts,
  entry: ServerEntry,
  hooks: ConnectHooks,
): Promise<Connection> {
  const output = new ServerLog(parts.log, entry.name);
  const transport =
    entry.at.kind === "http"
      ? overHttp(entry.at)
      : new LineTransport({
          start: startOf(parts, entry, entry.at),
          onStderr: (chunk) => output.stderr(chunk),
          onNoise: (line) => output.noise(line),
          onHeard: hooks.onHeard,
        });
  const why = (otherwise: string) => {
    const ended = transport instanceof LineTransport ? transport.ended : undefined;
    const how = ended === undefined || ended === STOPPED ? otherwise : ended;
    return output.last === undefined ? how : `${how}; it wrote: ${output.last}`;
  };
  try {
    return await Connection.open({
      transport,
      protocol: entry.own.protocol ?? (entry.at.kind === "http" ? "auto" : "legacy"),
      timeoutMs: parts.handshakeMs,
      onToolsChanged: hooks.onToolsChanged,
      onClosed: () => hooks.onClosed(why("the connection was closed")),
    });
  } catch (error) {
    throw new OperatorError(why(reasonOf(error)), { cause: error });
  }
}

const STOPPED = "it was stopped";

function startOf(
  { containers, image, owner, path }: ConnectParts,
  { name, own }: ServerEntry,
  at: StdioServer,
): (hooks: ServerProcessHooks) => Promise<ServerProcess> {
  if (own.host) return (hooks) => startHostProcess(at, { owner, name, path }, hooks);
  return async (hooks) => {
    if (!containers) {
      throw new OperatorError(
        "there is no Docker engine for its container; with host: true it runs on the bot's machine",
      );
    }
    const container = {
      name,
      image: own.image ?? image,
      command: [at.command, ...at.args],
      env: at.env,
      files: at.files,
      network: own.network,
      memoryBytes: own.memoryMb * MIB,
    };
    return containers.start(container, hooks);
  };
}

function overHttp({ url, headers }: HttpServer): Transport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch,
  });
}
