import type { Appended, AppendOptions, Json } from "../../src/contract/store.ts";

interface ModelConversation {
  readonly lines: { readonly kind: string; readonly data: Json }[];
  fence: number;
  holder: string | undefined;
}

interface ModelRow {
  readonly id: string;
  readonly number: number;
  /** Where its due time stands among the others'. */
  due: number;
  tries: number;
  worker: string | undefined;
  isHeld: boolean;
}

export type Due = "past-1" | "past-2" | "now" | "future";

/** What a store means, said as plainly as possible: one process, no clock, nothing runs out. */
export class StoreModel {
  readonly #conversations = new Map<string, ModelConversation>();
  readonly #claims = new Set<string>();
  readonly #ids = new Set<string>();
  #rows: ModelRow[] = [];
  #puts = 0;
  readonly documents = new Map<string, Json>();

  conversation(name: string): ModelConversation {
    const known = this.#conversations.get(name) ?? { lines: [], fence: 0, holder: undefined };
    this.#conversations.set(name, known);
    return known;
  }

  names(): string[] {
    const named = [...this.#conversations].filter(([, { lines }]) => lines.length > 0);
    return named.map(([name]) => name).sort();
  }

  append(
    name: string,
    afterSeq: number,
    lines: ModelConversation["lines"],
    { claims = [], fence = Number.POSITIVE_INFINITY }: AppendOptions,
  ): Appended {
    const conversation = this.conversation(name);
    if (fence < conversation.fence) return { outcome: "fenced", fence: conversation.fence };
    const claim = claims.find((one) => this.#claims.has(one));
    if (claim !== undefined) return { outcome: "claimed", claim };
    const seq = conversation.lines.length;
    if (seq !== afterSeq) return { outcome: "moved", seq };
    for (const one of claims) this.#claims.add(one);
    conversation.lines.push(...lines);
    if (Number.isFinite(fence)) conversation.fence = fence;
    return { outcome: "written", seq: conversation.lines.length };
  }

  lease(name: string, holder: string): number | undefined {
    const conversation = this.conversation(name);
    if (conversation.holder !== undefined && conversation.holder !== holder) return undefined;
    conversation.holder = holder;
    conversation.fence += 1;
    return conversation.fence;
  }

  renew(name: string, fence: number): boolean {
    const { fence: current, holder } = this.conversation(name);
    return holder !== undefined && fence === current;
  }

  release(name: string, fence: number): void {
    const conversation = this.conversation(name);
    if (fence === conversation.fence) conversation.holder = undefined;
  }

  put(id: string, due: Due): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    this.#puts += 1;
    const number = this.#puts;
    const place = this.#place(due, number);
    this.#rows.push({ id, number, due: place, tries: 0, worker: undefined, isHeld: false });
    return true;
  }

  take(worker: string, limit: number): { id: string; tries: number }[] {
    const due = this.#ordered().filter((row) => !row.isHeld && row.due < FUTURE);
    return due.slice(0, limit).map((row) => {
      Object.assign(row, { worker, isHeld: true, tries: row.tries + 1 });
      return { id: row.id, tries: row.tries };
    });
  }

  finish(id: string, worker: string): boolean {
    const row = this.#rows.find((one) => one.id === id && one.worker === worker);
    this.#rows = this.#rows.filter((one) => one !== row);
    return row !== undefined;
  }

  defer(id: string, worker: string, due: Exclude<Due, "now">): boolean {
    const row = this.#rows.find((one) => one.id === id && one.worker === worker);
    if (row) {
      Object.assign(row, { worker: undefined, isHeld: false, due: this.#place(due, row.number) });
    }
    return row !== undefined;
  }

  pending(): { id: string; tries: number }[] {
    return this.#ordered().map(({ id, tries }) => ({ id, tries }));
  }

  #ordered(): ModelRow[] {
    return this.#rows.toSorted((one, other) => one.due - other.due || one.number - other.number);
  }

  #place(due: Due, number: number): number {
    return { "past-1": -2, "past-2": -1, now: number, future: FUTURE }[due];
  }
}

const FUTURE = Number.MAX_SAFE_INTEGER;
