import type { QueueWait } from "../../contract/workspace/workspace.ts";

/** On whose behalf a workspace runs. */
export interface Party {
  /** Undefined for a workspace that still runs since an earlier start of the bot. */
  readonly person?: string | undefined;
  readonly channel?: string | undefined;
}

/**
 * Who holds how much of the cap, and which share of it each person and each channel may hold while others wait: the cap
 * divided by the number of those that hold or want a workspace, at least one.
 */
export class FairShare {
  readonly #cap: number;
  readonly #persons: Tally;
  readonly #channels: Tally;

  constructor(cap: number, holders: readonly Party[], waiters: readonly Party[]) {
    this.#cap = cap;
    this.#persons = tallyOf("person", holders, waiters);
    this.#channels = tallyOf("channel", holders, waiters);
  }

  /** By how many workspaces the party would exceed its share with one more; 0 when it is entitled to one more. */
  excessWithOneMore(party: Party): number {
    return Math.max(0, this.excessOf(party) + 1);
  }

  /** By how many workspaces the party exceeds its share; negative when it holds less. */
  excessOf({ person, channel }: Party): number {
    return Math.max(
      this.#persons.excessOf(person, this.#cap),
      this.#channels.excessOf(channel, this.#cap),
    );
  }

  waitOf(party: Party, place: number): QueueWait {
    const wait = { place, cap: this.#cap };
    const { person, channel } = party;
    if (this.#persons.excessOf(person, this.#cap) >= 0)
      return { ...wait, person: this.#persons.heldBy(person) };
    if (this.#channels.excessOf(channel, this.#cap) >= 0)
      return { ...wait, channel: this.#channels.heldBy(channel) };
    return wait;
  }
}

/** A thread's id begins with that of its channel: platform, team and channel. */
export function channelOf(conversation: string): string {
  return conversation.split(":").slice(0, 3).join(":");
}

function tallyOf(kind: keyof Party, holders: readonly Party[], waiters: readonly Party[]): Tally {
  return new Tally(
    holders.map((one) => one[kind]),
    waiters.map((one) => one[kind]),
  );
}

class Tally {
  readonly #held = new Map<string, number>();
  readonly #contenders: number;

  constructor(holders: readonly (string | undefined)[], waiters: readonly (string | undefined)[]) {
    for (const one of holders) if (one !== undefined) this.#held.set(one, this.heldBy(one) + 1);
    const known = [...holders, ...waiters].filter((one) => one !== undefined);
    this.#contenders = Math.max(1, new Set(known).size);
  }

  heldBy(one: string | undefined): number {
    return one === undefined ? 0 : (this.#held.get(one) ?? 0);
  }

  /** An unknown one has no share to exceed. */
  excessOf(one: string | undefined, cap: number): number {
    if (one === undefined) return Number.NEGATIVE_INFINITY;
    return this.heldBy(one) - Math.max(1, Math.floor(cap / this.#contenders));
  }
}
