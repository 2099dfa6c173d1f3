import { z } from "zod";
import {
  type ConnectionReport,
  type EgressLimits,
  type HostPort,
  HostUsage,
  type Refusal,
} from "../contract/network.ts";
import type { Documents } from "../contract/store.ts";
import { authorityOf } from "./host-name.ts";
import { Pace } from "./pace.ts";

const MOST_REFUSALS = 100;
const MOST_HOSTS = 500;
const SAME_REFUSAL_MS = 1_000;
const FORGET_AFTER_MS = 60 * 60_000;

const Kept = z.object({
  hosts: z.array(HostUsage),
  /** Bytes that count towards the limit: since the workspace was made. */
  counted: z.number().min(0),
});

/** An open connection, as far as its conversation can end it. */
export interface OpenConnection extends HostPort {
  cut(reason: Error): void;
}

/** What one conversation's workspace has done on the network. */
export class Traffic {
  readonly #documents: Documents;
  readonly #conversation: string;
  readonly #limits: EgressLimits;
  readonly #hosts = new Map<string, { -readonly [Name in keyof HostUsage]: HostUsage[Name] }>();
  readonly #refusals: { first: Omit<Refusal, "count">; lastAt: number; count: number }[] = [];
  readonly #loaded: Promise<void>;
  readonly open = new Set<OpenConnection>();
  readonly pace: Pace;
  #counted = 0;
  #isChanged = false;
  #usedAt = Date.now();

  constructor(documents: Documents, conversation: string, limits: EgressLimits) {
    this.#documents = documents;
    this.#conversation = conversation;
    this.#limits = limits;
    this.pace = new Pace({ bytesPerSecond: limits.bytesPerSecond });
    this.#loaded = this.#load();
  }

  /** Resolves when the bytes of earlier runs count as well. Rejects where the store cannot tell. */
  get loaded(): Promise<void> {
    return this.#loaded;
  }

  /** Why the conversation may open no connection now, as a sentence. */
  get exhausted(): string | undefined {
    const { bytes, connections } = this.#limits;
    if (this.#counted >= bytes) {
      return (
        `This thread has used its network limit of ${inMegabytes(bytes)} MB. The operator can raise NETWORK_THREAD_MB; ` +
        "a reset of the workspace starts again at 0."
      );
    }
    if (this.open.size >= connections) {
      return `${connections} connections are open in this workspace, which is the limit. Close some and try again.`;
    }
    return undefined;
  }

  /** Counts bytes of an open connection; the returned reason means that it has to be cut. */
  count(place: HostPort, direction: "bytesUp" | "bytesDown", bytes: number): string | undefined {
    this.#hostOf(place)[direction] += bytes;
    this.#counted += bytes;
    this.#isChanged = true;
    return this.#counted > this.#limits.bytes ? this.exhausted : undefined;
  }

  connected(place: HostPort): void {
    this.#hostOf(place).connections += 1;
    this.#isChanged = true;
  }

  refused(refusal: Omit<Refusal, "at" | "count">): void {
    const at = Date.now();
    this.#usedAt = at;
    const same = this.#refusals.findLast(
      ({ first, lastAt }) =>
        authorityOf(first) === authorityOf(refusal) &&
        first.reason === refusal.reason &&
        at - lastAt < SAME_REFUSAL_MS,
    );
    if (same) {
      same.count += 1;
      same.lastAt = at;
      return;
    }
    this.#refusals.push({ first: { ...refusal, at }, lastAt: at, count: 1 });
    if (this.#refusals.length > MOST_REFUSALS) this.#refusals.shift();
  }

  refusalsSince(moment: number): readonly Refusal[] {
    return this.#refusals
      .filter(({ lastAt }) => lastAt >= moment)
      .map(({ first, count }) => ({ ...first, count }));
  }

  async usage(): Promise<readonly HostUsage[]> {
    this.#usedAt = Date.now();
    await this.#loaded;
    return [...this.#hosts.values()]
      .map((host) => ({ ...host }))
      .sort((a, b) => b.bytesUp + b.bytesDown - a.bytesUp - a.bytesDown);
  }

  /** The limit begins anew; what each host got is kept. */
  restartLimit(): void {
    this.#counted = 0;
    this.#isChanged = true;
  }

  /** Nothing has changed or been asked for a while, and everything is saved. */
  isForgettable(now: number): boolean {
    return !this.#isChanged && this.open.size === 0 && now - this.#usedAt > FORGET_AFTER_MS;
  }

  /** Writes what has changed. */
  async save(): Promise<void> {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    const hosts = (await this.usage()).slice(0, MOST_HOSTS);
    try {
      await this.#documents.set(this.#conversation, { hosts, counted: this.#counted });
    } catch (error) {
      this.#isChanged = true;
      throw error;
    }
  }

  async #load(): Promise<void> {
    const kept = Kept.safeParse(await this.#documents.get(this.#conversation));
    if (!kept.success) return; // none yet
    this.#counted += kept.data.counted;
    for (const host of kept.data.hosts) {
      const here = this.#hostOf(host);
      here.connections += host.connections;
      here.bytesUp += host.bytesUp;
      here.bytesDown += host.bytesDown;
    }
  }

  #hostOf({ host, port }: HostPort) {
    const key = authorityOf({ host, port });
    const known = this.#hosts.get(key);
    if (known) return known;
    const fresh = { host, port, connections: 0, bytesUp: 0, bytesDown: 0 };
    this.#hosts.set(key, fresh);
    return fresh;
  }
}

export type OnReport = (report: ConnectionReport) => void;

function inMegabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
