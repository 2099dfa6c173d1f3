import ipaddr from "ipaddr.js";
import type { EgressDecision, EgressGate, HostRequest } from "../contract/network.ts";
import { authorityOf, parseAuthority } from "./host-name.ts";

const USUAL_PORTS = [443, 80];

/** One host of NETWORK_ALLOW: `example.com`, `example.com:8443`, or `git.internal:443=10.1.0.0/16`. */
interface AllowedHost {
  readonly places: readonly string[];
  readonly privateRanges: readonly string[];
}

/** Undefined where the text is no such host. */
export function parseAllowedHost(text: string): AllowedHost | undefined {
  const [authority = "", range, ...more] = text.trim().split("=");
  if (more.length > 0 || (range !== undefined && !ipaddr.isValidCIDR(range))) return undefined;
  const places = /^(\[.*\]|[^:]*)$/.test(authority)
    ? USUAL_PORTS.map((port) => parseAuthority(authority, port))
    : [parseAuthority(authority)];
  const known = places.flatMap((place) => (place.kind === "rejected" ? [] : [authorityOf(place)]));
  if (known.length < places.length) return undefined;
  return { places: known, privateRanges: range === undefined ? [] : [range] };
}

/** Opens the hosts of a list and no others, for every conversation. */
export class AllowList implements EgressGate {
  readonly #allowed: readonly AllowedHost[];

  constructor(allowed: readonly AllowedHost[]) {
    this.#allowed = allowed;
  }

  async decide(_conversation: string, request: HostRequest): Promise<EgressDecision> {
    const place = authorityOf(request);
    const entries = this.#allowed.filter(({ places }) => places.includes(place));
    if (entries.length === 0) {
      return {
        outcome: "refused",
        reason: `${place} is not open for this workspace. The operator can add it to NETWORK_ALLOW.`,
      };
    }
    return {
      outcome: "open",
      privateRanges: entries.flatMap(({ privateRanges }) => privateRanges),
    };
  }
}
