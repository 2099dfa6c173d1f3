import { OperatorError } from "../../lib/operator-error.ts";
import type { PathUse } from "../paths-of.ts";
import type { OperationResult } from "../tools/operation.ts";
import type { ApprovedRun, ChangedPath, Inspection, PushQuestion } from "./approved-run.ts";
import type { Census, OutputPiece, ResolvedPath, TerminalInfo, WorkspaceState } from "./channel.ts";
import type {
  CheckpointDiff,
  CheckpointInfo,
  CheckpointList,
  RestoreReport,
} from "./checkpoints.ts";
import type { RecordedTerminal } from "./recorded-terminal.ts";
import type { Shell } from "./shell.ts";

/** A workspace or its engine cannot do what it should. People in the thread may read the message, which says what to do. */
export class WorkspaceError extends OperatorError {
  override readonly name: string = "WorkspaceError";
}

/** One use of an operation that runs in a workspace. The same id never runs twice. */
export interface WorkspaceCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /**
   * Set for an approved call: it runs in a server of its own, out of the workload's reach. "root" keeps root's rights,
   * "agent" is for run_command alone and drops them for the command. Absent: the workspace's own server runs it.
   */
  readonly as?: "agent" | "root";
  /** How an approved command has to run. */
  readonly run?: ApprovedRun;
  /** Where the guard saw its paths lead: writes that would lead elsewhere by now are refused. */
  readonly checkedPaths?: readonly string[];
  /** The terminal that it uses, where that is not the conversation's own. */
  readonly terminal?: CallTerminal;
  /** The shell that its command was judged for; bash when left out. */
  readonly shell?: Shell;
  /** The person who asked for it, as a commit names them. */
  readonly requester?: string;
}

/** A terminal beside the conversation's own: its session id, and where it starts, relative to the workspace. */
export interface CallTerminal {
  readonly name: string;
  readonly directory: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Must not throw. */
  readonly onProgress?: (progress: CallProgress) => void;
}

interface CallProgress {
  /** The latest output, cut to what a person wants to see while waiting. */
  readonly message: string;
}

/** One path that a call names, what the call would do there, and where it really leads. */
export interface PathEffect extends PathUse, Omit<ResolvedPath, "path"> {
  readonly resolved: string;
}

export interface CodeQuestion {
  readonly directory: string;
  readonly paths: readonly string[];
  /** Directories whose git repositories' settings are wanted. */
  readonly git: readonly string[];
  /** Pushes about which git is asked. */
  readonly pushes?: readonly PushQuestion[];
  /** Paths that root would change. */
  readonly changed?: readonly ChangedPath[];
}

/** A thread's container, its volumes and its server. */
export interface Workspace {
  readonly id: string;
  readonly conversation: string;
  /** Where it is not the whole that somebody works in: the absolute path of what is theirs. Writes beyond it are asked about. */
  readonly directory?: string;
  /** The session id of their terminal, where that is not the conversation's own. */
  readonly terminal?: string;
  /** Never throws for what the call did; rejects only when the workspace cannot be had at all. */
  call(call: WorkspaceCall, options?: CallOptions): Promise<OperationResult>;
  /**
   * Ends a call that somebody else may have begun, and answers with what became of it once nothing of it runs any more.
   * One that has not begun never will.
   */
  cancel(call: Pick<WorkspaceCall, "id" | "as">): Promise<OperationResult>;
  /** Every path of a call, links resolved. Throws a ToolError when its arguments make no sense. */
  pathsOf(call: WorkspaceCall): Promise<PathEffect[]>;
  /** The files that a command would execute, looked at as root. Throws a ToolError when that fails. */
  inspectCode(question: CodeQuestion): Promise<Inspection>;
  census(): Promise<Census>;
  state(): Promise<WorkspaceState>;
  terminals(): Promise<TerminalInfo[]>;
  resize(sessionId: string, size: { rows: number; cols: number }): Promise<void>;
  killAll(): Promise<Census>;
  /** Pushes a terminal's output from an index on until the signal aborts or the terminal ends. */
  follow(sessionId: string, options: FollowOptions): Promise<void>;
  /** Unpacks a tar stream below a directory of the workspace, owned by its user. */
  upload(tar: NodeJS.ReadableStream, directory: string): Promise<void>;
  /** A tar stream of one path. */
  download(path: string): Promise<NodeJS.ReadableStream>;
  readonly checkpoints: WorkspaceCheckpoints;
}

/** For what changes something: after a crash, the same id again answers with what became of it. */
interface CheckpointCall extends CallOptions {
  readonly callId: string;
}

/**
 * Kept states of all files in the workspace, out of the workload's reach. These throw a ToolError for what went wrong;
 * its details say when the outcome is unknown, and then the same restore under a new id completes it.
 */
export interface WorkspaceCheckpoints {
  /** Keeps everything as it is now. */
  create(call: CheckpointCall & { readonly label?: string }): Promise<CheckpointInfo>;
  list(options?: CallOptions): Promise<CheckpointList>;
  /** What happened since a checkpoint, up to now or to another one. */
  diff(checkpoint: string, options?: CheckpointDiffOptions): Promise<CheckpointDiff>;
  /** Brings back everything, or one path. What was there before is kept as a checkpoint as well. */
  restore(
    checkpoint: string,
    call: CheckpointCall & { readonly path?: string },
  ): Promise<RestoreReport>;
}

interface CheckpointDiffOptions extends CallOptions {
  readonly against?: string;
  readonly paths?: readonly string[];
}

export interface FollowOptions {
  readonly fromIndex: number;
  readonly signal: AbortSignal;
  /** The next piece is sent once this has settled: a slow reader slows the terminal, never fills memory. */
  readonly onOutput: (piece: OutputPiece) => void | Promise<void>;
}

export interface OpenOptions {
  /** Fencing token of the caller's hold on the conversation. */
  readonly fence: number;
  readonly signal?: AbortSignal;
  /** The person on whose behalf it is opened: their share of the cap counts. */
  readonly requester?: string | undefined;
  /** Called when the cap on live workspaces makes this one wait, and whenever its place changes. */
  readonly onQueued?: (wait: QueueWait) => void;
}

/** A request's place in the queue, and how many workspaces its person or channel holds where that is a full share. */
export interface QueueWait {
  readonly place: number;
  readonly cap: number;
  readonly person?: number;
  readonly channel?: number;
}

/** All workspaces of this bot. */
export interface Workspaces {
  /** Resolves once the conversation's workspace answers; made, woken or taken from the pool as needed. */
  open(conversation: string, options: OpenOptions): Promise<Workspace>;
  /** Removes the container and all its files; the next open makes a new one. */
  reset(conversation: string): Promise<void>;
  /** Exempts a workspace from retention, or takes that back. */
  keep(conversation: string, keep: boolean): Promise<void>;
  list(): Promise<WorkspaceSummary[]>;
  /** What its terminals have shown, also while it sleeps or after it was lost. Does not wake it. A reset removes this. */
  recordedTerminals(conversation: string): Promise<RecordedTerminal[]>;
  /** Lets go of everything; workspaces and their terminals live on for the next start. */
  close(): Promise<void>;
}

export interface WorkspaceSummary {
  readonly conversation: string;
  readonly workspace: string;
  readonly state: "running" | "stopped" | "absent";
  /** It runs, but its server does not answer the engine's health checks. */
  readonly isUnhealthy?: boolean;
  readonly lastUsedAt: string;
  readonly keep: boolean;
}
