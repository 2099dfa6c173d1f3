import type { Presence } from "../../src/contract/platform/actor.ts";
import type { OpenForm } from "../../src/contract/platform/form-click.ts";
import type { ThreadId } from "../../src/contract/platform/incoming.ts";
import type {
  CommandHelp,
  SettingShown,
  TerminalInfo,
  TimelineEntry,
  WorkspaceFiles,
} from "./protocol.ts";

/** Said to whoever asked, word for word. Anything else that a hook throws is only logged. */
export class HookRefusedError extends Error {
  override readonly name = "HookRefusedError";
}

/** Who asks, and about which thread. Whoever answers decides whether they may. */
export interface Asker {
  readonly presence: Presence;
  readonly thread: ThreadId;
}

/** What this platform itself has to ask about, before it changes anything of its own. */
export type WebAct = "talk" | "command";

/** What the page shows beside the conversation. Where one is missing, the page leaves its place out. */
export interface WebHooks {
  /** Asked before a button's form opens. Without it, every form opens. */
  readonly openForm?: OpenForm;
  /** Throws a HookRefusedError where they may not. Without it, whoever has a token may. */
  assertMay?(presence: Presence, act: WebAct): void;
  /** One line for the foot of the page: the model, or that there is none. */
  status?(): string;
  /** For the completion of slash commands. */
  commands?(): readonly CommandHelp[];
  readonly terminal?: {
    list(asker: Asker): Promise<readonly TerminalInfo[]>;
    /** Resolves when the terminal has ended or the signal aborts; waits for each `onOutput`. */
    follow(asker: Asker, terminal: string, options: FollowTerminal): Promise<void>;
    resize?(
      asker: Asker,
      terminal: string,
      size: { readonly rows: number; readonly cols: number },
    ): Promise<void>;
  };
  readonly files?: {
    /** Wakes no workspace. */
    list(asker: Asker, path: string): Promise<WorkspaceFiles>;
    wake(asker: Asker): Promise<void>;
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

export interface FollowTerminal {
  readonly fromIndex: number;
  readonly signal: AbortSignal;
  readonly onOutput: (piece: {
    readonly fromIndex: number;
    readonly text: string;
    /** Where the next piece begins, when what is shown is not as long as what was printed. */
    readonly nextIndex?: number;
    readonly ended: boolean;
  }) => Promise<void>;
}

/** Typing is a command like any other: whoever knows the word can be typed to. */
export function canType({ terminal, commands }: WebHooks): boolean {
  return terminal !== undefined && (commands?.() ?? []).some(({ name }) => name === "terminal");
}
