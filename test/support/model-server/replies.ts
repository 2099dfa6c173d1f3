/** What the scripted model does. Plain data, so that a script can stand in a JSON file. */
export interface Reply {
  readonly thoughts?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Why it ends; "calls" when there are calls, else "stop". */
  readonly finish?: "stop" | "calls" | "length" | "filtered";
  readonly usage?: Partial<ScriptedUsage>;
  readonly quirks?: readonly Quirk[];
  readonly fault?: Fault;
  /** Before the first byte. */
  readonly delayMs?: number;
  /** Nothing but keep-alive comments comes for so long, every few milliseconds. */
  readonly commentsForMs?: number;
  /** Between two events. */
  readonly paceMs?: number;
  /** How the bytes are cut, over and over. */
  readonly chunkSizes?: readonly number[];
}

export interface ScriptedCall {
  readonly name: string;
  /** Text goes out as it is, however broken. */
  readonly arguments: string;
  readonly id?: string;
  /** Opaque, to be given back (Gemini's thought signatures). */
  readonly extraContent?: Readonly<Record<string, unknown>>;
}

interface ScriptedUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

/** What servers that are only nearly compatible do. */
export type Quirk =
  | "noRole"
  | "noIndex"
  | "repeatedIndex"
  | "noIds"
  | "emptyIds"
  | "repeatedIds"
  | "idInEveryPiece"
  | "newIdInEveryPiece"
  | "splitNames"
  | "nameInEveryPiece"
  | "wholeCalls"
  | "argumentsAsObject"
  | "legacyFunctionCall"
  | "contentParts"
  | "messageInsteadOfDelta"
  | "reasoningField"
  | "noFinishReason"
  | "finishStop"
  | "noDone"
  | "noUsage"
  | "usageInEveryChunk"
  | "cacheHitTokens"
  | "comments"
  | "crlf"
  | "noSpaces"
  | "notStreamed"
  | "onlyCompleted"
  | "noAdded";

type Fault =
  | {
      readonly kind: "http";
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "disconnect"; readonly afterEvents: number }
  | { readonly kind: "end"; readonly afterEvents: number }
  | { readonly kind: "hang"; readonly afterEvents: number }
  | {
      readonly kind: "error";
      readonly afterEvents: number;
      readonly error: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "raw"; readonly contentType: string; readonly body: string };

type Options = Omit<Reply, "text" | "calls">;

export function say(text: string, options: Options = {}): Reply {
  return { text, ...options };
}

export function call(
  name: string,
  args: Readonly<Record<string, unknown>> | string,
  options: Options & { readonly id?: string; readonly text?: string } = {},
): Reply {
  const { id, ...rest } = options;
  return { calls: [scriptedCall(name, args, id)], ...rest };
}

/** Several calls in one step. */
export function calls(
  list: readonly (readonly [name: string, args: Readonly<Record<string, unknown>> | string])[],
  options: Options & { readonly text?: string } = {},
): Reply {
  return { calls: list.map(([name, args]) => scriptedCall(name, args)), ...options };
}

function scriptedCall(
  name: string,
  args: Readonly<Record<string, unknown>> | string,
  id?: string,
): ScriptedCall {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return { name, arguments: text, ...(id ? { id } : {}) };
}

/** An answer that is an error, in the form that OpenAI gives it. */
export function refuse(
  status: number,
  error: {
    readonly message: string;
    readonly code?: string | null;
    readonly type?: string;
    readonly param?: string | null;
  },
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const body = { error: { type: "invalid_request_error", param: null, code: null, ...error } };
  return { fault: { kind: "http", status, body, headers } };
}

/** `retryAfter` is the header as it stands: seconds or a date. */
export function rateLimited(retryAfter?: string): Reply {
  const error = {
    message: "Rate limit reached for requests. Please try again later.",
    type: "requests",
    code: "rate_limit_exceeded",
  };
  return refuse(429, error, retryAfter === undefined ? {} : { "retry-after": retryAfter });
}

export function serverError(status = 500): Reply {
  const message = "The server had an error while processing your request. Sorry about that!";
  return refuse(status, { message, type: "server_error" });
}

/** Sends a part of the reply, and then the line is dead. */
export function disconnect(reply: Reply, afterEvents: number): Reply {
  return { ...reply, fault: { kind: "disconnect", afterEvents } };
}

/** Sends a part of the reply and nothing more, without closing. With 0 not even headers come. */
export function hang(reply: Reply = say("never"), afterEvents = 0): Reply {
  return { ...reply, fault: { kind: "hang", afterEvents } };
}
