import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface ConnectionLimits {
  /** Of connections that have not authenticated, all addresses together. */
  readonly mostUntrusted: number;
  readonly mostUntrustedPerAddress: number;
  /** Of authenticated connections per owner. */
  readonly mostPerOwner: number;
  /** An unauthenticated connection is closed after this time, however busy it is. */
  readonly untrustedLifeMs: number;
}

export interface ConnectionLimiter {
  /** The connection has authenticated as `owner`: strangers can no longer push it out. */
  trust(socket: Socket, owner: string): void;
  readonly untrusted: number;
}

interface Tracked {
  readonly socket: Socket;
  readonly group: string;
  readonly timer?: NodeJS.Timeout;
}

/** How often Node looks for connections that exceed `headersTimeout` or `requestTimeout`. */
export const CHECK_CONNECTIONS_EVERY_MS = 1_000;

/**
 * Admits every new connection and closes the oldest unauthenticated one instead, so that idle or slow strangers
 * can never keep an authenticated user out.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): ConnectionLimiter {
  const untrusted = new Map<Socket, Tracked>();
  const trusted = new Map<Socket, Tracked>();

  server.on("connection", (socket: Socket) => {
    const timer = setTimeout(() => socket.destroy(), limits.untrustedLifeMs).unref();
    untrusted.set(socket, { socket, group: addressGroup(socket.remoteAddress ?? ""), timer });
    socket.once("close", () => {
      clearTimeout(timer);
      untrusted.delete(socket);
      trusted.delete(socket);
    });
    const { group } = untrusted.get(socket) as Tracked;
    closeOldest(untrusted, limits.mostUntrustedPerAddress, group);
    closeOldest(untrusted, limits.mostUntrusted);
  });

  return {
    trust(socket, owner) {
      const known = untrusted.get(socket);
      if (!known) return;
      clearTimeout(known.timer);
      untrusted.delete(socket);
      trusted.set(socket, { socket, group: owner });
      closeOldest(trusted, limits.mostPerOwner, owner);
    },
    get untrusted() {
      return untrusted.size;
    },
  };
}

/** A Map iterates in insertion order, so the first entries are the oldest connections. */
function closeOldest(tracked: Map<Socket, Tracked>, most: number, group?: string): void {
  if (tracked.size <= most) return;
  const members = [...tracked.values()].filter((one) => group === undefined || one.group === group);
  for (const { socket } of members.slice(0, Math.max(0, members.length - most))) {
    tracked.delete(socket);
    socket.destroy();
  }
}

/** One IPv6 customer owns a whole /64, so all of its addresses count as one. */
export function addressGroup(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.toLowerCase().split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const gap = tail === undefined ? 0 : 8 - first.length - last.length;
  const parts = [...first, ...Array<string>(Math.max(0, gap)).fill("0"), ...last];
  return `${parts.slice(0, 4).join(":")}::/64`;
}
