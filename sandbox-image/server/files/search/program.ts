import { type ChildProcess, spawn } from "node:child_process";
import { setImmediate as nextRound, setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../../error-code.ts";
import { family, stopAll } from "../../processes/stop.ts";
import type { ServerSettings } from "../../settings.ts";

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** Resolved. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What it reads on its standard input; without it, nothing. */
  readonly input?: Buffer;
  /** Takes the output as it comes; without it the output is collected. */
  readonly onOutput?: (chunk: Buffer, stop: () => void) => void;
}

export interface Outcome {
  /** Null when it was ended by force. */
  readonly exitCode: number | null;
  /** What ended it, where that was not its own exit. */
  readonly signal: string | null;
  readonly output: string;
  readonly errors: string;
  /** "missing": there is no such program. "stopped": `onOutput` had enough. */
  readonly end: "exited" | "missing" | "timeout" | "cancelled" | "stopped";
}

const KEPT_BYTES = 8 * 1024 * 1024;
/** What a program left behind may keep its output open for ever. */
const LINGER_MS = 300;
const LINGER_ROUNDS = 10;

/** Runs a program without a shell and resolves when it is gone, with everything it started. */
export async function runProgram(settings: ServerSettings, program: Program): Promise<Outcome> {
  const nothing = { exitCode: null, signal: null, output: "", errors: "" };
  if (program.signal.aborted) return { ...nothing, end: "cancelled" };
  const child = spawn(program.command, program.args, {
    cwd: program.cwd,
    env: { ...settings.childEnv },
    stdio: [program.input ? "pipe" : "ignore", "pipe", "pipe"],
  });
  child.stdin?.on("error", () => {}); // it ended without reading all; its exit code tells
  child.stdin?.end(program.input);
  const stop = stopper(child);
  const output = collect(child.stdout, program.onOutput, () => stop("stopped"));
  const errors = collect(child.stderr);
  const timer = setTimeout(() => stop("timeout"), program.timeoutMs);
  const onAbort = () => stop("cancelled");
  program.signal.addEventListener("abort", onAbort);
  try {
    const { exitCode, signal } = await ended(child, output);
    const end = (await stop.reason()) ?? "exited";
    return { exitCode, signal, output: output.text(), errors: errors.text(), end };
  } catch (error) {
    if (!["ENOENT", "EACCES", "ENOTDIR"].includes(codeOf(error))) throw error;
    return { ...nothing, end: "missing" };
  } finally {
    clearTimeout(timer);
    program.signal.removeEventListener("abort", onAbort);
  }
}

type Reason = "timeout" | "cancelled" | "stopped";

/** Ends the child and everything below it, once. */
function stopper(child: ChildProcess) {
  let reason: Reason | undefined;
  let done: Promise<unknown> | undefined;
  const stop = (because: Reason) => {
    if (reason || child.pid === undefined || child.exitCode !== null) return;
    reason = because;
    if (because === "stopped") child.kill("SIGKILL");
    else done = stopAll(family(child.pid, { withItself: true }));
  };
  stop.reason = async () => {
    await done;
    return reason;
  };
  return stop;
}

interface Collected {
  text(): string;
  /** How much has come so far. */
  bytes(): number;
}

function collect(
  stream: NodeJS.ReadableStream | null,
  onOutput?: Program["onOutput"],
  stop = () => {},
): Collected {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on("data", (chunk: Buffer) => {
    if (onOutput) onOutput(chunk, stop);
    else if (bytes < KEPT_BYTES) chunks.push(chunk);
    bytes += chunk.length;
  });
  return { text: () => Buffer.concat(chunks).toString("utf8"), bytes: () => bytes };
}

type Exit = Pick<Outcome, "exitCode" | "signal">;

function ended(child: ChildProcess, output: Collected): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode, signal) => resolve({ exitCode, signal }));
    child.on("exit", async (exitCode, signal) => {
      await quiet(output);
      resolve({ exitCode, signal });
    });
  });
}

/** Waits until nothing more comes: a busy server may read a program's last output well after its end. */
async function quiet(output: Collected): Promise<void> {
  for (let round = 0; round < LINGER_ROUNDS; round++) {
    const before = output.bytes();
    await sleep(LINGER_MS, undefined, { ref: false });
    // Lets the output that waits be read first, should the timer itself be late.
    await nextRound();
    if (output.bytes() === before) return;
  }
}
