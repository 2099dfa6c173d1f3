import type { Delivery } from "./events.ts";
import type { DiscordMessage } from "./world.ts";

interface GivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A message of somebody, and how the app was told. */
export interface Said {
  readonly message: DiscordMessage;
  readonly deliveries: readonly Delivery[];
}

export interface SayOptions {
  /** The bot is called by its name. */
  readonly mention?: boolean;
  readonly files?: readonly GivenFile[];
  readonly replyTo?: DiscordMessage;
}
