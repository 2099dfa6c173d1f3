import { randomBytes } from "node:crypto";
import { z } from "zod";
import { PacedProgress } from "./paced-progress.ts";

/** What one line from the bus means to us. */
export type Heard =
  | { kind: "ours" }
  | { kind: "notification"; method: string; params: unknown }
  /** A line was refused, or another client has begun: what we asked may go unanswered. */
  | { kind: "doubt" }
  /** Other clients' replies, and noise. */
  | { kind: "foreign" };

/** How often a question is sent at most: a server that refuses every line must not keep us busy for ever. */
const ASK_LIMIT = 10;

/** Longest line that is read although it answers none of our requests: a piece of a terminal, escaped. */
const NOTICE_LIMIT_CHARS = 2 * 1024 * 1024;
const ID_WITHIN_CHARS = 256;

const Failure = z.looseObject({ message: z.string() });
const Progress = z.looseObject({ progressToken: z.string(), message: z.string().optional() });
const InitializeResult = z.looseObject({ protocolVersion: z.string(), serverInfo: z.unknown() });

interface Question {
  readonly line: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly progress: PacedProgress | undefined;
  asked: number;
}

/**
 * The requests that wait for their answer. Attach is a broadcast bus: everybody attached sees every reply,
 * so our ids begin with something random, and whatever does not is somebody else's. A question may be
 * sent again under its id; its first answer counts.
 */
export class PendingRequests {
  readonly #send: (line: string) => void;
  readonly #prefix = `${randomBytes(9).toString("base64url")}:`;
  readonly #open = new Map<string, Question>();
  #count = 0;

  constructor(send: (line: string) => void) {
    this.#send = send;
  }

  get size(): number {
    return this.#open.size;
  }

  ask(
    method: string,
    params: Record<string, unknown> & { _meta?: Record<string, unknown> },
    onProgress?: (message: string) => void,
  ): Promise<unknown> {
    this.#count += 1;
    const id = `${this.#prefix}${this.#count}`;
    const asked = onProgress
      ? { ...params, _meta: { ...params._meta, progressToken: id } }
      : params;
    const line = `${JSON.stringify({ jsonrpc: "2.0", id, method, params: asked })}\n`;
    return new Promise((resolve, reject) => {
      const progress = onProgress && new PacedProgress(onProgress);
      this.#open.set(id, { line, resolve, reject, progress, asked: 1 });
      try {
        this.#send(line);
      } catch (error) {
        this.#open.delete(id); // it has not left, so nobody will answer it
        throw error;
      }
    });
  }

  askAllAgain(): void {
    for (const question of this.#open.values()) {
      if (question.asked >= ASK_LIMIT) continue;
      question.asked += 1;
      this.#send(question.line);
    }
  }

  giveUp(why: Error): void {
    const left = [...this.#open.values()];
    this.#open.clear();
    for (const question of left) {
      question.progress?.end();
      question.reject(why);
    }
  }

  /** Never throws: a hostile line is noise. */
  hear(line: string): Heard {
    if (line.length > NOTICE_LIMIT_CHARS && !this.#mayAnswer(line)) return FOREIGN;
    const value = parseJson(line);
    if (!isRecord(value)) return FOREIGN;
    if (typeof value.method === "string") return this.#hearNotification(value.method, value);
    const question = typeof value.id === "string" ? this.#open.get(value.id) : undefined;
    if (question && typeof value.id === "string") {
      this.#open.delete(value.id);
      question.progress?.end();
      settle(question, value);
      return OURS;
    }
    if (value.id === null) return DOUBT;
    if (typeof value.id === "string" && value.id.startsWith(this.#prefix)) return OURS;
    return InitializeResult.safeParse(value.result).success ? DOUBT : FOREIGN;
  }

  /** Only an answer to us may be long; it names our question near its beginning or its end. */
  #mayAnswer(line: string): boolean {
    const ends = line.slice(0, ID_WITHIN_CHARS) + line.slice(-ID_WITHIN_CHARS);
    return this.#open.size > 0 && ends.includes(this.#prefix);
  }

  #hearNotification(method: string, value: Record<string, unknown>): Heard {
    // The server has no business asking us anything.
    if (value.id !== undefined) return FOREIGN;
    if (method !== "notifications/progress") {
      return { kind: "notification", method, params: value.params };
    }
    const progress = Progress.safeParse(value.params);
    const question = progress.success && this.#open.get(progress.data.progressToken);
    if (!question) return FOREIGN;
    question.progress?.tell(progress.data.message ?? "");
    return OURS;
  }
}

const OURS: Heard = { kind: "ours" };
const DOUBT: Heard = { kind: "doubt" };
const FOREIGN: Heard = { kind: "foreign" };

function settle(question: Question, { result, error }: Record<string, unknown>): void {
  if (isRecord(result)) question.resolve(result);
  else question.reject(new Error(sentenceOf(error)));
}

function sentenceOf(error: unknown): string {
  const failure = Failure.safeParse(error);
  return failure.success ? failure.data.message : "The response has neither a result nor an error.";
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
