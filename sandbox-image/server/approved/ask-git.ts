import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { buffer, text } from "node:stream/consumers";
import type { ServerSettings } from "../settings.ts";
import { BoundPaths } from "./bound-directory.ts";

const TIMEOUT_MS = 10_000;

export interface GitQuestion {
  /** The real path of the directory in which git starts. */
  readonly directory: string;
  /** Real paths of the files and directories outside of the system that git may read. */
  readonly readable: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input?: Buffer;
}

export interface GitAnswer {
  /** Null when a signal ended it, the timeout for example. */
  readonly code: number | null;
  readonly output: Buffer;
  readonly errors: string;
}

/**
 * Asks git about a repository that may be hostile. The kernel keeps this git from writing, from starting programs and
 * from TCP, whatever the repository's settings name. Only commands that git does in one process work: rev-parse, config,
 * for-each-ref and the like.
 */
export async function askGit(
  { supervise }: Pick<ServerSettings, "supervise">,
  args: readonly string[],
  { directory, readable, env, input = Buffer.alloc(0) }: GitQuestion,
): Promise<GitAnswer> {
  using paths = new BoundPaths([directory, ...readable]);
  const [start = 0, ...open] = paths.descriptors;
  const words = ["--in", "3", ...open.flatMap((_, index) => ["--open", `${index + 4}`])];
  const child = spawn(supervise, ["--git", ...words, "/usr/bin/git", ...args], {
    cwd: "/",
    env,
    timeout: TIMEOUT_MS,
    stdio: ["pipe", "pipe", "pipe", start, ...open],
  }) as ChildProcessWithoutNullStreams; // its first three are pipes
  child.stdin.on("error", () => {}); // git may end before it has read everything
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [output, errors, code] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    ended,
  ]);
  return { code, output, errors };
}
