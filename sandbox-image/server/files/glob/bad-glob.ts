import { ToolError } from "../../../../src/contract/tools/operation.ts";

export function badGlob(pattern: string, problem: string): ToolError {
  return new ToolError(
    "invalidParameters",
    `The glob ${pattern.slice(0, 200)} cannot be used: ${problem}. Globs support * ? [a-z] [[:alpha:]] {a,b} ** and @(a|b) ?() *() +() !(); a backslash takes a character literally.`,
  );
}
