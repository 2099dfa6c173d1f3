import type { EgressDecision, EgressGate, HostPort, HostRequest } from "../contract/network.ts";
import type { Hosts } from "./host-access.ts";
import { authorityOf, normaliseHost } from "./host-name.ts";

export interface GateParts {
  readonly hosts: Hosts;
  /** Whether people are asked about hosts that no list names. */
  readonly asks: boolean;
  /**
   * Asks people about a host, beside the answer that is given. Must not throw. "full": so many cards are open in the thread
   * that this host gets none.
   */
  readonly ask: (conversation: string, request: HostRequest) => Promise<"asked" | "full" | "never">;
  readonly uses: HostUses;
}

/** Which permissions were used by connections, and when last: what was given for one call ends with the call that used it. */
export class HostUses {
  readonly #lastUsed = new Map<string, number>();

  used(grant: string): void {
    this.#lastUsed.delete(grant);
    this.#lastUsed.set(grant, Date.now());
    const [oldest] = this.#lastUsed.keys();
    if (oldest !== undefined && this.#lastUsed.size > MOST_NOTED) this.#lastUsed.delete(oldest);
  }

  wasUsedSince(grant: string, since: number): boolean {
    return (this.#lastUsed.get(grant) ?? 0) >= since;
  }
}

const MOST_NOTED = 10_000;

/** Decides by the lists and by what people have permitted, at once. */
export function createGate({ hosts, asks, ask, uses }: GateParts): EgressGate {
  return {
    async decide(conversation, request): Promise<EgressDecision> {
      const place = normaliseHost(request.host, request.port);
      if (place.kind === "rejected") return { outcome: "refused", reason: place.reason };
      const ruling = (await hosts.view(conversation)).rule(place);
      if (ruling.outcome === "open") {
        for (const { grant } of ruling.grants ?? []) uses.used(grant.id);
        const { privateRanges } = ruling;
        return privateRanges.length > 0 ? { outcome: "open", privateRanges } : { outcome: "open" };
      }
      if (ruling.outcome !== "unknown") return { outcome: "refused", reason: ruling.reason };
      if (!asks) return { outcome: "refused", reason: notListed(place) };
      return {
        outcome: "refused",
        reason: ASKED[await ask(conversation, { ...request, ...place })](place),
      };
    },
  };
}

const notListed = (place: HostPort) =>
  `${authorityOf(place)} is not on the list of hosts. The operator can add it to NETWORK_ALLOW.`;

const ASKED = {
  asked: (place: HostPort) =>
    `${authorityOf(place)} is not open in this thread. A person was asked: run the command again once it is approved.`,
  full: (place: HostPort) =>
    `${authorityOf(place)} is not open in this thread, and too many hosts already wait for an answer. Say "net allow ${authorityOf(place)}" to open it.`,
  never: (place: HostPort) =>
    `${authorityOf(place)} is not open in this thread, and no one here could approve it.`,
} as const;
