import { shownName } from "../../../../src/contract/file-names.ts";
import { ToolError } from "../../../../src/contract/operation.ts";
import { codeOf } from "../../error-code.ts";
import type { Answer } from "../../handlers.ts";
import type { ServerSettings } from "../../settings.ts";
import type { Glob } from "../glob/glob.ts";
import { type Outcome, runProgram } from "./program.ts";

const TIMEOUT_MS = 20_000;

export interface Ripgrep {
  readonly settings: ServerSettings;
  /** Resolved directory to search in. */
  readonly root: string;
  readonly signal: AbortSignal;
}

/** Why a search did not see everything. */
export interface Gap {
  /** "failed": rg itself broke. The other reasons leave what was found complete as far as it goes. */
  readonly kind: "stopped" | "timeout" | "unreadable" | "failed";
  readonly message: string;
}

/**
 * Runs rg over `root`; `onOutput` gets what it prints and answers "stop" when it has enough. Resolves with the reason why
 * something was left out, if any. Throws when there was no search at all.
 */
export async function ripgrep(
  { settings, root, signal }: Ripgrep,
  args: readonly string[],
  onOutput: (chunk: Buffer) => "stop" | undefined,
): Promise<Gap | undefined> {
  // A program can be started only in a directory whose path is UTF-8.
  if (!root.isWellFormed()) throw notSearchable(root);
  try {
    const outcome = await runProgram(settings, {
      command: "rg",
      args: ["--no-config", ...args, "--", "./"],
      cwd: root,
      timeoutMs: TIMEOUT_MS,
      signal,
      onOutput: (chunk, stop) => {
        if (onOutput(chunk) === "stop") stop();
      },
    });
    return gapIn(outcome);
  } catch (error) {
    if (error instanceof ToolError || codeOf(error) === "") throw error;
    throw notStarted(error);
  }
}

function notSearchable(root: string): ToolError {
  return new ToolError(
    "executionFailed",
    `The path ${shownName(root)} is not UTF-8, so no search can begin there. Search from a directory above it, or with run_command and grep -rn.`,
  );
}

function notStarted(cause: unknown): ToolError {
  return new ToolError(
    "executionFailed",
    `The search could not be started (${codeOf(cause)}), so nothing was searched. Try again, or stop other processes first.`,
    {},
    { cause },
  );
}

/** rg exits with 0 for matches, 1 for none, and 2 when something went wrong on the way or with the arguments. */
function gapIn({ end, exitCode, signal, errors }: Outcome): Gap | undefined {
  if (end === "cancelled") throw new ToolError("executionFailed", "The search was stopped.");
  if (end === "missing") {
    throw new ToolError(
      "executionFailed",
      "ripgrep (rg) is not installed in this workspace. Search with run_command and grep -rn.",
    );
  }
  if (end === "timeout") {
    return { kind: "timeout", message: "The search took too long and was stopped. Narrow it." };
  }
  if (end === "stopped") return { kind: "stopped", message: "There are more than were counted." };
  if (exitCode === 0 || exitCode === 1) return undefined;
  const lines = errors.split("\n").filter((line) => line.trim() !== "");
  if (exitCode !== 2) return failure(signal ?? `exit code ${exitCode}`, lines);
  const unread = lines.filter((line) => OF_A_FILE.test(line));
  if (lines.length === 0) return failure("exit code 2", lines);
  if (unread.length < lines.length) {
    throw new ToolError(
      "invalidParameters",
      `The search was refused: ${errors.trim().slice(0, 1000)}`,
    );
  }
  return { kind: "unreadable", message: unreadable(unread) };
}

/** What rg prints for a file or directory that it could not read. */
const OF_A_FILE = /^rg: (.+): [^:]*\(os error \d+\)$/;

function unreadable(lines: readonly string[]): string {
  const paths = lines.map((line) => withoutDot(OF_A_FILE.exec(line)?.[1] ?? line));
  const named = paths.slice(0, 3).join(", ").slice(0, 600);
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : "";
  return `Not everything was searched: ${named}${more} could not be read. Check with ls -l.`;
}

function failure(reason: string, lines: readonly string[]): Gap {
  const said = lines.slice(0, 3).join(" ").slice(0, 300);
  return {
    kind: "failed",
    message: `The search broke off (${reason}${said === "" ? "" : `: ${said}`}), so this is not all there is. Try again, or narrow it.`,
  };
}

/** An answer that says what was left out. Finding nothing in an incomplete search is a failure, not an answer. */
export function answerWith(answer: Answer, gap: Gap | undefined, foundCount: number): Answer {
  if (!gap) return answer;
  const { message: note, ...rest } = answer;
  const message = [gap.message, note].filter((part) => part !== undefined).join(" ");
  const incomplete = { ...rest, truncated: true };
  if (gap.kind === "failed" || (foundCount === 0 && gap.kind !== "stopped")) {
    throw new ToolError("executionFailed", message, incomplete);
  }
  return { ...incomplete, message };
}

/** Which files to look at; a glob narrows it. */
export function includeArgs(glob: Glob | undefined): string[] {
  const excluded = ["node_modules"];
  return glob?.rgArgs({ excluded }) ?? ["--glob=!.*", "--glob=!node_modules"];
}

export function withoutDot(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}
