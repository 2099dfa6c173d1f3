import { createHash } from "node:crypto";
import { createClient, defaultReconnectStrategy } from "@keyv/redis";
import { StoreError } from "../../contract/store.ts";
import type { RedisSettings } from "../settings.ts";
import { redisProblem } from "./problems.ts";

type RedisClient = ReturnType<typeof createClient>;

export interface Script {
  readonly source: string;
  readonly hash: string;
}

/** @param source Lua. */
export function script(source: string): Script {
  return { source, hash: createHash("sha1").update(source).digest("hex") };
}

/**
 * One connection, kept up by itself. Every question is answered, refused or given up within a bounded time, and what
 * goes wrong is thrown as a StoreError: without a connection nothing is queued for later.
 */
export class RedisConnection {
  readonly client: RedisClient;
  /** For messages. */
  readonly place: string;
  readonly #timeoutMs: number;
  #isClosed = false;

  private constructor({ url, timeoutMs }: RedisSettings) {
    this.place = `The Redis at ${withoutPassword(url)}`;
    this.#timeoutMs = timeoutMs;
    const socket = {
      connectTimeout: timeoutMs,
      // Ends a connection whose other side never answers the greeting. An idle one is kept up by pings.
      socketTimeout: 2 * timeoutMs,
      reconnectStrategy: defaultReconnectStrategy,
    };
    const path = /^unix:\/\/(.+)$/.exec(url)?.[1];
    this.client = createClient({
      ...(path ? { socket: { ...socket, path } } : { socket, url }),
      disableOfflineQueue: true,
      pingInterval: timeoutMs,
    }) as RedisClient;
    // Each question says itself what is wrong; without a listener the process would end.
    this.client.on("error", () => {});
  }

  static async open(settings: RedisSettings): Promise<RedisConnection> {
    const connection = new RedisConnection(settings);
    try {
      await connection.#connected();
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Runs a script by its hash; Redis is given the text only when it does not know it. */
  run(script: Script, keys: readonly string[], args: readonly (string | number)[]) {
    const options = { keys: [...keys], arguments: args.map(String) };
    return this.ask(async (client) => {
      try {
        return await client.evalSha(script.hash, options);
      } catch (error) {
        if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
        return await client.eval(script.source, options);
      }
    });
  }

  async ask<T>(question: (client: RedisClient) => Promise<T>): Promise<T> {
    if (this.#isClosed) {
      throw new StoreError("The store is closed.");
    }
    try {
      return await this.#bounded(question(this.client));
    } catch (error) {
      throw redisProblem(this.place, error);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.client.isOpen) this.client.destroy();
  }

  async #bounded<T>(answer: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(
        new StoreError(
          `${this.place} did not respond within ${this.#timeoutMs} ms: check it and the network. It is unknown whether the last write was stored.`,
        ),
      );
      this.#reconnect();
    }, this.#timeoutMs);
    try {
      return await Promise.race([answer, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** What comes on a connection that has once been silent comes too late for those who asked. */
  #reconnect(): void {
    if (this.#isClosed) return;
    if (this.client.isOpen) this.client.destroy();
    // It tries until it succeeds or is closed, and what goes wrong meanwhile is told to its listener.
    this.client.connect().catch(() => {});
  }

  /** The first connection is not waited for as long as later ones: the operator is watching. */
  async #connected(): Promise<void> {
    const failed = Promise.withResolvers<never>();
    this.client.once("error", failed.reject);
    const connecting = this.client.connect();
    connecting.catch(() => {});
    await this.ask(() => Promise.race([connecting, failed.promise]));
  }
}

function withoutPassword(url: string): string {
  return url.replace(/^(rediss?:\/\/)[^/]*@/, "$1");
}
