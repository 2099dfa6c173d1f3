import { type LookupAddress, lookup } from "node:dns";
import { connect, isIP, type Socket } from "node:net";
import { promisify } from "node:util";
import ipaddr from "ipaddr.js";
import { ConnectError, type HostConnector } from "../contract/connector.ts";
import type { HostPort } from "../contract/network.ts";
import { isPublicAddress } from "../lib/public-address.ts";
import { normaliseHost } from "./host-name.ts";

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

interface Reach {
  /** Addresses beyond the public internet that this host may have. */
  readonly privateRanges?: readonly string[] | undefined;
}

interface ConnectOptions extends Reach {
  readonly signal?: AbortSignal | undefined;
}

const RESOLVE_LIMIT_MS = 5_000;
const CONNECT_LIMIT_MS = 10_000;
const MOST_ADDRESSES_TRIED = 4;

const systemResolve: Resolve = (host) => promisify(lookup)(host, { all: true });

/**
 * The one way to a host outside, for workspaces and for the bot's own tools: resolves once, checks every address, and connects
 * to those that were checked. A name server cannot answer the check and the connection differently.
 */
export class Connector implements HostConnector {
  readonly #resolve: Resolve;

  constructor({ resolve = systemResolve }: { resolve?: Resolve | undefined } = {}) {
    this.#resolve = resolve;
  }

  /** The host's addresses, if every one of them may be reached. Throws a ConnectError. */
  async addressesOf(place: HostPort, reach: Reach = {}): Promise<readonly string[]> {
    const { port } = place;
    // Of every caller: what was judged under one spelling must not be resolved under another.
    const normal = normaliseHost(place.host, port);
    if (normal.kind === "rejected") throw new ConnectError(normal.reason, { kind: "host" });
    const { host } = normal;
    const addresses = normal.kind === "address" ? [host] : await this.#resolved(host);
    const refused = addresses.find((address) => !mayReach(address, reach));
    if (refused !== undefined) {
      throw new ConnectError(
        `${host}:${port} is not on the public internet. Addresses of this machine, of private networks and of metadata ` +
          "services are refused unless the operator lists them.",
        { kind: "address" },
      );
    }
    return addresses;
  }

  async connect(place: HostPort, options: ConnectOptions = {}): Promise<Socket> {
    const limit = AbortSignal.timeout(CONNECT_LIMIT_MS);
    const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
    const addresses = await this.addressesOf(place, options);
    let failure: unknown;
    for (const address of addresses.slice(0, MOST_ADDRESSES_TRIED)) {
      try {
        return await connectTo(address, place.port, signal);
      } catch (error) {
        failure = error;
        if (signal.aborted) break;
      }
    }
    throw connectError(place, failure, limit.aborted);
  }

  async #resolved(host: string): Promise<readonly string[]> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error("no answer in time")), RESOLVE_LIMIT_MS);
    try {
      const found = await Promise.race([this.#resolve(host), late]);
      if (found.length > 0) return found.map(({ address }) => address);
      throw new Error("no address");
    } catch (cause) {
      const message = `${host} was not found. Check the name.`;
      throw new ConnectError(message, { kind: "host", cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

function connectTo(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  // The address is numeric: nothing is resolved again. Half-open, because either side may end first.
  const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true });
  const giveUp = () => socket.destroy(new Error("aborted"));
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  socket.once("error", reject);
  socket.once("connect", () => {
    signal.removeEventListener("abort", giveUp);
    socket.off("error", reject);
    resolve(socket);
  });
  return promise;
}

function connectError({ host, port }: HostPort, cause: unknown, isLate: boolean): ConnectError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (isLate || code === "ETIMEDOUT") {
    const message = `${host}:${port} did not answer within ${CONNECT_LIMIT_MS / 1000} s.`;
    return new ConnectError(message, { kind: "timeout", cause });
  }
  const detail = code === undefined ? "" : ` (${code})`;
  return new ConnectError(`${host}:${port} refused the connection${detail}.`, {
    kind: "connect",
    cause,
  });
}

function mayReach(address: string, { privateRanges = [] }: Reach): boolean {
  if (isPublicAddress(address)) return true;
  if (isIP(address) === 0 || privateRanges.length === 0) return false;
  const ip = ipaddr.process(address);
  return privateRanges.some((range) => {
    const [base, bits] = ipaddr.parseCIDR(range);
    return base.kind() === ip.kind() && ip.match(base, bits);
  });
}
