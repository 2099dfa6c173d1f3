import type { Socket } from "node:net";
import { buildConnector } from "undici";
import { ConnectError, type HostConnector } from "../../contract/connector.ts";
import { ToolError } from "../../contract/tools/operation.ts";

const CONNECT_LIMIT_MS = 10_000;
const HTTPS_PORT = 443;

/** How pages are reached; tests reach their own server by another way. */
export interface Network extends HostConnector {
  /** Makes TLS of a connection. */
  readonly secure: (
    options: buildConnector.Options,
    socket: Socket,
    callback: buildConnector.Callback,
  ) => void;
}

export function webNetwork(connector: HostConnector): Network {
  const secured = buildConnector({ timeout: CONNECT_LIMIT_MS });
  return {
    connect: (place) => connector.connect(place),
    secure: (options, httpSocket, callback) => secured({ ...options, httpSocket }, callback),
  };
}

/** Connects to the address's host, whose addresses are checked, and gives this connection to one request. */
export async function connectTo(network: Network, url: URL): Promise<buildConnector.connector> {
  const port = url.port === "" ? HTTPS_PORT : Number(url.port);
  const socket = await network.connect({ host: url.hostname, port }).catch(explain);
  let unused: Socket | undefined = socket;
  return (options, callback) => {
    if (unused) network.secure(options, unused, callback);
    else callback(new Error("The connection was closed."), null);
    unused = undefined;
  };
}

function explain(cause: unknown): never {
  if (!(cause instanceof ConnectError)) throw cause;
  if (cause.kind !== "address") {
    const kind = cause.kind === "timeout" ? "timeout" : "executionFailed";
    throw new ToolError(kind, cause.message, {}, { cause });
  }
  throw new ToolError(
    "permissionDenied",
    `${cause.message} An approval does not change that.`,
    {},
    { cause },
  );
}
