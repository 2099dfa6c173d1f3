import type { Socket } from "node:net";
import type { HostPort } from "./network.ts";

/** The one way to a host outside, for workspaces and for the bot's own tools. */
export interface HostConnector {
  /** Connects to a public address of the host. Rejects with a ConnectError. */
  connect(place: HostPort): Promise<Socket>;
}

/** There is no connection. "address": it may not be reached. "host": there is none of that name. The message is for people. */
export class ConnectError extends Error {
  override readonly name = "ConnectError";
  readonly kind: "address" | "host" | "connect" | "timeout";

  constructor(message: string, options: ErrorOptions & { kind: ConnectError["kind"] }) {
    super(message, options);
    this.kind = options.kind;
  }
}
