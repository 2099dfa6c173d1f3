import type { OperationResult } from "../../contract/tools/operation.ts";
import { workspaceTools } from "../../contract/tools/workspace-tools.ts";
import { approvedCode } from "../../contract/workspace/approved-run.ts";
import { checkpointOperations } from "../../contract/workspace/checkpoints.ts";
import type { CallOptions, WorkspaceCall } from "../../contract/workspace/workspace.ts";
import { ChannelLostError, lostAsUndefined, WorkspaceResetError } from "../errors.ts";
import type { Channel } from "./channel.ts";

/** Where a call's channel comes from: the workspace's own server, or one started for this call. */
export interface ChannelSource {
  channel(): Promise<Channel>;
  /** Ends everything in the container: the last means against a call that does not end. */
  restart(): Promise<void>;
  /** True when no memory of earlier calls is left in the container since the given moment. */
  forgotSince(moment: number): boolean;
}

export interface DeliveryOptions extends CallOptions {
  readonly meta: Readonly<Record<string, unknown>>;
  readonly probe: (point: string) => void;
}

const TOOLS = [...workspaceTools, checkpointOperations, approvedCode];
const SEND_LIMIT = 4;
const STOP_PROOF_MS = 10_000;

/**
 * Gets a call's result, whatever dies on the way. The same call id is sent again over each new channel:
 * the server runs it at most once and answers with what became of it.
 */
export async function deliverCall(
  source: ChannelSource,
  call: WorkspaceCall,
  options: DeliveryOptions,
): Promise<OperationResult> {
  try {
    return await sendUntilAnswered(source, call, options);
  } catch (error) {
    if (error instanceof WorkspaceResetError) return resetMeanwhile(error);
    throw error;
  }
}

/** Ends a call whose beginning another bot has seen. Asked again over each new channel until there is an answer. */
export async function cancelCall(
  source: ChannelSource,
  call: Pick<WorkspaceCall, "id">,
  options: Pick<DeliveryOptions, "meta">,
): Promise<OperationResult> {
  try {
    for (let sends = 0; sends < SEND_LIMIT; sends += 1) {
      const channel = await source.channel().catch(lostAsUndefined);
      const result = channel && (await stop(source, channel, call, options));
      if (result) return result;
    }
    return UNKNOWN;
  } catch (error) {
    if (error instanceof WorkspaceResetError) return resetMeanwhile(error);
    throw error;
  }
}

async function sendUntilAnswered(
  source: ChannelSource,
  call: WorkspaceCall,
  options: DeliveryOptions,
): Promise<OperationResult> {
  let sentAt: number | undefined;
  for (let sends = 0; sends < SEND_LIMIT; sends += 1) {
    if (options.signal?.aborted && sentAt === undefined) return STOPPED_BEFORE_START;
    const channel = await source.channel().catch(lostAsUndefined);
    if (!channel) continue;
    if (sentAt !== undefined && isUnsafe(call) && source.forgotSince(sentAt)) return UNKNOWN;
    sentAt ??= Date.now();
    const result = await answerOver(source, channel, call, options);
    if (result) return result;
  }
  return isUnsafe(call) ? UNKNOWN : NO_ANSWER;
}

/** Undefined: the channel was lost before the answer came. */
async function answerOver(
  source: ChannelSource,
  channel: Channel,
  call: WorkspaceCall,
  options: DeliveryOptions,
): Promise<OperationResult | undefined> {
  const { signal, meta, probe } = options;
  if (signal?.aborted) return stop(source, channel, call, options);
  const onProgress = options.onProgress && forward(options.onProgress);
  probe("before-send");
  const answer = settle(channel.call({ tool: call.tool, args: call.args, meta, onProgress }));
  probe("sent");
  const stopped = abortOf(signal);
  const first = await Promise.race([answer, stopped.promise]);
  stopped.release();
  const result = first === "aborted" ? await stop(source, channel, call, options) : first;
  probe("before-result");
  return result;
}

/** Asks the server to end the call and waits for its word that nothing of it runs any more. */
async function stop(
  source: ChannelSource,
  channel: Channel,
  call: Pick<WorkspaceCall, "id">,
  { meta }: Pick<DeliveryOptions, "meta">,
): Promise<OperationResult | undefined> {
  const proof = settle(channel.request("cancel", { call: call.id }, meta));
  const limit = Promise.withResolvers<"late">();
  const timer = setTimeout(() => limit.resolve("late"), STOP_PROOF_MS);
  const result = await Promise.race([proof, limit.promise]);
  clearTimeout(timer);
  if (result !== "late") return result;
  await source.restart();
  return STOPPED_BY_RESTART;
}

/** What went wrong on the server's side is a result as well; only a lost channel is none. */
async function settle(answer: Promise<OperationResult>): Promise<OperationResult | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ChannelLostError) return undefined;
    const message = error instanceof Error ? error.message : String(error);
    return {
      success: false,
      kind: "executionFailed",
      outcome: "unknown",
      message: `The workspace's server sent an invalid response: ${message.slice(0, 500)}`,
    };
  }
}

function resetMeanwhile({ message }: WorkspaceResetError): OperationResult {
  return { success: false, kind: "executionFailed", message };
}

function abortOf(signal: AbortSignal | undefined) {
  const { promise, resolve } = Promise.withResolvers<"aborted">();
  const onAbort = () => resolve("aborted");
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  return { promise, release: () => signal?.removeEventListener("abort", onAbort) };
}

function forward(onProgress: NonNullable<CallOptions["onProgress"]>) {
  return (message: string) => onProgress({ message });
}

/** What nobody declared harmless counts as harmful. */
function isUnsafe({ tool, args }: WorkspaceCall): boolean {
  const operations: Readonly<Record<string, { repeat: string }>> =
    TOOLS.find(({ name }) => name === tool)?.operations ?? {};
  return operations[String(args.operation)]?.repeat !== "safe";
}

const STOPPED_BEFORE_START: OperationResult = {
  success: false,
  kind: "executionFailed",
  message: "Stopped before it started; nothing was run.",
};

const STOPPED_BY_RESTART: OperationResult = {
  success: false,
  kind: "executionFailed",
  message: "The call did not react to the stop, so the workspace was restarted. Files are kept.",
};

const UNKNOWN: OperationResult = {
  success: false,
  kind: "executionFailed",
  outcome: "unknown",
  message:
    "The workspace was lost during this call, so its outcome is unknown. " +
    "Check what it changed before you run it again.",
};

const NO_ANSWER: OperationResult = {
  success: false,
  kind: "executionFailed",
  message: "The workspace's server crashed each time it ran this call. Ask for less at once.",
};
