import { SimpleShardingStrategy } from "discord.js";
import type { Log } from "../../../src/lib/log.ts";
import { packetFault } from "./packets.ts";

/** How a shard of the library reads what comes over its line. */
interface Reading {
  unpackMessage(data: ArrayBuffer | string, isBinary: boolean): Promise<unknown>;
  onMessage(data: ArrayBuffer | string, isBinary: boolean): Promise<void>;
}

/**
 * Shards that drop packets which discord.js cannot read. By itself it reads them in promises without a listener, and one
 * `null` where it expects an object ends the process.
 */
export class CarefulShards extends SimpleShardingStrategy {
  readonly #log: Log;

  constructor(manager: ConstructorParameters<typeof SimpleShardingStrategy>[0], log: Log) {
    super(manager);
    this.#log = log;
  }

  override async spawn(shardIds: number[]): Promise<void> {
    await super.spawn(shardIds);
    // The library offers no other place before its own reading: a test holds that these two are still called.
    for (const [shard, reading] of this["shards"])
      guard(reading as unknown as Reading, shard, this.#log);
  }
}

function guard(reading: Reading, shard: number, log: Log): void {
  const unpack = reading.unpackMessage.bind(reading);
  const take = reading.onMessage.bind(reading);
  reading.unpackMessage = async (data, isBinary) => {
    const packet = await unpack(data, isBinary);
    const fault = packetFault(packet);
    if (fault === undefined) return packet;
    log("warn", "Dropped a malformed Discord gateway packet.", { shard, fault });
    return null;
  };
  reading.onMessage = async (data, isBinary) => {
    try {
      await take(data, isBinary);
    } catch (error) {
      const message = "Dropped a Discord gateway packet that could not be processed.";
      log("error", message, { shard, error });
    }
  };
}
