import { type Operation, type OperationLevel, ToolError } from "../tools/operation.ts";
import type { Permission, ToolContext } from "../tools/tool-call.ts";
import type { ApprovalQuestion } from "./approval.ts";
import type { Level } from "./level.ts";

/** A call that was understood and not yet allowed: what the guard looks at. */
export interface PlannedCall {
  /** Canonical: `file_operations.create_file`, or the tool's name where it has one operation. */
  readonly operationKey: string;
  readonly tool: string;
  readonly operation: string;
  readonly definition: Operation;
  readonly level: OperationLevel;
  /** Parsed: exactly what would run. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** On what ground a call was allowed; the audit keeps it. */
type Ground = "no-risk" | "policy" | "user-initiated" | "auto-approve" | "grant";

export type Verdict =
  | (Permission & {
      readonly outcome: "allowed";
      readonly reason: string;
      readonly ground?: Ground;
      /** Who permitted it: the author of a direct command, or those who approved. */
      readonly approvers?: readonly string[];
      /** The grant that was used. */
      readonly grant?: string;
      /** Run these instead of the call's own: the same with links resolved, as root insists on. */
      readonly params?: Readonly<Record<string, unknown>>;
    })
  | { readonly outcome: "denied"; readonly reason: string }
  | {
      readonly outcome: "ask";
      readonly reason: string;
      /** What to ask; absent where nobody could be asked about it. */
      readonly question?: ApprovalQuestion;
    };

export type Allowed = Extract<Verdict, { outcome: "allowed" }>;

/** What the guard sees of a call before it decides. */
export interface Preview {
  /** "denied": it may not run, whoever would approve it. */
  readonly level: Level | "denied";
  readonly reason: string;
  /** Every path of the call, links resolved. */
  readonly paths: readonly string[];
  /** The call's effect with those who could approve it, or why nobody could. Undefined: nobody is asked. */
  question(): Promise<Exclude<Verdict, Allowed> | undefined>;
}

/** Asked before every call, by every door. When it cannot decide it throws, and then nothing runs. */
export interface Guard {
  /** Looks at the call in its workspace. Consumes nothing. */
  preview(call: PlannedCall, context: ToolContext): Promise<Preview>;
  /** Decides on what `preview` has seen. Uses up a grant where one is needed. */
  decide(preview: Preview): Promise<Verdict>;
}

/** What `ToolContext.workspace` throws where this bot has no workspaces at all. */
export class NoWorkspaceError extends ToolError {
  constructor() {
    super("executionFailed", "This bot has no workspaces. The operator can set up Docker.");
  }
}
