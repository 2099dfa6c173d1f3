import { z } from "zod";
import type { ForeignOperation } from "./foreign-tool.ts";

/** The five kinds of failure, named by what went wrong with the call. */
export const ErrorKind = z.enum([
  "toolNotFound",
  "invalidParameters",
  "executionFailed",
  "timeout",
  "permissionDenied",
]);
export type ErrorKind = z.infer<typeof ErrorKind>;

/**
 * What every operation answers. A failure has the same shape as a success, with `kind` and a
 * `message` that says what to do next.
 */
export const OperationResult = z.looseObject({
  success: z.boolean(),
  kind: ErrorKind.optional(),
  message: z.string().optional(),
  /** "unknown": the call had started, but nobody can say how it ended. It is never repeated by itself. */
  outcome: z.literal("unknown").optional(),
  /** Something people should know beside the result, e.g. that the shell was started anew. */
  notice: z.string().optional(),
});
export type OperationResult = z.infer<typeof OperationResult>;

/** A failure whose text is written for whoever made the call, and says how to repair it. */
export class ToolError extends Error {
  readonly kind: ErrorKind;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    kind: ErrorKind,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "ToolError";
    this.kind = kind;
    this.details = details;
  }
}

/** The result that a thrown ToolError stands for. */
export function failed(error: ToolError): OperationResult {
  return { success: false, kind: error.kind, message: error.message, ...error.details };
}

/** Whether a human is asked: never, outside the workspace, or always. The operator may raise or lower it. */
export type OperationLevel = "safe" | "standard" | "elevated";

/** What an operation does, in one word. */
type Category =
  | "thought"
  | "people"
  | "conversation"
  | "memory"
  | "todo"
  | "read"
  | "search"
  | "write"
  | "command"
  | "session"
  | "build"
  | "document"
  | "web"
  | "image"
  | "foreign";

/**
 * How a call stands to the others of its step: beside them, one after another within the conversation,
 * or alone, with everything else waiting for it.
 */
export type Execution = "parallel" | "serial" | "blocking";

/** Arguments as the model gave them: nothing has been checked yet. */
export type RawArgs = Readonly<Record<string, unknown>>;

/** One verb of a tool: all that the model, the guard, the help and the cards know of it. */
export interface Operation<Params extends z.ZodObject = z.ZodObject> {
  readonly summary: string;
  readonly params: Params;
  /** Whether running it twice does harm: "unsafe" calls go through the workspace's ledger. */
  readonly repeat: "safe" | "unsafe";
  readonly level: OperationLevel;
  readonly category: Category;
  /** "parallel" when left out. */
  readonly execution?: Execution | ((args: RawArgs) => Execution);
  /** One line for people: "Reading file: notes.md". Never fails, whatever the arguments are. */
  readonly line: (args: RawArgs) => string;
  /** What stands below the line: "3 lines", "in the background". */
  readonly details?: (args: RawArgs) => string[];
  /** Set where an external server runs it. */
  readonly foreign?: ForeignOperation;
}

/** What the model may use: one name, and one or several operations. */
export interface Tool<Operations extends Record<string, Operation> = Record<string, Operation>> {
  readonly name: string;
  /** Its place among the tools that models are offered, smallest first: equal tools are equal bytes. Others come after. */
  readonly position?: number;
  readonly description: string;
  readonly operations: Operations;
  /** A tool for one purpose: its one operation bears the tool's name, and calls do not name it. */
  readonly single?: true;
}

/** Keeps the literal names of the operations, so that handlers are checked against them. */
export function defineTool<const Operations extends Record<string, Operation>>(
  tool: Tool<Operations>,
): Tool<Operations> {
  return tool;
}

export type OperationName<T extends Tool> = keyof T["operations"] & string;
export type ParamsOf<T extends Tool, Name extends OperationName<T>> = z.output<
  T["operations"][Name]["params"]
>;
