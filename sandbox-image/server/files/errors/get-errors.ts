import { ToolError } from "../../../../src/contract/tools/operation.ts";
import type { Answer, CallContext } from "../../handlers.ts";
import type { ServerSettings } from "../../settings.ts";
import { placeOf } from "../place.ts";
import { runProgram } from "../search/program.ts";
import type { Checker } from "./checkers.ts";
import { matchProblems, type Problem } from "./problem-matchers.ts";
import { programPath, projectsOf } from "./project.ts";

const CHECKER_TIMEOUT_MS = 90_000;
const LISTED = 500;

export interface GetErrors {
  readonly filePaths?: readonly string[] | undefined;
  readonly workspace_path?: string | undefined;
}

export interface ErrorSources {
  readonly settings: ServerSettings;
  /** What the conversation's last task printed, for projects that no checker fits. */
  readonly lastOutput: (conversation: string) => string | undefined;
}

/** Runs the checkers that fit and lists what they say, about the asked files only. */
export async function getErrors(
  { settings, lastOutput }: ErrorSources,
  { filePaths = [], workspace_path = "." }: GetErrors,
  context: CallContext,
): Promise<Answer> {
  const root = await placeOf(settings, workspace_path);
  const files = await Promise.all(filePaths.map((path) => placeOf(settings, path)));
  const projects = await projectsOf(root, files);
  const reports: Report[] = [];
  for (const { directory, checkers } of projects) {
    for (const checker of checkers) {
      context.progress(`running ${checker.name}`);
      reports.push(await check({ settings, checker, directory, root: root.path }, context.signal));
    }
  }
  if (projects.length === 0) reports.push(fromOutput(lastOutput(context.conversation), root.path));
  const all = await shownProblems(settings, reports);
  const wanted = files.map(({ shown }) => shown);
  const errors = all.filter(({ file }) => wanted.length === 0 || isAsked(file, wanted));
  const notes = reports.flatMap(({ note }) => note ?? []);
  return {
    errors: errors.slice(0, LISTED),
    count: errors.length,
    truncated: errors.length > LISTED,
    checkers: reports.flatMap(({ ran }) => ran ?? []),
    ...(notes.length > 0 ? { note: notes.join(" ") } : {}),
  };
}

interface Report {
  readonly directory: string;
  readonly problems: readonly Problem[];
  readonly ran?: string;
  readonly note?: string;
}

interface Check {
  readonly settings: ServerSettings;
  readonly checker: Checker;
  readonly directory: string;
  readonly root: string;
}

async function check(what: Check, signal: AbortSignal): Promise<Report> {
  const { settings, checker, directory, root } = what;
  const { end, exitCode, output, errors } = await runProgram(settings, {
    command: await programPath(checker, directory, root),
    args: checker.args,
    cwd: directory,
    timeoutMs: CHECKER_TIMEOUT_MS,
    signal,
  });
  if (end === "cancelled") throw new ToolError("executionFailed", "The check was stopped.");
  if (end === "missing") return missing(what, signal);
  if (end === "timeout") {
    return {
      directory,
      problems: [],
      note: `${checker.name} took over ${CHECKER_TIMEOUT_MS / 1000} s and was stopped.`,
    };
  }
  const problems = checker.parse(output, errors) ?? [];
  const broke = problems.length === 0 && exitCode !== 0;
  const said = (errors.trim() || output.trim()).slice(0, 500);
  const note = broke ? { note: `${checker.name} ended with code ${exitCode}: ${said}` } : {};
  return { directory, problems, ran: checker.name, ...note };
}

async function missing(what: Check, signal: AbortSignal): Promise<Report> {
  const { checker, directory } = what;
  if (checker.otherwise) return check({ ...what, checker: checker.otherwise }, signal);
  return {
    directory,
    problems: [],
    note: `${checker.name} is not installed here, so it was not run.`,
  };
}

function fromOutput(output: string | undefined, directory: string): Report {
  if (output !== undefined) {
    return {
      directory,
      problems: matchProblems(output),
      note: "No checker is available; these problems are from the last task's output.",
    };
  }
  return {
    directory,
    problems: [],
    note: "No project was recognised here (tsconfig.json, eslint, pyproject.toml, go.mod, Cargo.toml …).",
  };
}

/** Checkers name files in their own ways; people see them relative to the workspace, each problem once. */
async function shownProblems(
  settings: ServerSettings,
  reports: readonly Report[],
): Promise<Problem[]> {
  const names = new Map<string, string>();
  const problems = new Map<string, Problem>();
  for (const { directory, problems: found } of reports) {
    for (const problem of found) {
      const path = problem.file.startsWith("/") ? problem.file : `${directory}/${problem.file}`;
      const file = names.get(path) ?? (await placeOf(settings, path)).shown;
      names.set(path, file);
      problems.set(JSON.stringify([file, problem]), { ...problem, file });
    }
  }
  return [...problems.values()];
}

/** The file itself, or a longer path that ends with it. */
function isAsked(file: string, wanted: readonly string[]): boolean {
  return wanted.some((name) => file === name || file.endsWith(`/${name}`));
}
