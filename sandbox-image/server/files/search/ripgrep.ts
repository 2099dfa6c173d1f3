import { ToolError } from "../../../../src/contract/tools/operation.ts";
import { shownName } from "../../../../src/lib/file-names.ts";
import { codeOf } from "../../error-code.ts";
import type { Answer } from "../../handlers.ts";
import type { ServerSettings } from "../../settings.ts";
import type { Glob } from "../glob/glob.ts";
import { type Outcome, type Program, runProgram } from "./program.ts";

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

/** Takes what rg prints, and answers "stop" when it has enough. */
type OnOutput = (chunk: Buffer) => "stop" | undefined;

/** Runs rg over `root`. Resolves with the reason why something was left out, if any. Throws when there was no search. */
export async function ripgrep(
  where: Ripgrep,
  args: readonly string[],
  onOutput: OnOutput,
): Promise<Gap | undefined> {
  const program = { command: "rg", args: [], timeoutMs: TIMEOUT_MS };
  const outcome = await run(where, program, args, onOutput);
  if (outcome.end === "missing") throw notInstalled();
  return gapIn(outcome);
}

/** The same with limits on rg itself. "incomplete": it was stopped, hit a limit or could not run. */
export async function boundedRipgrep(
  where: Ripgrep,
  args: readonly string[],
  { timeoutMs, dataBytes }: { readonly timeoutMs: number; readonly dataBytes: number },
  onOutput: OnOutput,
): Promise<{ readonly end: "complete" | "incomplete"; readonly gap?: Gap | undefined }> {
  const limits = [`--data=${dataBytes}`, "--core=0", "rg"];
  const program = { command: "prlimit", args: limits, timeoutMs };
  const outcome = await run(where, program, args, onOutput);
  if (outcome.end === "missing") return { end: "incomplete" };
  const gap = gapIn(outcome);
  const isComplete = gap === undefined || gap.kind === "unreadable";
  return { end: isComplete ? "complete" : "incomplete", gap };
}

async function run(
  { settings, root, signal }: Ripgrep,
  program: Pick<Program, "command" | "args" | "timeoutMs">,
  args: readonly string[],
  onOutput: OnOutput,
): Promise<Outcome> {
  // A program can be started only in a directory whose path is UTF-8.
  if (!root.isWellFormed()) throw notSearchable(root);
  try {
    return await runProgram(settings, {
      ...program,
      args: [...program.args, "--no-config", ...args, "--", "./"],
      cwd: root,
      signal,
      onOutput: (chunk, stop) => {
        if (onOutput(chunk) === "stop") stop();
      },
    });
  } catch (error) {
    if (error instanceof ToolError || codeOf(error) === "") throw error;
    throw notStarted(error);
  }
}

function notInstalled(): ToolError {
  return new ToolError(
    "executionFailed",
    "ripgrep (rg) is not installed in this workspace. Search with run_command and grep -rn.",
  );
}

function notSearchable(root: string): ToolError {
  return new ToolError(
    "executionFailed",
    `The path ${shownName(root)} is not UTF-8, so no search can start there. Search from a directory above it, or with run_command and grep -rn.`,
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
  if (end === "timeout") {
    return { kind: "timeout", message: "The search took too long and was stopped. Narrow it." };
  }
  if (end === "stopped")
    return { kind: "stopped", message: "There are more matches than were counted." };
  if (exitCode === 0 || exitCode === 1) return undefined;
  const lines = errors.split("\n").filter((line) => line.trim() !== "");
  if (exitCode !== 2) return failure(signal ?? `exit code ${exitCode}`, lines);
  const unread = lines.filter((line) => OF_A_FILE.test(line));
  if (lines.length === 0) return failure("exit code 2", lines);
  if (unread.length < lines.length) {
    throw new ToolError(
      "invalidParameters",
      `The search was rejected: ${errors.trim().slice(0, 1000)}`,
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
    message: `The search failed halfway (${reason}${said === "" ? "" : `: ${said}`}), so these results are incomplete. Try again, or narrow it.`,
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

/** What there is to say about a glob when nothing was found. */
export function noteFor(glob: Glob | undefined, foundCount: number): { message?: string } {
  return foundCount === 0 && glob?.note !== undefined ? { message: glob.note } : {};
}

/** Which files to look at; a glob narrows it. */
export function includeArgs(glob: Glob | undefined): string[] {
  const excluded = ["node_modules"];
  return glob?.rgArgs({ excluded }) ?? ["--glob=!.*", "--glob=!node_modules"];
}

export function withoutDot(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}
