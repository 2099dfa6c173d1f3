import type { HostPort } from "../network.ts";

/** What holds for one host in a thread at this moment. */
export type HostState =
  | { readonly state: "open"; readonly place: HostPort }
  /** No one may open it from a card. */
  | { readonly state: "denied"; readonly place: HostPort; readonly reason: string }
  /** Nothing denies it, and no card can open it: it lies in a private network. */
  | { readonly state: "closed"; readonly place: HostPort; readonly reason: string }
  /** People may be asked. */
  | { readonly state: "unknown"; readonly place: HostPort }
  /** No host of that name can exist. */
  | { readonly state: "rejected"; readonly reason: string };

/** The hosts of a thread as they are when it is made: what is decided by it is decided on one state. */
export interface HostView {
  /** Any spelling of a host. */
  stateOf(host: string, port: number): HostState;
  /** Some host is open, so that what runs in the workspace can leave it. */
  readonly isAnyOpen: boolean;
}

/** What the guard asks about the network of a thread. */
export interface HostAccess {
  view(conversation: string): Promise<HostView>;
}

/** The operation of everything that opens a host: what the policy's approvers may be named for. */
export const OPEN_HOST = "network.open";

/** A grant with this end holds until it is revoked or its thread is archived. */
export const UNTIL_REVOKED = "9999-12-31T23:59:59.000Z";
