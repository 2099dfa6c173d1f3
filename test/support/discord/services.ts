import type { DiscordApp } from "./app.ts";
import type { Commands } from "./commands.ts";
import type { DiscordEvents } from "./events.ts";
import type { DiscordFaults } from "./faults.ts";
import type { Gateway } from "./gateway.ts";
import type { Interactions } from "./interactions.ts";
import type { Wire } from "./wire.ts";
import type { DiscordWorld } from "./world.ts";

/** What a route has to do with. */
export interface DiscordServices {
  readonly world: DiscordWorld;
  readonly app: DiscordApp;
  readonly wire: Wire;
  readonly events: DiscordEvents;
  readonly gateway: Gateway;
  readonly interactions: Interactions;
  readonly commands: Commands;
  readonly faults: DiscordFaults;
  /** `http://127.0.0.1:port` */
  readonly origin: string;
}
