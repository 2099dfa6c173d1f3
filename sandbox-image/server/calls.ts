import { failed, type OperationResult, ToolError } from "../../src/contract/tools/operation.ts";
import type { CallMeta } from "../../src/contract/workspace/channel.ts";
import type { CallContext } from "./handlers.ts";
import type { Ledger, LedgerEntry } from "./ledger.ts";
import type { PreparedCall } from "./tools.ts";

/** One arriving request: what to run and how to reach whoever waits for it. */
export interface CallRequest {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly meta: CallMeta;
  /** Aborted when this client takes its request back, not when it merely goes away. */
  readonly signal: AbortSignal;
  readonly onProgress: (message: string) => void;
}

interface Running {
  readonly digest: string;
  readonly stop: AbortController;
  readonly listeners: Set<(message: string) => void>;
  readonly result: Promise<OperationResult>;
}

function stoppedBeforeStart(): ToolError {
  return new ToolError("executionFailed", "Stopped before it started; nothing was run.");
}

export const UNKNOWN: OperationResult = {
  success: false,
  kind: "executionFailed",
  outcome: "unknown",
  message:
    "The workspace stopped during this call, so its outcome is unknown. " +
    "Check what it changed before you run it again.",
};

/** Turns a tool's name and arguments into a call, or throws a ToolError. */
interface Preparer {
  prepare(tool: string, args: CallRequest["args"]): PreparedCall;
}

/** Runs calls, each id at most once, for one conversation and only for the newest holder of its lease. */
export class Calls {
  readonly #tools: Preparer;
  readonly #ledger: Ledger;
  readonly #running = new Map<string, Running>();
  #conversation: string | null = null;
  #anonymous = 0;

  constructor(tools: Preparer, ledger: Ledger) {
    this.#tools = tools;
    this.#ledger = ledger;
  }

  get running(): string[] {
    return [...this.#running.keys()];
  }

  get conversation(): string | null {
    return this.#conversation;
  }

  get fence(): number {
    return this.#ledger.fence;
  }

  async run(request: CallRequest): Promise<OperationResult> {
    try {
      this.admit(request.meta);
      const prepared = this.#tools.prepare(request.tool, request.args);
      const id = request.meta["deckhand/call"];
      return await (id === undefined
        ? this.#runOnce(prepared, request)
        : this.#runById(id, prepared, request));
    } catch (error) {
      if (error instanceof ToolError) return failed(error);
      throw error;
    }
  }

  /** Throws for another conversation and for a holder whose lease somebody else has taken. */
  admit(meta: CallMeta): void {
    const { "deckhand/fence": fence, "deckhand/conversation": conversation } = meta;
    if (conversation !== undefined) {
      this.#conversation ??= conversation;
      if (this.#conversation !== conversation) {
        throw new ToolError("permissionDenied", "This workspace belongs to another conversation.");
      }
    }
    if (fence === undefined) return;
    if (fence < this.#ledger.fence) {
      throw new ToolError(
        "permissionDenied",
        `Refused: fence ${fence} is older than ${this.#ledger.fence}; another bot has taken over this conversation.`,
        { staleFence: true },
      );
    }
    this.#ledger.raiseFence(fence);
  }

  /** Resolves with the call's result once nothing of it runs any more. An id not seen yet never will run. */
  async cancel(id: string): Promise<OperationResult> {
    const running = this.#running.get(id);
    if (running) {
      running.stop.abort();
      return running.result;
    }
    const known = this.#ledger.find(id);
    if (known?.state === "elsewhere") known.stop();
    if (known) return adopt(known, known.digest);
    const result = failed(stoppedBeforeStart());
    this.#ledger.finish(id, ANY_DIGEST, result);
    return result;
  }

  /** A client without call ids: nothing to repeat, so nothing to remember. */
  #runOnce(prepared: PreparedCall, request: CallRequest): Promise<OperationResult> {
    this.#anonymous += 1;
    const id = `${ANONYMOUS}${this.#anonymous}`;
    return this.#begin(id, prepared, request, async () => undefined);
  }

  async #runById(
    id: string,
    prepared: PreparedCall,
    request: CallRequest,
  ): Promise<OperationResult> {
    const running = this.#running.get(id);
    if (running) return this.#join(running, prepared, request);
    const known = this.#ledger.find(id);
    if (known) return adopt(known, digestOf(prepared));
    if (prepared.repeat === "safe")
      return this.#begin(id, prepared, request, async () => undefined);
    return this.#begin(id, prepared, request, async (digest) => {
      if (await this.#ledger.start(id, digest)) return undefined;
      const winner = this.#ledger.find(id);
      return winner ? adopt(winner, digest) : UNKNOWN;
    });
  }

  #join(running: Running, prepared: PreparedCall, request: CallRequest): Promise<OperationResult> {
    sameCall(running.digest, digestOf(prepared));
    running.listeners.add(request.onProgress);
    request.signal.addEventListener("abort", () => running.stop.abort());
    return running.result;
  }

  /** `latch` makes the start durable; it answers itself when somebody else was first. Some handlers read ahead meanwhile. */
  #begin(
    id: string,
    prepared: PreparedCall,
    request: CallRequest,
    latch: (digest: string) => Promise<OperationResult | undefined>,
  ): Promise<OperationResult> {
    const digest = digestOf(prepared);
    const stop = new AbortController();
    request.signal.addEventListener("abort", () => stop.abort());
    const listeners = new Set([request.onProgress]);
    const { "deckhand/paths": checked, "deckhand/terminal": terminal } = request.meta;
    const { "deckhand/shell": shell } = request.meta;
    const context: CallContext = {
      callId: id,
      conversation: terminal?.name ?? this.#conversation ?? "main",
      ...(terminal && { startDirectory: terminal.directory }),
      ...(shell && { shell }),
      checkedPaths: checked && new Set(checked),
      run: request.meta["deckhand/run"],
      requester: request.meta["deckhand/requester"],
      signal: stop.signal,
      progress: (message) => {
        for (const listener of listeners) listener(message);
      },
    };
    const result = this.#execute(id, prepared, digest, context, latch);
    this.#running.set(id, { digest, stop, listeners, result });
    return result;
  }

  async #execute(
    id: string,
    prepared: PreparedCall,
    digest: string,
    context: CallContext,
    latch: (digest: string) => Promise<OperationResult | undefined>,
  ): Promise<OperationResult> {
    const latched = latch(digest);
    latched.catch(() => {}); // awaited below
    const recorded = async () => {
      if ((await latched) || context.signal.aborted) throw stoppedBeforeStart();
    };
    try {
      const result = await prepared.run({ ...context, recorded });
      const elsewhere = await latched;
      if (elsewhere) return elsewhere;
      if (prepared.repeat === "unsafe" && !id.startsWith(ANONYMOUS)) {
        this.#ledger.finish(id, digest, result);
      }
      return result;
    } finally {
      this.#running.delete(id);
    }
  }
}

/** No bot gives such an id: its ids never begin with a space. */
const ANONYMOUS = " anonymous-";

/** Stands for a call that was stopped before its arguments were ever seen. */
const ANY_DIGEST = "*";

/** What became of a call that somebody started earlier. */
function adopt(known: LedgerEntry, digest: string): OperationResult | Promise<OperationResult> {
  sameCall(known.digest, digest);
  if (known.state === "finished") return known.result;
  return known.state === "elsewhere" ? known.wait() : UNKNOWN;
}

function sameCall(before: string, now: string): void {
  if (before === now || before === ANY_DIGEST) return;
  throw new ToolError(
    "invalidParameters",
    "This call id was already used for another call. Use a new one.",
  );
}

/**
 * Tells two calls apart that were given the same id by mistake. Not for secrets: node:crypto would cost
 * every workspace 8 ms at its start.
 */
function digestOf({ fingerprint }: PreparedCall): string {
  let low = 0x811c9dc5;
  let high = 0x9dc5811c;
  for (let index = 0; index < fingerprint.length; index += 1) {
    const unit = fingerprint.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
  }
  return `${fingerprint.length}.${(low >>> 0).toString(36)}.${(high >>> 0).toString(36)}`;
}
