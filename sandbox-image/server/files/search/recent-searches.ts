import { BoundedMap } from "../../../../src/lib/bounded.ts";
import type { Answer } from "../../handlers.ts";

/** One search and what it found. */
export interface Search {
  readonly type: "file_search" | "grep_search";
  readonly query: string;
  readonly fileCount: number;
  readonly matchCount: number;
  readonly timestamp: string;
  readonly files: readonly {
    readonly path: string;
    readonly matches: readonly { readonly line: number; readonly content: string }[];
  }[];
}

const KEPT = 10;
const SHOWN = 5;
const FILES_KEPT = 100;
const CONVERSATIONS = 100;

/** The latest searches, each conversation's apart. */
export class RecentSearches {
  readonly #kept = new BoundedMap<string, Search[]>(CONVERSATIONS);

  add(conversation: string, search: Omit<Search, "timestamp">): void {
    const entry: Search = {
      ...search,
      files: search.files.slice(0, FILES_KEPT),
      timestamp: new Date().toISOString(),
    };
    const all = [entry, ...(this.#kept.get(conversation) ?? [])];
    this.#kept.set(conversation, [
      ...newest(all, "file_search", KEPT),
      ...newest(all, "grep_search", KEPT),
    ]);
  }

  answer(conversation: string): Answer {
    const kept = this.#kept.get(conversation) ?? [];
    const searches = [...newest(kept, "file_search", SHOWN), ...newest(kept, "grep_search", SHOWN)];
    const files = new Set(searches.flatMap((search) => search.files.map(({ path }) => path)));
    return {
      totalMatches: searches.reduce((sum, { matchCount }) => sum + matchCount, 0),
      totalFiles: files.size,
      searches,
      timestamp: new Date().toISOString(),
    };
  }
}

function newest(searches: readonly Search[], type: Search["type"], count: number): Search[] {
  return searches.filter((search) => search.type === type).slice(0, count);
}
