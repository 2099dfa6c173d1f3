import { LineSplitter } from "../../../../src/contract/lines.ts";
import { ToolError } from "../../../../src/contract/operation.ts";
import type { ServerSettings } from "../../settings.ts";
import { type Outcome, runProgram } from "./program.ts";

/** Build results and other people's code: never what somebody searches for by name. */
export const EXCLUDED_DIRECTORIES = [
  "node_modules",
  "bower_components",
  "__pycache__",
  "venv",
  "build",
  "dist",
  "out",
  "target",
  "coverage",
  "DerivedData",
];

const TIMEOUT_MS = 20_000;
const LINE_LIMIT_BYTES = 4 * 1024 * 1024;

export interface Ripgrep {
  readonly settings: ServerSettings;
  /** Resolved directory to search in. */
  readonly root: string;
  readonly signal: AbortSignal;
}

/** Runs rg over `root` and hands its output over line by line; `onLine` answers "stop" when it has enough. */
export async function ripgrep(
  { settings, root, signal }: Ripgrep,
  args: readonly string[],
  onLine: (line: string) => "stop" | undefined,
): Promise<Outcome> {
  let stopped = false;
  const lines = new LineSplitter(
    {
      line: (line) => {
        if (!stopped) stopped = onLine(line) === "stop";
      },
      // A match in a line of megabytes: nobody could read it.
      overlong: () => {},
    },
    LINE_LIMIT_BYTES,
  );
  const outcome = await runProgram(settings, {
    command: "rg",
    args: ["--no-config", "--no-messages", ...args, "--", "./"],
    cwd: root,
    timeoutMs: TIMEOUT_MS,
    signal,
    onOutput: (chunk, stop) => {
      lines.push(chunk);
      if (stopped) stop();
    },
  });
  check(outcome);
  return outcome;
}

/** Exit 1 means no match, 2 an error; with --no-messages only what is wrong with the arguments is told. */
function check({ end, exitCode, errors }: Outcome): void {
  if (end === "cancelled") throw new ToolError("executionFailed", "The search was stopped.");
  if (end === "missing") {
    throw new ToolError(
      "executionFailed",
      "ripgrep (rg) is not installed in this workspace. Search with run_command and grep -rn.",
    );
  }
  if (end === "exited" && exitCode === 2 && errors.trim() !== "") {
    throw new ToolError(
      "invalidParameters",
      `The search was refused: ${errors.trim().slice(0, 1000)}`,
    );
  }
}

/** Globs of the files to look at. A pattern that names a hidden or excluded directory means it. */
export function includeArgs(includePattern: string | undefined): string[] {
  const named = includePattern ?? "";
  const hidden = /(^|[/{,])\.[^./]/.test(named);
  return [
    ...(hidden ? ["--hidden"] : []),
    ...(includePattern === undefined ? [] : [`--glob=${includePattern}`]),
    ...(hidden ? ["--glob=!.git"] : ["--glob=!.*"]),
    ...(named.includes("node_modules") ? [] : ["--glob=!node_modules"]),
  ];
}

export function withoutDot(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}
