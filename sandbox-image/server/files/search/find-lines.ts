import { shownName } from "../../../../src/contract/file-names.ts";
import type { Glob } from "../glob/glob.ts";
import { eventOf, type FoundLine, offsetOf, parseFile, parseMatch } from "./rg-match.ts";
import { JsonLines } from "./rg-output.ts";
import { type Gap, type Ripgrep, ripgrep } from "./ripgrep.ts";

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

/**
 * One page of all lines that match, in the order of their paths and lines: the same order every time, so that pages put
 * together are everything once.
 */
export async function findLines<Item>(where: Ripgrep, wanted: Wanted<Item>): Promise<Found<Item>> {
  const reader = new MatchReader(wanted);
  const lines = new JsonLines((line) => reader.read(line));
  const enough = Math.max(COUNT_LIMIT, wanted.offset + wanted.limit + 1);
  const args = ["--json", "--sort=path", "--binary", ...wanted.args];
  const gap = await ripgrep(where, args, (chunk) => {
    lines.push(chunk);
    return reader.totalCount >= enough ? "stop" : undefined;
  });
  return { ...reader.found(), gap };
}

/** The items of a page out of those that pass by. */
class Page<Item> {
  readonly items: Item[] = [];
  count = 0;
  readonly #from: number;
  readonly #to: number;

  constructor(from: number, to: number) {
    this.#from = from;
    this.#to = to;
  }

  /** Whether the item that comes `ahead` items later will be on the page. */
  covers(ahead: number): boolean {
    return this.count + ahead >= this.#from && this.count + ahead < this.#to;
  }

  add(items: readonly (Item | undefined)[]): void {
    this.count += items.length;
    this.items.push(...items.filter((item) => item !== undefined));
  }
}

class MatchReader<Item> {
  readonly #wanted: Wanted<Item>;
  readonly #first: Page<Item>;
  readonly #others: Page<Item>;
  readonly #binaryFiles = new Set<string>();
  #page: Page<Item> | undefined;
  /** Matches of the file that is being read: rg tells only at its end whether it is text. */
  #open: { offset: number; item: Item | undefined }[] = [];

  constructor(wanted: Wanted<Item>) {
    const { offset, limit, isFirst } = wanted;
    this.#wanted = wanted;
    this.#first = new Page(0, isFirst ? offset + limit : 0);
    // How many come before is known in the end only.
    this.#others = new Page(isFirst ? 0 : offset, offset + limit);
  }

  get totalCount(): number {
    return this.#first.count + this.#others.count + this.#open.length;
  }

  read(line: string): void {
    const event = eventOf(line);
    if (event === "begin") this.#begin(parseFile(line).path);
    else if (event === "match") this.#match(line);
    else if (event === "end") this.#end(parseFile(line));
  }

  #begin(path: string): void {
    const isWanted = this.#wanted.glob?.matches(path) ?? true;
    const page = this.#wanted.isFirst?.(path) ? this.#first : this.#others;
    this.#page = isWanted ? page : undefined;
  }

  #match(line: string): void {
    if (!this.#page) return;
    const isKept = this.#page.covers(this.#open.length);
    const item = isKept ? this.#wanted.keep(parseMatch(line)) : undefined;
    this.#open.push({ offset: offsetOf(line), item });
  }

  #end({ path, binaryOffset }: { path: string; binaryOffset: number | undefined }): void {
    const text = this.#open.filter(({ offset }) => isBeforeBinary(offset, binaryOffset));
    if (text.length < this.#open.length) this.#binaryFiles.add(shownName(path));
    this.#page?.add(text.map(({ item }) => item));
    this.#open = [];
  }

  found(): Omit<Found<Item>, "gap"> {
    // Of a file that a broken search did not finish, what was found counts.
    this.#page?.add(this.#open.map(({ item }) => item));
    this.#open = [];
    const { offset, limit, isFirst } = this.#wanted;
    const page = isFirst
      ? [...this.#first.items, ...this.#others.items].slice(offset, offset + limit)
      : this.#others.items;
    return { page, totalCount: this.totalCount, binaryFiles: [...this.#binaryFiles] };
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
