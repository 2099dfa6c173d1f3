import type { SlackApp } from "./app.ts";
import type { SlackEvents } from "./events.ts";
import type { SlackFaults } from "./faults.ts";
import type { ResponseUrls } from "./response-urls.ts";
import type { SocketMode } from "./socket-mode.ts";
import type { SlackTriggers } from "./triggers.ts";
import type { SlackWorld } from "./world.ts";

/** What a method of the Web API has to do with. */
export interface SlackServices {
  readonly world: SlackWorld;
  readonly app: SlackApp;
  readonly events: SlackEvents;
  readonly faults: SlackFaults;
  readonly triggers: SlackTriggers;
  readonly responseUrls: ResponseUrls;
  readonly socketMode: SocketMode;
  /** Uploads that were announced and not yet completed, by file id. */
  readonly uploads: Map<string, Upload>;
  /** `http://127.0.0.1:port` */
  readonly origin: string;
}

export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly length: number;
  bytes?: Uint8Array;
}
