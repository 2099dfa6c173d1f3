import type { Duplex } from "node:stream";
import type {
  ConnectionReport,
  Egress,
  EgressGate,
  EgressLimits,
  HostPort,
  HostUsage,
  Refusal,
} from "../contract/network.ts";
import type { Documents } from "../contract/store.ts";
import type { TunnelHost, TunnelService } from "../contract/workspace/tunnel.ts";
import type { Connector } from "./connector.ts";
import { Traffic } from "./traffic.ts";
import { TunnelSession } from "./tunnel-session.ts";

interface EgressOptions {
  readonly gate: EgressGate;
  readonly connector: Connector;
  readonly limits: EgressLimits;
  /** Where the usage of conversations is kept. */
  readonly documents: Documents;
  readonly log: (level: "warn", message: string, fields?: Record<string, unknown>) => void;
}

const SAVE_EVERY_MS = 5_000;

/** The network of all workspaces of this process: serves their tunnels and knows what went through them. */
export class WorkspaceEgress implements Egress, TunnelHost, AsyncDisposable {
  readonly limits: EgressLimits;
  readonly #options: EgressOptions;
  readonly #traffic = new Map<string, Traffic>();
  readonly #sessions = new Map<TunnelService, string>();
  readonly #listeners = new Set<(report: ConnectionReport) => void>();
  readonly #saving: NodeJS.Timeout;

  constructor(options: EgressOptions) {
    this.#options = options;
    this.limits = options.limits;
    this.#saving = setInterval(() => void this.#save(), SAVE_EVERY_MS).unref();
  }

  serve(conversation: string, stream: Duplex): TunnelService {
    const { gate, connector, log } = this.#options;
    const parts = {
      conversation,
      gate,
      connector,
      traffic: this.#trafficOf(conversation),
      onReport: (report: ConnectionReport) => {
        for (const listener of this.#listeners) listener(report);
      },
      log: (message: string, fields: Record<string, unknown>) => log("warn", message, fields),
    };
    const session = new TunnelSession(stream, parts, this.limits);
    this.#sessions.set(session, conversation);
    void session.ended.then(() => this.#sessions.delete(session));
    return session;
  }

  forget(conversation: string): void {
    this.#trafficOf(conversation).restartLimit();
  }

  refusals(conversation: string, since: number): readonly Refusal[] {
    return this.#traffic.get(conversation)?.refusalsSince(since) ?? [];
  }

  usage(conversation: string): Promise<readonly HostUsage[]> {
    return this.#trafficOf(conversation).usage();
  }

  onConnection(listener: (report: ConnectionReport) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  disconnect(conversation: string, isCut: (place: HostPort) => boolean): void {
    const reason = new Error("The permission for this host was revoked.");
    for (const connection of this.#traffic.get(conversation)?.open ?? []) {
      if (isCut(connection)) connection.cut(reason);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#saving);
    const sessions = [...this.#sessions.keys()];
    for (const session of sessions) session.close("Deckhand is shutting down.");
    await Promise.all(sessions.map(({ ended }) => ended));
    await this.#save();
  }

  #trafficOf(conversation: string): Traffic {
    const known = this.#traffic.get(conversation);
    if (known) return known;
    const fresh = new Traffic(this.#options.documents, conversation, this.limits);
    fresh.loaded.catch(() => this.#traffic.delete(conversation)); // the next one asks the store again
    this.#traffic.set(conversation, fresh);
    return fresh;
  }

  /** What a conversation no longer uses is only in the store from then on. */
  async #save(): Promise<void> {
    const served = new Set(this.#sessions.values());
    for (const [conversation, traffic] of this.#traffic) {
      if (!served.has(conversation) && traffic.isForgettable(Date.now())) {
        this.#traffic.delete(conversation);
        continue;
      }
      await traffic.save().catch((error: unknown) => {
        this.#options.log("warn", "Failed to save a thread's network usage.", {
          conversation,
          error,
        });
      });
    }
  }
}
