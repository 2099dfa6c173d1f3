/** A file with matches: where it comes in the order of all files, and the items that were kept of it. */
export interface FileInOrder {
  /** Comes before all files without this. */
  readonly isFirst: boolean;
  /** The path as bytes, with NUL for every slash: in this order rg itself sorts. */
  readonly order: Buffer;
}

/** Chooses the items of one page from the matches of many files. */
export interface MatchesPage<Item> {
  readonly count: number;
  /** Whether the match behind `ahead` others of this file can be on the page. */
  covers(file: FileInOrder, ahead: number): boolean;
  /** All matches of a file; undefined for those that were not covered. */
  add(file: FileInOrder, items: readonly (Item | undefined)[]): void;
  items(): readonly Item[];
}

interface Range {
  readonly offset: number;
  readonly limit: number;
}

/** For files that come sorted by path: keeps what is on the page and counts the rest. */
export class SortedPage<Item> implements MatchesPage<Item> {
  readonly #offset: number;
  readonly #end: number;
  readonly #withFirst: boolean;
  readonly #first: Item[] = [];
  readonly #others: Item[] = [];
  #firstCount = 0;
  #othersCount = 0;

  constructor({ offset, limit, withFirst }: Range & { readonly withFirst: boolean }) {
    this.#offset = offset;
    this.#end = offset + limit;
    this.#withFirst = withFirst;
  }

  get count(): number {
    return this.#firstCount + this.#othersCount;
  }

  covers({ isFirst }: FileInOrder, ahead: number): boolean {
    const at = (isFirst ? this.#firstCount : this.#othersCount) + ahead;
    // How many of the first files come before is known only at the end.
    return at >= (this.#withFirst ? 0 : this.#offset) && at < this.#end;
  }

  add({ isFirst }: FileInOrder, items: readonly (Item | undefined)[]): void {
    const kept = items.filter((item) => item !== undefined);
    (isFirst ? this.#first : this.#others).push(...kept);
    if (isFirst) this.#firstCount += items.length;
    else this.#othersCount += items.length;
  }

  items(): readonly Item[] {
    if (!this.#withFirst) return this.#others;
    return [...this.#first, ...this.#others].slice(this.#offset, this.#end);
  }
}

const SORTED_AT_ONCE = 1000;

/** For files that come in any order: keeps what may still be on the page and forgets what comes behind it for sure. */
export class UnsortedPage<Item> implements MatchesPage<Item> {
  count = 0;
  readonly #offset: number;
  readonly #end: number;
  #kept: { readonly file: FileInOrder; readonly items: readonly Item[] }[] = [];
  #keptItems = 0;
  /** Files behind this one are not on the page. */
  #last: FileInOrder | undefined;

  constructor({ offset, limit }: Range) {
    this.#offset = offset;
    this.#end = offset + limit;
  }

  covers(file: FileInOrder, ahead: number): boolean {
    return ahead < this.#end && (!this.#last || byPath(file, this.#last) <= 0);
  }

  add(file: FileInOrder, items: readonly (Item | undefined)[]): void {
    this.count += items.length;
    const kept = items.filter((item) => item !== undefined);
    if (kept.length === 0) return;
    this.#kept.push({ file, items: kept });
    this.#keptItems += kept.length;
    if (this.#keptItems >= 2 * this.#end + SORTED_AT_ONCE) this.#forget();
  }

  #forget(): void {
    this.#kept.sort((a, b) => byPath(a.file, b.file));
    let before = 0;
    const behind = this.#kept.findIndex(({ items }) => {
      const isBehind = before >= this.#end;
      before += items.length;
      return isBehind;
    });
    if (behind < 0) return;
    this.#kept.length = behind;
    this.#last = this.#kept.at(-1)?.file;
    this.#keptItems = this.#kept.reduce((sum, { items }) => sum + items.length, 0);
  }

  items(): readonly Item[] {
    this.#kept.sort((a, b) => byPath(a.file, b.file));
    return this.#kept.flatMap(({ items }) => items).slice(this.#offset, this.#end);
  }
}

export function byPath(a: FileInOrder, b: FileInOrder): number {
  if (a.isFirst !== b.isFirst) return a.isFirst ? -1 : 1;
  return Buffer.compare(a.order, b.order);
}
