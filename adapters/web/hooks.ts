import type { Presence } from "../../src/contract/actor.ts";
import type { ThreadId } from "../../src/contract/incoming.ts";
import type {
  CommandHelp,
  FileEntry,
  SettingShown,
  TerminalInfo,
  TimelineEntry,
} from "./protocol.ts";

/** Said to whoever asked, word for word. Anything else that a hook throws is only logged. */
export class HookRefusal extends Error {
  override readonly name = "HookRefusal";
}

/** Who asks, and about which thread. Whoever answers decides whether they may. */
export interface Asker {
  readonly presence: Presence;
  readonly thread: ThreadId;
}

/** What the page shows beside the conversation. Where one is missing, the page leaves its place out. */
export interface WebHooks {
  /** One line for the foot of the page: the model, or that there is none. */
  status?(): string;
  /** For the completion of slash commands. */
  commands?(): readonly CommandHelp[];
  readonly terminal?: {
    list(asker: Asker): Promise<readonly TerminalInfo[]>;
    /** Resolves when the terminal has ended or the signal aborts; waits for each `onOutput`. */
    follow(asker: Asker, terminal: string, options: FollowTerminal): Promise<void>;
    /** One line or key, as a human's own. */
    sendInput?(asker: Asker, terminal: string, input: string): Promise<void>;
    resize?(
      asker: Asker,
      terminal: string,
      size: { readonly rows: number; readonly cols: number },
    ): Promise<void>;
  };
  readonly files?: {
    list(asker: Asker, path: string): Promise<readonly FileEntry[]>;
    download(
      asker: Asker,
      path: string,
    ): Promise<{ readonly name: string; readonly bytes: Uint8Array | ReadableStream<Uint8Array> }>;
  };
  /** The newest first, `limit` of those before the record with that number. */
  timeline?(
    asker: Asker,
    page: { readonly before?: number; readonly limit: number },
  ): Promise<readonly TimelineEntry[]>;
  readonly settings?: {
    read(asker: Asker): Promise<readonly SettingShown[]>;
    change(asker: Asker, name: string, value: SettingShown["value"]): Promise<void>;
  };
}

interface FollowTerminal {
  readonly fromIndex: number;
  readonly signal: AbortSignal;
  readonly onOutput: (piece: {
    readonly fromIndex: number;
    readonly text: string;
    readonly ended: boolean;
  }) => Promise<void>;
}
