import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { promisify } from "node:util";
import { buildConnector } from "undici";
import { ToolError } from "../../contract/tools/operation.ts";
import { isPublicAddress } from "../../lib/public-address.ts";

const CONNECT_LIMIT_MS = 10_000;

/** How pages are reached; tests reach their own server by another way. */
export interface Network {
  /** All addresses of a name. */
  readonly resolve: (hostname: string) => Promise<readonly LookupAddress[]>;
  readonly isAllowed: (address: string) => boolean;
  /** Opens connections that find their address by this lookup and no other. */
  readonly connector: (lookup: LookupFunction) => buildConnector.connector;
}

export const publicNetwork: Network = {
  resolve: (hostname) => promisify(systemLookup)(hostname, { all: true }),
  isAllowed: isPublicAddress,
  connector: (lookup) => buildConnector({ lookup, timeout: CONNECT_LIMIT_MS }),
};

/**
 * Resolves the address's host once, checks every address it has, and gives connections to those and no others: a name
 * server cannot answer the check and the connection differently.
 */
export async function pinnedConnector(
  network: Network,
  url: URL,
): Promise<buildConnector.connector> {
  const name = url.hostname.replace(/^\[|\]$/g, "");
  const family = isIP(name);
  const addresses = family ? [{ address: name, family }] : await resolved(network, url);
  const isReachable = addresses.every(({ address }) => network.isAllowed(address));
  if (addresses.length > 0 && isReachable) return network.connector(pinnedTo(addresses));
  throw new ToolError(
    "permissionDenied",
    `${url.host} is not on the public internet. Addresses of this machine, of private networks and of metadata ` +
      "services are never fetched, not even with an approval.",
  );
}

async function resolved(network: Network, url: URL): Promise<readonly LookupAddress[]> {
  try {
    return await network.resolve(url.hostname);
  } catch (error) {
    throw notFound(url, error);
  }
}

function notFound(url: URL, cause: unknown): ToolError {
  const message = `${url.host} was not found. Check the name in the address.`;
  return new ToolError("executionFailed", message, {}, { cause });
}

function pinnedTo(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };
}
