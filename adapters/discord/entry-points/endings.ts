import type {
  APIChannel,
  GatewayThreadDeleteDispatchData,
  GatewayThreadUpdateDispatchData,
} from "discord.js";
import type { Log } from "../../../src/lib/log.ts";
import type { DiscordConnection } from "../connection/connection.ts";
import type { Receiving } from "../connection/receiving.ts";
import { common } from "../inbound.ts";
import type { DiscordPeople } from "../places/people.ts";
import type { DiscordPlaces } from "../places/places.ts";
import { timeOf } from "../thread.ts";

export interface EndingParts {
  readonly connection: DiscordConnection;
  readonly people: DiscordPeople;
  readonly places: DiscordPlaces;
  readonly receiving: Receiving;
  readonly log: Log;
}

/** Discord's clock and that of whoever closes a thread may differ. */
const SLEEP_TOLERANCE_MS = 5 * 60_000;

interface Ended {
  readonly id: string;
  readonly guild_id?: string | undefined;
  readonly parent_id?: string | null | undefined;
}

/** Tells of threads that somebody has closed or deleted. Discord does not say who. */
export class Endings {
  readonly #parts: EndingParts;

  constructor(parts: EndingParts) {
    this.#parts = parts;
  }

  async onThreadChange(thread: GatewayThreadUpdateDispatchData): Promise<void> {
    const { thread_metadata: state } = thread;
    if (!state?.archived || fellAsleep(thread)) return;
    await this.#onEnd(thread, `archived:${thread.id}:${Date.parse(state.archive_timestamp)}`);
  }

  async onThreadDeletion(thread: GatewayThreadDeleteDispatchData | Ended): Promise<void> {
    this.#parts.places.wasDeleted(thread.id);
    await this.#onEnd(thread, `deleted:${thread.id}`);
  }

  /** With a channel all its threads end. */
  async onChannelDeletion({ id }: Pick<APIChannel, "id">): Promise<void> {
    const { cache } = this.#parts.connection.client.channels;
    const threads = [...cache.values()].flatMap((one) =>
      one.isThread() && one.parentId === id ? [one] : [],
    );
    const ends = threads.map((one) =>
      this.onThreadDeletion({ id: one.id, parent_id: id, guild_id: one.guildId }),
    );
    await Promise.all(ends);
  }

  async #onEnd({ id: channel, guild_id, parent_id }: Ended, event: string): Promise<void> {
    if (!guild_id || !parent_id) return;
    const { people, receiving, log } = this.#parts;
    const place = { guild: guild_id, parent: parent_id, channel };
    try {
      await receiving.take(channel, event, async () => ({
        ...common(place, people.self(place)),
        ...{ id: event, at: new Date().toISOString(), type: "archived" },
      }));
    } catch (error) {
      log("error", "Failed to store that a Discord thread was closed.", { id: event, error });
    }
  }
}

/** A thread in which nothing happens is put away by Discord itself: nobody has closed it. */
function fellAsleep({
  thread_metadata: state,
  last_message_id: last,
}: GatewayThreadUpdateDispatchData): boolean {
  if (!state || !last) return false;
  const idleMs = Date.parse(state.archive_timestamp) - Date.parse(timeOf(last));
  return idleMs > (state.auto_archive_duration ?? 0) * 60_000 - SLEEP_TOLERANCE_MS;
}
