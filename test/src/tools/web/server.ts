import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Connector } from "../../../../src/network/connector.ts";
import type { Network } from "../../../../src/tools/web/network.ts";

/** A web of one server on this machine. */
export interface SmallWeb extends AsyncDisposable {
  readonly port: number;
  readonly network: Network;
  /** Every name that was looked up, in order. */
  readonly lookedUp: string[];
  /** Every address that a connection was opened to. */
  readonly connected: string[];
  /** Names and what they lead to, one answer after another; the last one stays. */
  readonly names: Record<string, string[]>;
}

/**
 * Names lead where the test says, this machine counts as public, and connections speak plain HTTP where the real ones
 * speak TLS: everything else is what really happens.
 */
export async function smallWeb(listener: RequestListener): Promise<SmallWeb> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const lookedUp: string[] = [];
  const connected: string[] = [];
  const names: Record<string, string[]> = { "site.test": ["127.0.0.1"] };
  const connector = new Connector({
    resolve: async (name) => {
      lookedUp.push(name);
      const answers = names[name] ?? [];
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer === undefined) throw new Error(`getaddrinfo ENOTFOUND ${name}`);
      return answer
        .split(" ")
        .map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
  });
  const network: Network = {
    connect: async (place) => {
      const socket = await connector.connect(place, { privateRanges: ["127.0.0.1/32"] });
      connected.push(socket.remoteAddress ?? "");
      return socket;
    },
    // Like a handshake, later than the call.
    secure: (_options, socket, callback) => queueMicrotask(() => callback(null, socket)),
  };
  return {
    port: (server.address() as AddressInfo).port,
    network,
    lookedUp,
    connected,
    names,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
