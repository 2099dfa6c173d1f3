import type { terminalOperations } from "../../../src/contract/tools/terminal-operations.ts";
import type { Handlers } from "../handlers.ts";
import type { ServerSettings } from "../settings.ts";
import { commandHandlers } from "./command-handlers.ts";
import { TerminalManager } from "./manager.ts";
import { sessionHandlers } from "./session-handlers.ts";

/** Everything that runs in a workspace: what the model may ask for, and what people and the bot may. */
export class Terminals extends TerminalManager {
  readonly handlers: Handlers<typeof terminalOperations>;

  constructor(settings: ServerSettings) {
    super(settings);
    this.handlers = { ...commandHandlers(settings, this), ...sessionHandlers(settings, this) };
  }

  /** How many background commands have something that still runs. */
  backgroundRunning(): number {
    return this.background.running.length;
  }
}

export function createTerminals(settings: ServerSettings): Terminals {
  return new Terminals(settings);
}
