import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Grant, GrantScope } from "../../contract/permission/approval.ts";
import { OPEN_HOST, UNTIL_REVOKED } from "../../contract/permission/hosts.ts";
import type { Ledger } from "../approvals/ledger.ts";
import type { PeopleNeeded } from "../approvals/people-needed.ts";
import { DEFAULT_GRANT_SECONDS } from "./durations.ts";

/** What a call would need a grant for. */
export interface GrantNeed {
  readonly operation: string;
  readonly digest: string;
  /** Absent where only this very call may be granted. */
  readonly timedScope?: GrantScope | undefined;
  /** Nothing in it is outside what the workspace's user may write, nor sensitive. */
  readonly unprivileged: boolean;
  /** Whose word it takes. */
  readonly approvers?: PeopleNeeded;
}

export interface NewGrant {
  readonly operation: string;
  readonly scope: GrantScope;
  readonly approvers: readonly string[];
  readonly shown: string;
  /** "thread": until it is revoked. */
  readonly seconds?: number | "thread";
  readonly oneTime?: boolean;
}

/** One-time for five minutes unless something else is said. Its time starts now. */
export function newGrant(given: NewGrant, now: Date): Grant {
  const { seconds = DEFAULT_GRANT_SECONDS, oneTime = true, ...rest } = given;
  return {
    ...rest,
    id: randomUUID(),
    approvers: [...given.approvers],
    grantedAt: now.toISOString(),
    expiresAt:
      seconds === "thread" ? UNTIL_REVOKED : new Date(now.getTime() + seconds * 1000).toISOString(),
    oneTime,
  };
}

export interface ActiveGrant extends Grant {
  readonly secondsLeft: number;
}

/** The permissions that people have given in each conversation. */
export class Grants {
  readonly #ledger: Ledger;
  readonly #now: () => Date;

  constructor(ledger: Ledger, now: () => Date) {
    this.#ledger = ledger;
    this.#now = now;
  }

  give(conversation: string, given: NewGrant): Promise<Grant> {
    return this.#ledger.write(conversation, () => {
      const grant = newGrant(given, this.#now());
      return { lines: [{ kind: "grant.given", data: grant }], answer: grant };
    });
  }

  /** The grant that now serves this call. A one-time grant is used up by it, once among all processes. */
  use(conversation: string, need: GrantNeed, callId: string): Promise<Grant | undefined> {
    return this.#ledger.write<Grant | undefined>(conversation, ({ grants }) => {
      const now = this.#now();
      const grant = [...grants.values()].find(
        (one) => isValid(one, now) && serves(one, { ...need, callId }),
      );
      if (!grant?.oneTime) return { answer: grant };
      const data = { grant: grant.id, callId, digest: need.digest, at: now.toISOString() };
      return {
        lines: [{ kind: "grant.used", data }],
        claims: [`grant:${grant.id}`],
        answer: grant,
      };
    });
  }

  /** Those that hold now. */
  async list(conversation: string): Promise<ActiveGrant[]> {
    const { grants } = await this.#ledger.read(conversation);
    const now = this.#now();
    return [...grants.values()]
      .filter((grant) => isValid(grant, now))
      .map((grant) => ({
        ...grant,
        secondsLeft: (Date.parse(grant.expiresAt) - now.getTime()) / 1000,
      }));
  }

  /** The call has ended for which these had opened hosts. */
  closeHosts(
    conversation: string,
    { grants: ids, callId }: { readonly grants: readonly string[]; readonly callId: string },
  ): Promise<void> {
    return this.#ledger.write<void>(conversation, ({ grants }) => {
      const known = ids.filter((id) => grants.has(id));
      if (known.length === 0) return { answer: undefined };
      const data = { grants: known, callId, at: this.#now().toISOString() };
      return { lines: [{ kind: "host.closed", data }], answer: undefined };
    });
  }

  /** From here on nobody is asked about these hosts, and what had opened them holds no longer. */
  denyHosts(
    conversation: string,
    { hosts, by }: { readonly hosts: readonly string[]; readonly by: string },
  ): Promise<void> {
    return this.#ledger.write<void>(conversation, ({ grants }) => {
      const at = this.#now().toISOString();
      const ids = grantsOf(grants, hosts);
      return {
        lines: [
          { kind: "host.denied", data: { hosts: [...hosts], by, at } },
          ...(ids.length > 0
            ? [{ kind: "grant.revoked" as const, data: { grants: ids, by, at } }]
            : []),
        ],
        answer: undefined,
      };
    });
  }

  /** Opens hosts, and takes back what people had denied about them. */
  allowHosts(
    conversation: string,
    {
      hosts,
      by,
      seconds,
    }: {
      readonly hosts: readonly string[];
      readonly by: string;
      readonly seconds: number | "thread";
    },
  ): Promise<Grant> {
    return this.#ledger.write<Grant>(conversation, ({ deniedHosts }) => {
      const now = this.#now();
      const scope = { kind: "hosts" as const, hosts: [...hosts] };
      const shown = hosts.join(", ");
      const grant = newGrant(
        { operation: OPEN_HOST, scope, approvers: [by], shown, seconds, oneTime: false },
        now,
      );
      const denied = hosts.filter((host) => deniedHosts.has(host));
      return {
        lines: [
          ...(denied.length > 0
            ? [
                {
                  kind: "host.undenied" as const,
                  data: { hosts: denied, by, at: now.toISOString() },
                },
              ]
            : []),
          { kind: "grant.given", data: grant },
        ],
        answer: grant,
      };
    });
  }

  /** Forgets what people had permitted and denied about these hosts; without a list, about all. Answers them. */
  revokeHosts(
    conversation: string,
    { hosts, by }: { readonly hosts?: readonly string[]; readonly by: string },
  ): Promise<string[]> {
    return this.#ledger.write<string[]>(conversation, ({ grants, deniedHosts }) => {
      const at = this.#now().toISOString();
      const ids = grantsOf(grants, hosts);
      const denied = [...deniedHosts].filter((host) => hosts?.includes(host) ?? true);
      const opened = ids.flatMap((id) => hostsIn(grants.get(id)));
      if (ids.length + denied.length === 0) return { answer: [] };
      return {
        lines: [
          ...(ids.length > 0
            ? [{ kind: "grant.revoked" as const, data: { grants: ids, by, at } }]
            : []),
          ...(denied.length > 0
            ? [{ kind: "host.undenied" as const, data: { hosts: denied, by, at } }]
            : []),
        ],
        answer: [...new Set([...opened, ...denied])],
      };
    });
  }

  /** The command of a host's card runs again, once. False: somebody has done that before. */
  rerun(
    conversation: string,
    {
      approval,
      by,
      event,
    }: { readonly approval: string; readonly by: string; readonly event: string },
  ): Promise<boolean> {
    return this.#ledger.write<boolean>(conversation, ({ approvals }) => {
      const known = approvals.get(approval)?.rerun;
      if (known) return { answer: known.event === event };
      const data = { approval, by, event, at: this.#now().toISOString() };
      return {
        lines: [{ kind: "host.rerun", data }],
        claims: [`rerun:${approval}`],
        answer: true,
        otherwise: false,
      };
    });
  }

  /** Takes back those of one operation, or all, e.g. when the thread is closed. Answers how many there were. */
  revoke(
    conversation: string,
    { by, operation }: { readonly by: string; readonly operation?: string },
  ): Promise<number> {
    return this.#ledger.write<number>(conversation, ({ grants }) => {
      const now = this.#now();
      const ids = [...grants.values()]
        .filter((grant) => operation === undefined || grant.operation === operation)
        .filter((grant) => isValid(grant, now))
        .map(({ id }) => id);
      if (ids.length === 0) return { answer: 0 };
      const data = { grants: ids, by, at: now.toISOString() };
      return { lines: [{ kind: "grant.revoked", data }], answer: ids.length };
    });
  }
}

function hostsIn(grant: Pick<Grant, "scope"> | undefined): readonly string[] {
  return grant?.scope.kind === "hosts" ? grant.scope.hosts : [];
}

/** The grants that open one of these hosts; without a list, all that open any. */
function grantsOf(
  grants: ReadonlyMap<string, Pick<Grant, "id" | "scope">>,
  hosts: readonly string[] | undefined,
): string[] {
  return [...grants.values()]
    .filter((grant) => hostsIn(grant).some((host) => hosts?.includes(host) ?? true))
    .map(({ id }) => id);
}

/** At the instant of its expiry it is over. */
function isValid(grant: Grant, now: Date): boolean {
  return Date.parse(grant.expiresAt) > now.getTime();
}

function serves(grant: Grant, need: GrantNeed & { readonly callId: string }): boolean {
  if (grant.operation !== need.operation) return false;
  // Somebody who gave it for others may ask for the same now, and one person's word may not be enough for this call.
  const { count, barred } = need.approvers ?? { count: 1, barred: [] };
  if (grant.approvers.filter((one) => !barred.includes(one)).length < count) return false;
  const { scope } = grant;
  if (scope.kind === "call") return scope.digest === need.digest && scope.callId === need.callId;
  // What may only be granted call by call is never covered by anything wider.
  if (!need.timedScope) return false;
  if (scope.kind === "unprivileged") return need.unprivileged;
  if (scope.kind === "program") {
    return need.timedScope.kind === "program" && need.timedScope.program === scope.program;
  }
  if (scope.kind === "command") return isDeepStrictEqual(scope, need.timedScope);
  // Hosts are looked up where connections are decided, and permit no call.
  if (scope.kind === "hosts") return false;
  const wanted = need.timedScope.kind === "directories" ? need.timedScope.directories : [];
  return wanted.length > 0 && wanted.every((one) => scope.directories.includes(one));
}
