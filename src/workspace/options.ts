import type { HealthTimes } from "./docker/container-spec.ts";
import type { WorkspaceSettings } from "./settings.ts";

type LogLevel = "debug" | "info" | "warn" | "error";

/** Must not throw. */
export type Log = (level: LogLevel, message: string, fields?: Record<string, unknown>) => void;

/** What the workspaces are made from. */
export interface WorkspacesOptions {
  readonly settings: WorkspaceSettings;
  /** A directory of the bot's own, for the records. */
  readonly dataDir: string;
  /** Content of the image's seccomp profile, as JSON text. */
  readonly seccomp: string;
  readonly log: Log;
  /** Masks secrets in terminal output before it is recorded. */
  readonly redact: (text: string) => string;
  /** The image of a conversation's workspace, where it is not that of the settings. */
  readonly imageOf?: (conversation: string) => string | undefined;
  /** Called at named points around calls, so that a test can end the process exactly there. */
  readonly probe?: (point: string) => void;
  /** Age at which a volume that nothing refers to counts as left over. */
  readonly volumeGraceMs?: number;
  /** How long background work beyond its person's share may go on, after the last use, while others wait. */
  readonly backgroundGraceMs?: number;
  /** How often idle, expired and overfull workspaces are looked for. */
  readonly sweepEveryMs?: number;
  readonly health?: HealthTimes;
}
