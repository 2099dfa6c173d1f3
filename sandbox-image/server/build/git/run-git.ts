import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { ToolError } from "../../../../src/contract/tools/operation.ts";
import { runProgram } from "../../files/search/program.ts";
import type { ServerSettings } from "../../settings.ts";
import { type Environment, safeEnvironment } from "./safe-environment.ts";

/** How git is run in one place: as whom, and with which environment. */
export interface GitPlace {
  readonly settings: ServerSettings;
  readonly cwd: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

export interface GitOutcome {
  readonly exitCode: number;
  /** Raw: names of files need not be UTF-8. */
  readonly output: Buffer;
  readonly errors: string;
}

const GIT_TIMEOUT_MS = 120_000;
const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;

export function gitPlace(settings: ServerSettings, cwd: string, signal: AbortSignal): GitPlace {
  return { settings, cwd, signal, environment: safeEnvironment(settings) };
}

/** Runs git without a shell. Whatever its exit code, that is an outcome; a ToolError means it did not get to one. */
export async function runGit(
  place: GitPlace,
  args: readonly string[],
  input?: Buffer,
): Promise<GitOutcome> {
  const { cwd, environment, signal } = place;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const [command = "git", ...before] = await asOwner(cwd);
  const settings = { ...place.settings, childEnv: ownedEnvironment(environment, before) };
  const { end, exitCode, errors } = await runProgram(settings, {
    command,
    args: [...before, ...args],
    cwd,
    signal,
    timeoutMs: GIT_TIMEOUT_MS,
    ...(input && { input }),
    onOutput: (chunk, stop) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > OUTPUT_LIMIT_BYTES) stop();
    },
  });
  if (end !== "exited") throw unfinished(end, signal);
  return { exitCode: exitCode ?? KILLED, output: Buffer.concat(chunks), errors };
}

const KILLED = 137;

/** Ends every path with a NUL, as git reads lists of paths. */
export function joinWithNul(paths: readonly Buffer[]): Buffer {
  return Buffer.concat(paths.flatMap((path) => [path, Buffer.from([0])]));
}

/**
 * Root never works in another user's repository: who owns it could change its settings at the last moment and have
 * them run. Git as its owner can do no more than the owner could.
 */
async function asOwner(directory: string): Promise<string[]> {
  if (process.getuid?.() !== 0) return ["git"];
  const { uid, gid }: Stats = await stat(directory);
  if (uid === 0) return ["git"];
  return ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--", "git"];
}

/** Another user cannot read root's home, and git stops when it cannot look for its settings there. */
function ownedEnvironment(environment: Environment, before: readonly string[]): Environment {
  if (before.length === 0) return environment;
  return { ...environment, HOME: "/nonexistent", GIT_CONFIG_GLOBAL: "/dev/null" };
}

function unfinished(
  end: "missing" | "timeout" | "cancelled" | "stopped",
  signal: AbortSignal,
): ToolError {
  if (end === "cancelled" || signal.aborted) {
    return new ToolError(
      "executionFailed",
      "git was cancelled; none of its processes is running.",
      {
        cancelled: true,
      },
    );
  }
  if (end === "missing") {
    return new ToolError("executionFailed", "git is not installed in this workspace's image.");
  }
  if (end === "timeout") {
    return new ToolError(
      "timeout",
      `git took over ${GIT_TIMEOUT_MS / 1000} s and was stopped. Check the repository with git status in the terminal.`,
    );
  }
  return new ToolError(
    "executionFailed",
    "git lists too many files. Add generated ones to .gitignore, then try again.",
  );
}
