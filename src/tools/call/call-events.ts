import type { EventHub } from "../../contract/conversation/event.ts";
import { type Failure, short } from "../../contract/display.ts";
import type { RawArgs } from "../../contract/tools/operation.ts";
import type { Display, ProgressEvent } from "../../contract/tools/tool-call.ts";
import type { ToolRegistry } from "../registry.ts";
import type { Redaction } from "../results/tool-results.ts";
import type { PreparedCall } from "./prepare-call.ts";

/** Of a call that tells a lot, its result keeps the beginning and the latest. */
const KEPT_EVENTS = 100;

export interface CallEventsDeps {
  readonly registry: ToolRegistry;
  readonly events: EventHub;
  readonly redactor: Redaction;
}

/** Tells people of one call: that it began, what it is doing, and once how it ended. */
export class CallEvents {
  readonly #deps: CallEventsDeps;
  readonly #conversation: string;
  readonly #call: PreparedCall;
  readonly #parent: string | undefined;
  readonly #display: Omit<Display, "status">;
  readonly #told: ProgressEvent[] = [];

  constructor(
    deps: CallEventsDeps,
    call: PreparedCall,
    turn: { readonly conversation: string; readonly parentToolName?: string },
  ) {
    this.#deps = deps;
    this.#conversation = turn.conversation;
    this.#call = call;
    this.#parent = turn.parentToolName;
    this.#display = displayOf(deps, call);
  }

  /** What its result reports. */
  get told(): ProgressEvent[] {
    return this.#told;
  }

  /** What people see of it in one line. */
  get title(): string {
    return this.#display.actionDisplayName;
  }

  started(): void {
    this.#tell("toolStarted", "running");
  }

  progress(message: string, fraction?: number): void {
    const shown = this.#deps.redactor.redact(message);
    this.#tell("progress", "running", shown);
    if (fraction === undefined || !Number.isFinite(fraction)) return;
    this.#deps.events.post(this.#conversation, {
      type: "toolProgress",
      callId: this.#call.callId,
      progress: Math.min(1, Math.max(0, fraction)),
      message: shown,
    });
  }

  /** A human is asked; it has neither run nor ended. */
  waiting(reason: string): void {
    this.#tell("progress", "userInputRequired", reason);
  }

  completed(): void {
    this.#tell("toolCompleted", "success");
  }

  failed({ words, output }: Failure): void {
    this.#tell("toolFailed", "error", words ?? output, words === undefined ? undefined : [words]);
  }

  /** Something broke that the log knows more about; the turn goes on. */
  broke(message: string): void {
    const { callId } = this.#call;
    this.#deps.events.post(this.#conversation, {
      type: "toolError",
      callId,
      error: message,
      recoverable: true,
    });
  }

  #tell(
    kind: ProgressEvent["kind"],
    status: Display["status"],
    message?: string,
    details?: string[],
  ): void {
    const event: ProgressEvent = {
      kind,
      toolName: this.#call.toolName,
      callId: this.#call.callId,
      ...(this.#parent !== undefined && { parentToolName: this.#parent }),
      display: { ...this.#display, status },
      status,
      ...(message !== undefined && { message }),
      ...(details !== undefined && { details }),
      timestamp: new Date().toISOString(),
    };
    if (this.#told.length >= KEPT_EVENTS) this.#told.splice(KEPT_EVENTS / 2, 1);
    this.#told.push(event);
    this.#deps.events.post(this.#conversation, { type: "tool", event });
  }
}

function displayOf(deps: CallEventsDeps, { toolName, operation, args }: PreparedCall) {
  const found =
    operation === undefined
      ? undefined
      : deps.registry.get(toolName)?.tool.definition.operations[operation];
  const clean = (text: string) => deps.redactor.redact(text);
  const generic = short([toolName, operation].filter(Boolean).join(": "), 80) ?? "tool";
  // Before a line is cut out of them: half a secret is not found.
  const shown = deps.redactor.redactDeep(beginnings(args));
  const line = quietly(() => found?.line(shown));
  const details = quietly(() => found?.details?.(shown)) ?? [];
  return {
    action: operation ?? toolName,
    actionDisplayName: line || clean(generic),
    ...(details.length > 0 && { details }),
  };
}

/** No line for people shows more than this of an argument, which may be a file of many megabytes. */
const SHOWN_ARGUMENT_CHARS = 4_096;

function beginnings(args: RawArgs): RawArgs {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === "string" ? value.slice(0, SHOWN_ARGUMENT_CHARS) : value,
    ]),
  );
}

// A line for people must never cost a call: whatever it trips over, the tool's name is shown instead.
function quietly<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
