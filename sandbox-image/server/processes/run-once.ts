import { setTimeout as sleep } from "node:timers/promises";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import type { ServerSettings } from "../settings.ts";
import { Collector } from "../terminal/collector.ts";
import { createDecoder } from "../terminal/decode.ts";
import {
  type LimitCounters,
  leavesNoRoom,
  limitNotices,
  MADE_ROOM,
  readLimitCounters,
} from "./limits.ts";
import { type FreshShell, type Supervised, startSupervised } from "./supervised.ts";

export interface RunOnceOptions {
  readonly cwd: string;
  readonly fresh?: FreshShell;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The newest output, cleaned; called while the command runs. */
  onOutput?(recent: string): void;
  /** How many of the processes that it started go on running. */
  onEnd?(leftRunning: number): void;
}

export interface RunOnceResult {
  readonly output: string;
  readonly truncated: boolean;
  readonly exit_code: number;
  readonly duration_ms: number;
  readonly notice?: string;
}

/** How long output may still trickle in after the command itself has ended. */
const DRAIN_MS = 100;
const RECENT_CHARS = 2000;
const TELL_EVERY_MS = 250;

/**
 * Runs one command without a terminal and waits for it. When it takes too long or is taken back, everything
 * it started is stopped before this rejects.
 */
export async function runOnce(
  settings: ServerSettings,
  command: string,
  options: RunOnceOptions,
): Promise<RunOnceResult> {
  const { cwd, fresh, timeoutMs, signal, onOutput, onEnd } = options;
  signal.throwIfAborted();
  const began = performance.now();
  const before = readLimitCounters();
  const collector = new Collector();
  const decoder = createDecoder("utf8");
  let told = 0;
  const onBytes = (bytes: Buffer) => {
    collector.push(decoder.decode(bytes));
    if (!onOutput || performance.now() - told < TELL_EVERY_MS) return;
    told = performance.now();
    onOutput(collector.recent(RECENT_CHARS));
  };
  const run = await startSupervised(settings, { command, cwd, fresh, onBytes });
  const end = await firstOf(run, timeoutMs, signal);
  const facts = () => ({
    ...collector.result(),
    duration_ms: Math.round(performance.now() - began),
  });
  const { workspaceDir } = settings;
  const limits = (hasFailed: boolean) =>
    limitNotices({ before, workspaceDir, output: facts().output, hasFailed });
  if (typeof end !== "number") {
    const error = await stopped(run, end, () => withNotice(facts(), limits(true)));
    onEnd?.(run.leftRunning().length);
    throw error;
  }
  await Promise.race([run.gone, sleep(DRAIN_MS)]);
  const notices = [...limits(end !== 0), ...(await leftovers(run, before))];
  onEnd?.(run.leftRunning().length);
  return withNotice({ ...facts(), exit_code: end }, notices);
}

function withNotice<T extends object>(
  result: T,
  notices: readonly string[],
): T & { notice?: string } {
  return { ...result, ...(notices.length > 0 && { notice: notices.join(" ") }) };
}

/** What the command started may go on, unless nothing else could be started beside it. */
async function leftovers(run: Supervised, before: LimitCounters): Promise<string[]> {
  const madeRoom = leavesNoRoom(before) ? [MADE_ROOM] : [];
  if (madeRoom.length > 0) await run.stop();
  const left = run.leftRunning().length;
  return left > 0
    ? [...madeRoom, `${left} of the processes it started are still running.`]
    : madeRoom;
}

export type Interruption = "timeout" | "cancel";

/** The exit code, or why there is none. */
async function firstOf(
  run: Supervised,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<number | Interruption> {
  const over = new AbortController();
  const timeout = sleep(timeoutMs, "timeout" as const, { signal: over.signal });
  const cancel = new Promise<"cancel">((resolve) => {
    // It may have been taken back while it was being started.
    if (signal.aborted) resolve("cancel");
    signal.addEventListener("abort", () => resolve("cancel"), { once: true, signal: over.signal });
  });
  timeout.catch(() => {}); // taken back below
  const first = await Promise.race([run.ended, timeout, cancel]);
  over.abort();
  return first;
}

async function stopped(
  run: Supervised,
  why: Interruption,
  facts: () => Record<string, unknown>,
): Promise<ToolError> {
  const survivors = await run.stop();
  await Promise.race([run.gone, sleep(DRAIN_MS)]);
  return interruption(why, survivors.length, facts());
}

/** The error for a command that was stopped, with its output so far. */
export function interruption(
  why: Interruption,
  survivors: number,
  details: Readonly<Record<string, unknown>>,
): ToolError {
  const state =
    survivors === 0
      ? "it and everything it started were stopped"
      : `${survivors} of its processes could not be stopped: they are stuck in the kernel or belong to another user`;
  if (why === "cancel") {
    return new ToolError("executionFailed", `The command was cancelled; ${state}.`, {
      cancelled: true,
      ...details,
    });
  }
  const advice = "Use a longer timeout, or run it with isBackground.";
  return new ToolError("timeout", `The command took too long; ${state}. ${advice}`, { ...details });
}
