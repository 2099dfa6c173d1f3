import { shownName } from "../../../../src/lib/file-names.ts";
import type { Glob } from "../glob/glob.ts";
import {
  byPath,
  type FileInOrder,
  type MatchesPage,
  SortedPage,
  UnsortedPage,
} from "./matches-page.ts";
import {
  eventOf,
  type FoundLine,
  offsetOf,
  parseFile,
  parseMatch,
  type RgFile,
} from "./rg-match.ts";
import { JsonLines } from "./rg-output.ts";
import { boundedRipgrep, type Gap, type Ripgrep, ripgrep } from "./ripgrep.ts";

/** Beyond this nobody cares how many there are exactly. */
export const COUNT_LIMIT = 100_000;
const BINARY_FILES_NAMED = 20;

export interface Wanted<Item> {
  /** Beside those for the output. */
  readonly args: readonly string[];
  readonly glob?: Glob | undefined;
  readonly offset: number;
  readonly limit: number;
  /** What is kept of a match on the page; the rest of its line is let go. */
  readonly keep: (found: FoundLine) => Item;
  /** Whether matches in this file come before all others. */
  readonly isFirst?: ((path: string) => boolean) | undefined;
}

export interface Found<Item> {
  readonly page: readonly Item[];
  readonly totalCount: number;
  /** Hold a match and are not text. */
  readonly binaryFiles: readonly string[];
  readonly gap: Gap | undefined;
}

/** How deep a page may lie, and how many matches a file may have, to be sorted here. */
const QUICK_MATCHES = 5000;
const QUICK_MS = 10_000;
/** With several threads rg keeps the output of a file in memory until it has read all of it. */
const QUICK_BYTES = 256 * 1024 * 1024;

/**
 * One page of all lines that match, in the order of their paths and lines: the same order every time, so that pages put
 * together are everything once. rg sorts with one thread only, so first it searches unsorted; a search that was not
 * complete, or found very much, starts again in order.
 */
export async function findLines<Item>(where: Ripgrep, wanted: Wanted<Item>): Promise<Found<Item>> {
  return (await findQuickly(where, wanted)) ?? (await findInOrder(where, wanted));
}

async function findQuickly<Item>(
  where: Ripgrep,
  wanted: Wanted<Item>,
): Promise<Found<Item> | undefined> {
  if (wanted.offset + wanted.limit > QUICK_MATCHES) return undefined;
  const reader = new MatchReader(wanted, new UnsortedPage(wanted));
  const lines = new JsonLines((line) => reader.read(line));
  const args = ["--json", `--max-count=${QUICK_MATCHES}`, "--binary", ...wanted.args];
  const limits = { timeoutMs: QUICK_MS, dataBytes: QUICK_BYTES };
  const isTooMuch = () => reader.totalCount >= COUNT_LIMIT || reader.mostInFile >= QUICK_MATCHES;
  const outcome = await boundedRipgrep(where, args, limits, (chunk) => {
    lines.push(chunk);
    return isTooMuch() ? "stop" : undefined;
  });
  if (outcome.end !== "complete" || isTooMuch()) return undefined;
  return { ...reader.found(), gap: outcome.gap };
}

async function findInOrder<Item>(where: Ripgrep, wanted: Wanted<Item>): Promise<Found<Item>> {
  const page = new SortedPage<Item>({ ...wanted, withFirst: wanted.isFirst !== undefined });
  const reader = new MatchReader(wanted, page);
  const lines = new JsonLines((line) => reader.read(line));
  const enough = Math.max(COUNT_LIMIT, wanted.offset + wanted.limit + 1);
  const args = ["--json", "--sort=path", "--binary", ...wanted.args];
  const gap = await ripgrep(where, args, (chunk) => {
    lines.push(chunk);
    return reader.totalCount >= enough ? "stop" : undefined;
  });
  return { ...reader.found(), gap };
}

class MatchReader<Item> {
  /** Of all files with matches, the most in one. */
  mostInFile = 0;
  readonly #wanted: Wanted<Item>;
  readonly #page: MatchesPage<Item>;
  readonly #binaryFiles: (FileInOrder & { readonly name: string })[] = [];
  /** The file that is being read, if it is wanted. */
  #file: FileInOrder | undefined;
  /** Its matches: rg tells only at its end whether it is text. */
  #open: { offset: number; item: Item | undefined }[] = [];

  constructor(wanted: Wanted<Item>, page: MatchesPage<Item>) {
    this.#wanted = wanted;
    this.#page = page;
  }

  get totalCount(): number {
    return this.#page.count + this.#open.length;
  }

  read(line: string): void {
    const event = eventOf(line);
    if (event === "begin") this.#begin(parseFile(line));
    else if (event === "match") this.#match(line);
    else if (event === "end") this.#end(parseFile(line));
  }

  #begin({ path, order }: RgFile): void {
    const isWanted = this.#wanted.glob?.matches(path) ?? true;
    const isFirst = this.#wanted.isFirst?.(path) ?? false;
    this.#file = isWanted ? { isFirst, order } : undefined;
  }

  #match(line: string): void {
    if (!this.#file) return;
    const isKept = this.#page.covers(this.#file, this.#open.length);
    const item = isKept ? this.#wanted.keep(parseMatch(line)) : undefined;
    this.#open.push({ offset: offsetOf(line), item });
    this.mostInFile = Math.max(this.mostInFile, this.#open.length);
  }

  #end({ path, binaryOffset }: RgFile): void {
    if (!this.#file) return;
    const text = this.#open.filter(({ offset }) => isBeforeBinary(offset, binaryOffset));
    if (text.length < this.#open.length) {
      this.#binaryFiles.push({ ...this.#file, name: shownName(path) });
    }
    this.#page.add(
      this.#file,
      text.map(({ item }) => item),
    );
    this.#open = [];
  }

  found(): Omit<Found<Item>, "gap"> {
    // The matches of a file that a broken search did not finish count.
    if (this.#file)
      this.#page.add(
        this.#file,
        this.#open.map(({ item }) => item),
      );
    this.#open = [];
    const binaryFiles = this.#binaryFiles.toSorted(byPath).map(({ name }) => name);
    return { page: this.#page.items(), totalCount: this.totalCount, binaryFiles };
  }
}

/** As rg itself has it: a file is binary with a NUL near its beginning; a later one ends the text. */
const BEGINNING_BYTES = 65_536;

function isBeforeBinary(offset: number, binaryOffset: number | undefined): boolean {
  if (binaryOffset === undefined) return true;
  return binaryOffset >= BEGINNING_BYTES && offset < binaryOffset;
}

/** What an answer says about binary files with a match. */
export function binaryNote(files: readonly string[]): {
  binaryFiles?: readonly string[];
  message?: string;
} {
  if (files.length === 0) return {};
  const message = `${files.length} binary ${files.length === 1 ? "file matches" : "files match"} too; see them with run_command and grep -a.`;
  return { binaryFiles: files.slice(0, BINARY_FILES_NAMED), message };
}

/** What an answer says about the pages after this one. */
export function pageNote({ page, totalCount, gap }: Found<unknown>, offset: number) {
  const end = offset + page.length;
  const hasMore = end < totalCount;
  return {
    totalCount,
    truncated: hasMore || gap !== undefined,
    ...(offset > 0 ? { offset } : {}),
    ...(hasMore ? { nextOffset: end } : {}),
  };
}
