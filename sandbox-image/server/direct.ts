import { ToolError } from "../../src/contract/tools/operation.ts";
import type { CallMeta } from "../../src/contract/workspace/channel.ts";
import { reportBug } from "./bugs.ts";

/** One request, as a method is given it. */
export interface DirectRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly meta: CallMeta & { readonly progressToken?: unknown };
  /** Aborted when this client takes its request back, not when it merely goes away. */
  readonly signal: AbortSignal;
  /** Reaches the client as long as it is there. */
  readonly notify: (method: string, params: Readonly<Record<string, unknown>>) => void;
}

/** What is served without the SDK, because calls must not cost more than what they do. */
export interface DirectMethods {
  readonly requests: ReadonlyMap<string, (request: DirectRequest) => Promise<object>>;
  readonly notifications: ReadonlyMap<string, (params: unknown) => void>;
}

/** Parameters that a method cannot take: said in the protocol's own way. */
export class InvalidParamsError extends Error {}

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;
const CANCELLED = "notifications/cancelled";

/** The requests of one connection that are under way. */
export class DirectRequests {
  readonly #methods: DirectMethods;
  readonly #send: (message: unknown) => void;
  readonly #open = new Map<unknown, AbortController>();

  constructor(methods: DirectMethods, send: (message: unknown) => void) {
    this.#methods = methods;
    this.#send = send;
  }

  /** False: not one of ours, and nothing has been done. */
  take(message: Readonly<Record<string, unknown>>): boolean {
    const { method, id } = message;
    if (typeof method !== "string" || message.jsonrpc !== "2.0") return false;
    if (id === undefined) return this.#takeNotification(method, message.params);
    const serve = this.#methods.requests.get(method);
    const params = message.params ?? {};
    if (!serve || !isRecord(params) || !isId(id)) return false;
    void this.#answer(id, params, serve);
    return true;
  }

  #takeNotification(method: string, params: unknown): boolean {
    if (method === CANCELLED && isRecord(params)) {
      const stop = this.#open.get(params.requestId);
      stop?.abort();
      return stop !== undefined;
    }
    const serve = this.#methods.notifications.get(method);
    serve?.(params);
    return serve !== undefined;
  }

  async #answer(
    id: string | number,
    params: Readonly<Record<string, unknown>>,
    serve: (request: DirectRequest) => Promise<object>,
  ): Promise<void> {
    const stop = new AbortController();
    this.#open.set(id, stop);
    try {
      const result = await serve({
        params,
        meta: isRecord(params._meta) ? params._meta : {},
        signal: stop.signal,
        notify: (method, told) => this.#send({ jsonrpc: "2.0", method, params: told }),
      });
      // Who takes a request back wants no answer to it.
      if (!stop.signal.aborted) this.#send({ jsonrpc: "2.0", id, result });
    } catch (error) {
      if (!stop.signal.aborted) this.#send({ jsonrpc: "2.0", id, error: errorOf(error) });
    } finally {
      this.#open.delete(id);
    }
  }
}

function errorOf(error: unknown): object {
  if (error instanceof ToolError) {
    const data = { kind: error.kind, ...error.details };
    return { code: INVALID_PARAMS, message: error.message, data };
  }
  if (error instanceof InvalidParamsError) return { code: INVALID_PARAMS, message: error.message };
  reportBug(error);
  return { code: INTERNAL_ERROR, message: "The workspace server failed." };
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" || typeof id === "number";
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
