import { type JSONRPCMessage, parseJSONRPCMessage } from "@modelcontextprotocol/client";
import { z } from "zod";

/** What one line from the bus means to us. */
export type Heard =
  | { kind: "ours"; message: JSONRPCMessage }
  /** A line was refused, or another client has begun: what we asked may go unanswered. */
  | { kind: "doubt" }
  | { kind: "foreign" }
  | { kind: "noise" };

const Response = z.looseObject({ id: z.union([z.string(), z.number(), z.null()]) });
const Progress = z.looseObject({ progressToken: z.union([z.string(), z.number()]) });
const InitializeResult = z.looseObject({ protocolVersion: z.string(), serverInfo: z.unknown() });

/** Turns the SDK's numbers into ids that no other client of the bus uses, and back. */
export class Prefix {
  readonly #text: string;

  constructor(random: string) {
    this.#text = `${random}:`;
  }

  /** Marks the id, the progress token and the id of what is cancelled. */
  mark(message: JSONRPCMessage): JSONRPCMessage {
    if (!("method" in message)) return message;
    const params = message.params && this.#markParams(message.method, message.params);
    const marked = { ...message, ...(params ? { params } : {}) };
    return "id" in marked ? { ...marked, id: `${this.#text}${marked.id}` } : marked;
  }

  /** The SDK's number, or undefined for an id that is not ours. */
  unmark(id: unknown): number | undefined {
    if (typeof id !== "string" || !id.startsWith(this.#text)) return undefined;
    const number = Number(id.slice(this.#text.length));
    return Number.isSafeInteger(number) ? number : undefined;
  }

  #markParams(method: string, params: Record<string, unknown>): Record<string, unknown> {
    if (method === "notifications/cancelled") {
      return { ...params, requestId: `${this.#text}${String(params.requestId)}` };
    }
    const meta = params._meta;
    if (!isRecord(meta) || meta.progressToken === undefined) return params;
    const progressToken = `${this.#text}${String(meta.progressToken)}`;
    return { ...params, _meta: { ...meta, progressToken } };
  }
}

/** Reads one line of the bus. It never throws: a hostile line is noise. */
export function read(prefix: Prefix, line: string): Heard {
  const value = parseJson(line);
  if (!isRecord(value)) return { kind: "noise" };
  if (typeof value.method === "string") return readNotification(prefix, value);
  const response = Response.safeParse(value);
  if (!response.success) return { kind: "noise" };
  if (response.data.id === null) return { kind: "doubt" };
  const id = prefix.unmark(response.data.id);
  if (id !== undefined) return asMessage({ ...value, id });
  const begun = InitializeResult.safeParse(value.result).success;
  return { kind: begun ? "doubt" : "foreign" };
}

function readNotification(prefix: Prefix, value: Record<string, unknown>): Heard {
  // The server has no business asking us anything.
  if (value.id !== undefined) return { kind: "noise" };
  if (value.method !== "notifications/progress") return asMessage(value);
  const progress = Progress.safeParse(value.params);
  const progressToken = progress.success ? prefix.unmark(progress.data.progressToken) : undefined;
  if (progressToken === undefined) return { kind: "foreign" };
  return asMessage({ ...value, params: { ...progress.data, progressToken } });
}

function asMessage(value: unknown): Heard {
  try {
    return { kind: "ours", message: parseJSONRPCMessage(value) };
  } catch {
    return { kind: "noise" }; // it looked like a message, but is none
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // the caller counts it as noise
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
