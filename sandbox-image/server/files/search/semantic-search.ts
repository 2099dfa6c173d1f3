import { setImmediate as breathe } from "node:timers/promises";
import type { Answer } from "../../handlers.ts";
import { readText } from "../text-file.ts";
import { includeArgs, type Ripgrep, ripgrep, withoutDot } from "./ripgrep.ts";
import type { Scorer, Snippet } from "./scorer.ts";
import { snippetsOf } from "./snippets.ts";

const DEFAULT_RESULTS = 20;
const MAX_RESULTS = 1000;
const MAX_FILES = 500;
const MAX_FILE_SIZE = "512K";

export interface SemanticQuery {
  readonly query: string;
  readonly includePattern?: string | undefined;
  readonly limit?: number | undefined;
}

export async function semanticSearch(
  where: Ripgrep,
  scorer: Scorer,
  { query, includePattern, limit = DEFAULT_RESULTS }: SemanticQuery,
): Promise<Answer> {
  const candidates = await candidateFiles(where, scorer.needles(query), includePattern);
  const scanned = candidates.slice(0, MAX_FILES);
  const ranked: { snippet: Snippet; score: number }[] = [];
  for (const file of scanned) {
    where.signal.throwIfAborted();
    const snippets = await snippetsIn(where.root, file);
    const scores = await scorer.score(query, snippets);
    snippets.forEach((snippet, index) => {
      ranked.push({ snippet, score: scores[index] ?? 0 });
    });
    await breathe();
  }
  const results = best(ranked, Math.min(limit, MAX_RESULTS));
  const left = candidates.length - scanned.length;
  return {
    results,
    count: results.length,
    filesScanned: scanned.length,
    truncated: left > 0,
    ...(left > 0
      ? {
          message: `${left} more files could fit and were not looked at. Narrow the search with rootPath or includePattern.`,
        }
      : {}),
  };
}

/** Files that hold some of the words, those with most of them first. */
async function candidateFiles(
  where: Ripgrep,
  needles: readonly string[],
  includePattern: string | undefined,
): Promise<string[]> {
  const found: { file: string; count: number }[] = [];
  const which =
    needles.length === 0
      ? ["--files"]
      : [
          "--count-matches",
          "--with-filename",
          "--ignore-case",
          "--fixed-strings",
          "--null",
          ...needles.map((needle) => `--regexp=${needle}`),
        ];
  const args = [...which, `--max-filesize=${MAX_FILE_SIZE}`, ...includeArgs(includePattern)];
  await ripgrep(where, args, (line) => {
    const [file = "", count = "0"] = line.split("\0");
    found.push({ file: withoutDot(file), count: Number(count) });
    return undefined;
  });
  found.sort((a, b) => b.count - a.count || (a.file < b.file ? -1 : 1));
  return found.map(({ file }) => file);
}

async function snippetsIn(root: string, file: string): Promise<Snippet[]> {
  try {
    return snippetsOf(file, (await readText(`${root}/${file}`)).text);
  } catch {
    // Gone meanwhile, or not text after all: there is nothing to find in it.
    return [];
  }
}

function best(ranked: { snippet: Snippet; score: number }[], limit: number): object[] {
  return ranked
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ snippet, score }) => ({
      file: snippet.file,
      line: snippet.line,
      content: snippet.content.slice(0, 2000).toWellFormed(),
      relevance: Math.round(score * 1000) / 1000,
      context: snippet.context.slice(0, 500).toWellFormed(),
    }));
}
