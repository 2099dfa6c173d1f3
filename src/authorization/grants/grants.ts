import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Grant, GrantScope } from "../../contract/permission/approval.ts";
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
  readonly seconds?: number;
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
    expiresAt: new Date(now.getTime() + seconds * 1000).toISOString(),
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
  const wanted = need.timedScope.kind === "directories" ? need.timedScope.directories : [];
  return wanted.length > 0 && wanted.every((one) => scope.directories.includes(one));
}
