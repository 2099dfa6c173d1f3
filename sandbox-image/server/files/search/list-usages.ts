import type { Answer } from "../../handlers.ts";
import { byPlace, type FoundLine, isMatch, parseMatch, shortLine } from "./rg-match.ts";
import { includeArgs, type Ripgrep, ripgrep } from "./ripgrep.ts";
import { kindOfUsage } from "./usage-kind.ts";

const MAX_USAGES = 500;

/** Where a symbol stands as a whole word. `first` are files whose hits come before the others. */
export async function listUsages(
  where: Ripgrep,
  symbolName: string,
  first: ReadonlySet<string>,
): Promise<Answer> {
  const found: FoundLine[] = [];
  let total = 0;
  const { end } = await ripgrep(where, usageArgs(symbolName), (line) => {
    if (!isMatch(line)) return undefined;
    total += 1;
    if (found.length < MAX_USAGES) found.push(parseMatch(line));
    return undefined;
  });
  const rank = ({ file }: FoundLine) => (first.has(file) ? 0 : 1);
  found.sort((a, b) => rank(a) - rank(b) || byPlace(a, b));
  const usages = found.map((one) => ({
    file: one.file,
    line: one.line,
    column: one.column,
    context: shortLine(one).trim(),
    kind: kindOfUsage(one.text, one.column - 1, symbolName),
  }));
  return {
    symbolName,
    usages,
    totalCount: total,
    truncated: total > usages.length || end !== "exited",
  };
}

function usageArgs(symbolName: string): string[] {
  const literal = symbolName.replace(/[\\^$.*+?()[\]{}|]/g, (sign) => `\\${sign}`);
  const start = /^[\p{L}\p{N}_]/u.test(symbolName) ? "\\b" : "";
  const end = /[\p{L}\p{N}_]$/u.test(symbolName) ? "\\b" : "";
  return [
    "--json",
    "--case-sensitive",
    ...includeArgs(undefined),
    `--regexp=${start}${literal}${end}`,
  ];
}
