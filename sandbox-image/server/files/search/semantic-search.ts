import { setImmediate as breathe } from "node:timers/promises";
import { nameFrom, shownName } from "../../../../src/lib/file-names.ts";
import type { Answer } from "../../handlers.ts";
import { Glob } from "../glob/glob.ts";
import { readText } from "../text-file.ts";
import { NullSeparated } from "./rg-output.ts";
import {
  answerWith,
  type Gap,
  includeArgs,
  noteFor,
  type Ripgrep,
  ripgrep,
  withoutDot,
} from "./ripgrep.ts";
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
  readonly offset?: number | undefined;
}

export async function semanticSearch(
  where: Ripgrep,
  scorer: Scorer,
  { query, includePattern, limit = DEFAULT_RESULTS, offset = 0 }: SemanticQuery,
): Promise<Answer> {
  const glob = includePattern === undefined ? undefined : Glob.ofFiles(includePattern, where);
  const { files: candidates, gap } = await candidateFiles(where, scorer.needles(query), glob);
  const scanned = candidates.slice(0, MAX_FILES);
  const ranked: Ranked[] = [];
  for (const file of scanned) {
    where.signal.throwIfAborted();
    const snippets = await snippetsIn(where.root, file);
    const scores = await scorer.score(query, snippets);
    snippets.forEach((snippet, index) => {
      ranked.push({ snippet, score: scores[index] ?? 0 });
    });
    await breathe();
  }
  const fitting = ranked.filter(({ score }) => score > 0);
  const end = offset + Math.min(limit, MAX_RESULTS);
  const results = best(fitting).slice(offset, end).map(shownResult);
  const left = candidates.length - scanned.length;
  const answer = {
    results,
    count: results.length,
    filesScanned: scanned.length,
    totalCount: fitting.length,
    truncated: left > 0 || end < fitting.length,
    ...(offset > 0 ? { offset } : {}),
    ...(end < fitting.length ? { nextOffset: end } : {}),
    ...noteFor(glob, fitting.length),
    ...(left > 0
      ? {
          message: `${left} more files could match but were not searched. Narrow the search with rootPath or includePattern.`,
        }
      : {}),
  };
  return answerWith(answer, gap, results.length);
}

/** Files that hold some of the words, those with most of them first. */
async function candidateFiles(
  where: Ripgrep,
  needles: readonly string[],
  glob: Glob | undefined,
): Promise<{ files: string[]; gap: Gap | undefined }> {
  const found: { file: string; count: number }[] = [];
  const isCounting = needles.length > 0;
  const which = isCounting
    ? [
        "--count-matches",
        "--with-filename",
        "--ignore-case",
        "--fixed-strings",
        ...needles.map((needle) => `--regexp=${needle}`),
      ]
    : ["--files"];
  const args = [...which, "--null", `--max-filesize=${MAX_FILE_SIZE}`, ...includeArgs(glob)];
  // Behind each path and its NUL stands the count of that file, and the next path in a line of its own.
  const parts = new NullSeparated((part) => {
    const [, count = "", file = ""] = /^(?:(\d+)\n)?(.*)$/s.exec(nameFrom(part)) ?? [];
    const last = found.at(-1);
    if (last && isCounting) last.count = Number(count);
    found.push({ file: withoutDot(isCounting && last ? file : nameFrom(part)), count: 0 });
  });
  const gap = await ripgrep(where, args, (chunk) => {
    parts.push(chunk);
    return undefined;
  });
  const last = found.at(-1);
  if (last) last.count = Number.parseInt(parts.rest.toString(), 10) || 0;
  const fitting = found.filter(({ file }) => glob?.matches(file) ?? true);
  fitting.sort((a, b) => b.count - a.count || (a.file < b.file ? -1 : 1));
  return { files: fitting.map(({ file }) => file), gap };
}

async function snippetsIn(root: string, file: string): Promise<Snippet[]> {
  try {
    return snippetsOf(shownName(file), (await readText(`${root}/${file}`)).text);
  } catch {
    // Gone meanwhile, or not text after all: there is nothing to find in it.
    return [];
  }
}

interface Ranked {
  readonly snippet: Snippet;
  readonly score: number;
}

/** Equal ones in the order of files and lines, so that pages put together are everything once. */
function best(ranked: readonly Ranked[]): Ranked[] {
  return ranked.toSorted((a, b) => b.score - a.score || inFiles(a.snippet, b.snippet));
}

function inFiles(a: Snippet, b: Snippet): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line;
}

function shownResult({ snippet, score }: Ranked): object {
  return {
    file: snippet.file,
    line: snippet.line,
    content: snippet.content.slice(0, 2000).toWellFormed(),
    relevance: Math.round(score * 1000) / 1000,
    context: snippet.context.slice(0, 500).toWellFormed(),
  };
}
