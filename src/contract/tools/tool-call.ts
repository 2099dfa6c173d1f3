import { z } from "zod";
import type { DeepReadonly } from "../../lib/deep-readonly.ts";
import type { ApprovedRun } from "../workspace/approved-run.ts";
import type { Shell } from "../workspace/shell.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { ErrorKind, type Tool } from "./operation.ts";

/** How many steps a turn may take, and how many it has taken. */
export interface StepBudget {
  readonly used: number;
  readonly maximum: number;
  /** Takes effect in the running turn. The caller has checked that it is more than `maximum`. */
  raise(maximum: number): void;
}

/** What a call knows of the world around it. */
export interface ToolContext {
  readonly conversation: string;
  /** The model's id of the call, or one of ours. Unique within the conversation. */
  readonly callId: string;
  readonly sessionId: string;
  readonly timestamp: string;
  /** Who is behind the turn; absent for a turn that no human began. */
  readonly userId?: string;
  /** Everybody else whose words went into the turn so far. */
  readonly contributors?: readonly string[];
  /** True only for what a human triggered directly, never because a turn began with a mention. */
  readonly isUserInitiated: boolean;
  /** True when nobody sits at the other end who could answer a question. */
  readonly isExternalCall: boolean;
  readonly requestText?: string;
  readonly workingDirectory?: string;
  /** Whose memory is used: the conversation itself, or the topic it shares. */
  readonly scope: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** For people who wait: what it is doing, and how far it is (0 to 1). */
  readonly progress: (message: string, fraction?: number) => void;
  /** Opened when first needed. */
  readonly workspace: () => Promise<Workspace>;
  /** Why this turn's checkpoint does not keep all of the workspace; resolves to undefined, or is absent, where it does. */
  readonly checkpointGap?: () => Promise<string | undefined>;
  /** Absent where the number of steps cannot be raised. */
  readonly steps?: StepBudget;
  /** What the guard has said. Absent while it is still deciding. */
  readonly permission?: Permission;
}

/** As whom a call may run, and which paths were looked at for it: the workspace refuses to use others. */
export interface Permission {
  /** Set for what was approved, to run in a server of its own; absent for what runs unasked. */
  readonly as?: "agent" | "root";
  /** How an approved command has to run. */
  readonly run?: ApprovedRun;
  readonly paths?: readonly string[];
  /** The shell of the terminal that it may use; bash when left out. */
  readonly shell?: Shell;
}

/** What an operation gives back when it has worked. What went wrong is thrown as a ToolError. */
export interface Answer {
  /** What the model reads. */
  readonly text: string;
  readonly mimeType?: "text/plain" | "application/json";
  /** The same for programs. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A tool that can be called. `run` is given parameters that its own schema has parsed. */
export interface RunnableTool {
  readonly definition: Tool;
  /** A tool that cannot be made ready throws, and is left out. */
  initialize?(): Promise<void>;
  run(
    operation: string,
    params: Readonly<Record<string, unknown>>,
    context: ToolContext,
  ): Promise<Answer>;
}

/** Why a call may not run yet, and how the model can ask for it by itself. */
export const AuthorizationNeeded = z.object({
  operationKey: z.string(),
  reason: z.string(),
  suggestedPrompt: z.string(),
});
export type AuthorizationNeeded = z.infer<typeof AuthorizationNeeded>;

const ProgressKind = z.enum([
  "toolStarted",
  "toolCompleted",
  "toolFailed",
  "progress",
  "userMessage",
]);

export const Display = z.object({
  action: z.string(),
  actionDisplayName: z.string(),
  summary: z.string().optional(),
  details: z.array(z.string()).optional(),
  status: z.enum(["queued", "running", "success", "error", "userInputRequired"]),
  icon: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type Display = z.infer<typeof Display>;

export const ProgressEvent = z.object({
  kind: ProgressKind,
  toolName: z.string(),
  callId: z.string(),
  parentToolName: z.string().optional(),
  display: Display.optional(),
  status: z.string().optional(),
  message: z.string().optional(),
  details: z.array(z.string()).optional(),
  timestamp: z.string(),
});
export type ProgressEvent = z.infer<typeof ProgressEvent>;

/** What became of one call, whatever became of it. */
export const ToolResult = z.object({
  toolName: z.string(),
  executionId: z.string(),
  callId: z.string(),
  success: z.boolean(),
  kind: ErrorKind.optional(),
  output: z.object({
    content: z.string(),
    mimeType: z.string().default("text/plain"),
    additionalData: z.record(z.string(), z.unknown()).default({}),
  }),
  metadata: z.object({
    timestamp: z.string(),
    version: z.literal("1.0"),
    additionalContext: z.record(z.string(), z.unknown()).default({}),
  }),
  performance: z.object({
    executionTimeMs: z.number(),
    memoryUsageBytes: z.number().optional(),
    networkRequestCount: z.number().optional(),
  }),
  progressEvents: z.array(ProgressEvent),
  requiresAuthorization: AuthorizationNeeded.optional(),
});
export type ToolResult = DeepReadonly<z.infer<typeof ToolResult>>;
