import { randomBytes } from "node:crypto";
import type { WebSocket } from "ws";
import type { Fields } from "./values.ts";

/** One event on its way to an app. */
export interface Dispatch {
  readonly type: string;
  /** One of these intents is needed; 0: none. */
  readonly intents: number;
  /** What it says, to somebody with these intents. */
  readonly data: (intents: number) => Fields;
}

/** The number of a shard, and how many there are. */
export type Shard = readonly [id: number, count: number];

/** What an app has of the gateway beyond one connection: it can come back and hear what it missed. */
export class Session {
  readonly id = randomBytes(16).toString("hex");
  readonly intents: number;
  readonly shard: Shard;
  connection: WebSocket | undefined;
  readonly #sent: { readonly s: number; readonly t: string; readonly d: Fields }[] = [];
  #sequence = 0;

  constructor(intents: number, shard: Shard, connection: WebSocket) {
    this.intents = intents;
    this.shard = shard;
    this.connection = connection;
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** What belongs to no guild goes to the first: docs.discord.com/developers/events/gateway#sharding */
  isAbout(guildId: string | undefined): boolean {
    const [id, count] = this.shard;
    if (guildId === undefined) return id === 0;
    return Number((BigInt(guildId) >> 22n) % BigInt(count)) === id;
  }

  /** Kept also while nobody is connected. Whether this app may hear of it at all. */
  dispatch({ type, intents, data }: Dispatch): boolean {
    if (intents !== 0 && (this.intents & intents) === 0) return false;
    this.#sequence += 1;
    const event = { s: this.#sequence, t: type, d: data(this.intents) };
    this.#sent.push(event);
    this.#send(event);
    return true;
  }

  /** Everything after this sequence number, and that it is done. */
  replay(connection: WebSocket, after: number): void {
    this.connection = connection;
    for (const event of this.#sent.filter(({ s }) => s > after)) this.#send(event);
    this.dispatch({ type: "RESUMED", intents: 0, data: () => ({}) });
  }

  #send({ s, t, d }: { s: number; t: string; d: Fields }): void {
    this.connection?.send(JSON.stringify({ op: 0, s, t, d }));
  }
}
