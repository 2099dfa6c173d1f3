import { join } from "node:path";
import { CHANGES_LIMIT } from "../../../../src/contract/tools/build-and-version-control.ts";
import { isMatcherName, matchProblems } from "../../files/errors/problem-matchers.ts";
import type { Answer } from "../../handlers.ts";
import { shownPath } from "../../paths.ts";
import type { ServerSettings } from "../../settings.ts";

interface Printed {
  readonly cwd: string;
  readonly problemMatcher: readonly string[];
}

/** What a task's problem matchers find in its output; empty for a task without any. */
export async function errorsIn(
  settings: ServerSettings,
  output: string,
  { cwd, problemMatcher }: Printed,
): Promise<Answer> {
  const matchers = problemMatcher.map(withoutWatch).filter(isMatcherName);
  if (matchers.length === 0) return {};
  const problems = matchProblems(output, matchers);
  const errors = problems.slice(0, CHANGES_LIMIT).map(async (problem) => {
    const path = problem.file.startsWith("/") ? problem.file : join(cwd, problem.file);
    return { ...problem, file: await shownPath(settings, path) };
  });
  return { errors: await Promise.all(errors), errorCount: problems.length };
}

/** A sentence about matchers that nobody here knows. */
export function matcherNotice(problemMatcher: readonly string[]): string[] {
  const unknown = problemMatcher.filter((name) => !isMatcherName(withoutWatch(name)));
  if (unknown.length === 0) return [];
  const names = unknown.slice(0, 5).join(", ").slice(0, 200);
  return [`Unknown problemMatcher ${names}; known are $tsc, $eslint-stylish and $gcc.`];
}

/** The editor's matcher for compilers that keep running reads the same lines. */
function withoutWatch(name: string): string {
  return name === "$tsc-watch" ? "$tsc" : name;
}
