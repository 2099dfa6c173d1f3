import { z } from "zod";

/**
 * A place outside, spelled as `normaliseHost` (src/network/host-name.ts) spells it: lower case, punycode, no trailing dot;
 * an address as four decimal numbers or in the short form of IPv6, without brackets. Policy, guard, accounting and
 * connector compare these and nothing else.
 */
export const HostPort = z.object({
  host: z.string().min(1).max(253),
  port: z.int().min(1).max(65_535),
});
export type HostPort = Readonly<z.infer<typeof HostPort>>;

/** One connection that a process wants, from a workspace or from a tool of the bot. */
export interface HostRequest extends HostPort {
  /** "http": a plain HTTP request whose method and path the proxy sees. The others carry any bytes. */
  readonly via: "connect" | "http" | "socks" | "tool";
  readonly method?: string;
  /** With its query; cut to 2,000 characters. */
  readonly path?: string;
  /** What the program calls itself (its User-Agent). Unverified: the workload chose it. At most 200 printable characters. */
  readonly program?: string;
}

export type EgressDecision =
  | {
      readonly outcome: "open";
      /**
       * Addresses beyond the public internet that this host may have, as CIDR ranges ("10.1.0.0/16"). Whatever else it
       * resolves to (private, loopback, link-local, NAT64, metadata) is refused after resolving.
       */
      readonly privateRanges?: readonly string[];
    }
  | {
      readonly outcome: "refused";
      /** One or two sentences: what happened, then what to do. The program sees it in the body of its 403. */
      readonly reason: string;
    };

/**
 * Decides about hosts. Answers within moments and never waits for a human: it asks people beside the answer. When it
 * throws, the connection is refused.
 */
export interface EgressGate {
  decide(conversation: string, request: HostRequest): Promise<EgressDecision>;
}

/** A host that a conversation's workspace was refused. Equal ones within a second are counted in one. */
export interface Refusal extends HostPort {
  readonly at: number;
  readonly count: number;
  /** "policy": the gate refused. "address": its address may not be reached. "limit": a limit of the thread. */
  readonly because: "policy" | "address" | "limit";
  readonly reason: string;
  readonly program?: string;
}

export const HostUsage = HostPort.extend({
  connections: z.int().min(0),
  bytesUp: z.number().min(0),
  bytesDown: z.number().min(0),
});
export type HostUsage = Readonly<z.infer<typeof HostUsage>>;

/** One connection that has ended. */
export interface ConnectionReport extends HostPort {
  readonly conversation: string;
  /** The one that was checked and connected to. */
  readonly address: string;
  readonly openedAt: number;
  readonly bytesUp: number;
  readonly bytesDown: number;
  /** Absent where both sides ended it. */
  readonly error?: string;
}

export interface EgressLimits {
  /** In both directions together, since the workspace was made. */
  readonly bytes: number;
  /** Open at the same time. */
  readonly connections: number;
  /** In both directions together. */
  readonly bytesPerSecond: number;
}

/** What happened on the network of this process's workspaces. Tool results, `status`, `net` and the audit ask it. */
export interface Egress {
  readonly limits: EgressLimits;
  /** Refusals since a moment (Date.now() of the call's start), oldest first. At most 100 are kept for a conversation. */
  refusals(conversation: string, since: number): readonly Refusal[];
  /** Every host that the conversation has connected to, most bytes first. Kept across restarts. */
  usage(conversation: string): Promise<readonly HostUsage[]>;
  /** Told of every connection that has ended. Must not throw. The returned function ends it. */
  onConnection(listener: (report: ConnectionReport) => void): () => void;
  /** Cuts the open connections to hosts that the test picks, as a revoked permission must. */
  disconnect(conversation: string, isCut: (place: HostPort) => boolean): void;
}
