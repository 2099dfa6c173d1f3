import { setTimeout as sleep } from "node:timers/promises";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { leavesNoRoom, limitNotices, MADE_ROOM, readLimitCounters } from "../processes/limits.ts";
import { type Interruption, interruption } from "../processes/run-once.ts";
import { stopAll, type Victims } from "../processes/stop.ts";
import { commandLine, readTable } from "../processes/table.ts";
import type { Bounded } from "./clean.ts";
import { Collector } from "./collector.ts";
import type { Run } from "./shell-state.ts";
import type { Terminal } from "./terminal.ts";

/** What was typed before may be about to end. */
const SETTLE_MS = 300;
/** Even a busy machine gets from the keystrokes to the command's start in this time. */
const START_LIMIT_MS = 10_000;
/** From Ctrl-C to SIGTERM. */
const INTERRUPT_MS = 150;
const PROMPT_LIMIT_MS = 1500;
const CLOSE_LIMIT_MS = 5000;
const TELL_EVERY_MS = 250;
const RECENT_CHARS = 2000;

export interface ForegroundRequest {
  readonly command: string;
  /** Only for this command; the shell then goes back, unless the command itself went elsewhere. */
  readonly directory?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly workspaceDir: string;
  progress(recent: string): void;
}

export interface ForegroundResult extends Bounded {
  readonly exitCode: number;
  readonly durationMs: number;
  readonly notices: readonly string[];
}

/** Runs a command in the terminal's own shell and waits until the prompt is back. */
export async function runInTerminal(
  terminal: Terminal,
  request: ForegroundRequest,
): Promise<ForegroundResult> {
  await comeToPrompt(terminal);
  if (request.signal.aborted) throw interruption("cancel", 0, { output: "" });
  const spared = terminal.identities();
  const before = readLimitCounters();
  const began = performance.now();
  const run: Run = {
    command: request.command,
    collector: new Collector(),
    started: false,
    exitCode: null,
  };
  terminal.start(run, request.directory);
  using _over = { [Symbol.dispose]: () => terminal.shell.finish(run) };
  const interrupted = await waitForEnd(terminal, run, request);
  const facts = () => ({
    ...run.collector.result(),
    durationMs: Math.round(performance.now() - began),
  });
  const { workspaceDir } = request;
  const limits = (hasFailed: boolean) =>
    limitNotices({ before, workspaceDir, output: facts().output, hasFailed });
  if (interrupted) throw await stopCall(terminal, interrupted, { run, spared, facts, limits });
  if (terminal.isClosing) throw await closedMeanwhile(terminal, facts());
  const exitCode = run.exitCode ?? terminal.shell.exitCode ?? 0;
  const notices = [...limits(exitCode !== 0), ...shellNotices(terminal, run)];
  if (leavesNoRoom(before)) {
    await stopAll(terminal.victims(spared));
    notices.push(MADE_ROOM);
  }
  return { ...facts(), exitCode, notices };
}

/** Waits for a typed command that is about to end, takes back half a typed line, refuses when busy. */
async function comeToPrompt(terminal: Terminal): Promise<void> {
  const { shell } = terminal;
  if (shell.phase === "starting" && !(await terminal.ready())) throw noPrompt();
  const isAtPrompt = () => shell.phase === "prompt";
  const isSettled = () => isAtPrompt() || shell.phase === "exited";
  if (!(await shell.until(isSettled, SETTLE_MS))) throw busy(terminal);
  if (!isAtPrompt()) throw hasEnded(terminal);
  if (!shell.isTypedInto) return;
  const { prompts } = shell;
  terminal.write("\x03");
  if (!(await shell.until(() => shell.prompts > prompts, PROMPT_LIMIT_MS))) throw busy(terminal);
}

function noPrompt(): ToolError {
  return new ToolError(
    "executionFailed",
    "The login shell did not reach its prompt. Look at it with get_terminal_buffer; a program in ~/.bash_profile or " +
      "~/.bashrc may be waiting. Use close_session to start over.",
  );
}

function hasEnded({ shell }: Terminal): ToolError {
  return new ToolError(
    "executionFailed",
    `The shell exited before its prompt (exit code ${shell.exitCode}), so nothing was run. It may lack permission for ` +
      "its directory, or ~/.bash_profile or ~/.bashrc ends it. Run the command again for a new shell.",
  );
}

function busy(terminal: Terminal): ToolError {
  const what = terminal.shell.last?.command || foregroundCommand(terminal) || "typed input";
  return new ToolError(
    "executionFailed",
    `The terminal is busy with \`${what}\`, typed with send_input. Answer it with send_input, end it by ` +
      "sending \\u0003 (Ctrl-C), run this with isBackground, or use close_session to start over.",
    { running: what },
  );
}

function foregroundCommand(terminal: Terminal): string | null {
  const table = readTable();
  const leader = table.get(table.get(terminal.pid)?.foreground ?? -1);
  return leader && leader.pid !== terminal.pid ? commandLine(leader) : null;
}

/** Resolves with null when the command ended by itself. */
async function waitForEnd(
  terminal: Terminal,
  run: Run,
  { timeoutMs, signal, progress }: ForegroundRequest,
): Promise<Interruption | null> {
  const { shell } = terminal;
  const isOver = () => terminal.hasExited || (run.exitCode !== null && shell.phase === "prompt");
  const wake = () => shell.wake();
  signal.addEventListener("abort", wake);
  let told = 0;
  const timer = setInterval(() => {
    if (run.collector.total > told) progress(run.collector.recent(RECENT_CHARS));
    told = run.collector.total;
  }, TELL_EVERY_MS);
  // Also when it is taken back meanwhile: what was typed will run, and only then can it be stopped.
  await shell.until(() => run.started || terminal.hasExited, START_LIMIT_MS);
  const hasEnded = await shell.until(() => isOver() || signal.aborted, run.started ? timeoutMs : 0);
  clearInterval(timer);
  signal.removeEventListener("abort", wake);
  if (isOver()) return null;
  return hasEnded ? "cancel" : "timeout";
}

interface CallFacts {
  readonly run: Run;
  /** Identities of what earlier commands left running. */
  readonly spared: ReadonlySet<string>;
  readonly facts: () => Bounded & { durationMs: number };
  readonly limits: (hasFailed: boolean) => string[];
}

/** Resolves with the error to throw, once nothing of the call runs any more. */
async function stopCall(
  terminal: Terminal,
  why: Interruption,
  { run, spared, facts, limits }: CallFacts,
): Promise<ToolError> {
  const { shell } = terminal;
  // The prompt must come through even when somebody reads the terminal slowly.
  using _unhindered = terminal.flow.unhindered();
  const victims = terminal.victims(spared);
  // Before its start the old prompt still stands there, and what was typed may run at any time.
  const isIdle = () => (run.started && shell.phase === "prompt") || terminal.hasExited;
  victims(); // so that those are known who lose their parent to the interrupt
  terminal.interrupt();
  await shell.until(isIdle, INTERRUPT_MS);
  await stopAll(victims);
  const isUsable = (await shell.until(isIdle, PROMPT_LIMIT_MS)) && !terminal.hasExited;
  if (!isUsable) await terminal.kill();
  const survivors = await stopRest(victims);
  const { durationMs, ...output } = facts();
  const notices = [...limits(true), ...(isUsable ? [] : [SHELL_LOST])];
  return interruption(why, survivors, {
    ...output,
    duration_ms: durationMs,
    ...(notices.length > 0 && { notice: notices.join(" ") }),
  });
}

/** However the command took its end: it did not come to it by itself. */
async function closedMeanwhile(
  terminal: Terminal,
  { durationMs, ...output }: Bounded & { durationMs: number },
): Promise<ToolError> {
  await terminal.shell.until(() => terminal.hasExited, CLOSE_LIMIT_MS);
  return new ToolError(
    "executionFailed",
    "The terminal was closed while the command ran; everything in it was stopped.",
    { ...output, duration_ms: durationMs },
  );
}

/** The shell itself may have started something more on its way to the prompt. */
async function stopRest(victims: Victims): Promise<number> {
  const left = await stopAll(victims);
  if (left.length === 0) return 0;
  await sleep(INTERRUPT_MS);
  return victims().length;
}

const SHELL_LOST =
  "The terminal's shell was lost with its directory, variables and functions. The next command opens a new one.";

function shellNotices(terminal: Terminal, run: Run): string[] {
  if (terminal.hasExited && run.exitCode === null) {
    return [`The shell itself exited with code ${terminal.shell.exitCode}. ${SHELL_LOST}`];
  }
  if (terminal.isNested) {
    return ["A nested shell is now open; commands run in it until you leave it with exit."];
  }
  return [];
}
