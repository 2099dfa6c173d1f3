import { useEffect, useRef, useState } from "preact/hooks";
import type { Attachment, ThreadId } from "../../../../src/contract/platform/incoming.ts";
import type {
  Abilities,
  CommandHelp,
  Item,
  PersonInfo,
  ThreadInfo,
  ToPage,
} from "../../protocol.ts";
import type { Target } from "./place.ts";

export type PanelName = "todos" | "terminal" | "files" | "history" | "settings";

/** A message that the server has not confirmed yet. */
export interface Pending {
  readonly id: string;
  readonly thread: ThreadId;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** Said to the other people, and not to the bot. */
  readonly isAside?: boolean;
  /** Why it was not taken; without one it is still on its way. */
  readonly problem?: string;
}

export interface ThreadItems {
  readonly items: readonly Item[];
  /** The last revision that is in it. */
  readonly upTo: number;
  readonly hasEarlier: boolean;
}

export interface State {
  readonly connection: "connecting" | "open" | "lost" | "refused";
  readonly me: PersonInfo;
  readonly people: readonly PersonInfo[];
  readonly commands: readonly CommandHelp[];
  readonly abilities: Abilities;
  readonly status: string;
  readonly fileBytes: number;
  readonly threads: ReadonlyMap<ThreadId, ThreadInfo>;
  readonly current: ThreadId | undefined;
  /** What somebody has followed a link to. */
  readonly target: Target | undefined;
  readonly items: ReadonlyMap<ThreadId, ThreadItems>;
  readonly outbox: readonly Pending[];
  readonly panel: PanelName | undefined;
  readonly isSidebarOpen: boolean;
  /** Said once and gone after a while. */
  readonly toast: string;
}

const NOTHING_YET: State = {
  connection: "connecting",
  me: { id: "", name: "", isOwner: false, isBot: false },
  people: [],
  commands: [],
  abilities: {
    terminal: false,
    terminalInput: false,
    files: false,
    timeline: false,
    settings: false,
  },
  status: "",
  fileBytes: 0,
  threads: new Map(),
  current: undefined,
  target: undefined,
  items: new Map(),
  outbox: [],
  panel: undefined,
  isSidebarOpen: false,
  toast: "",
};

/** The page's one state, and whoever watches it. */
export class Store {
  #state: State = NOTHING_YET;
  readonly #watchers = new Set<() => void>();

  get state(): State {
    return this.#state;
  }

  change(change: Partial<State> | ((state: State) => Partial<State>)): void {
    const changed = typeof change === "function" ? change(this.#state) : change;
    this.#state = { ...this.#state, ...changed };
    for (const watcher of this.#watchers) watcher();
  }

  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

/** A part of the state; the component is drawn again only when that part is another. */
export function usePart<Part>(store: Store, part: (state: State) => Part): Part {
  const latest = useRef(part);
  latest.current = part;
  const [, setTick] = useState(0);
  const value = part(store.state);
  const shown = useRef(value);
  shown.current = value;
  useEffect(() => {
    const draw = () => {
      if (!Object.is(latest.current(store.state), shown.current)) setTick((tick) => tick + 1);
    };
    // Effects run after the browser has painted: the state may have changed since the component was drawn.
    draw();
    return store.watch(draw);
  }, [store]);
  return value;
}

/** What the server said, worked into the state. */
export function applied(state: State, said: ToPage): Partial<State> {
  switch (said.type) {
    case "welcome": {
      const { type: _type, threads, ...rest } = said;
      return {
        ...rest,
        connection: "open",
        threads: new Map(threads.map((thread) => [thread.id, thread])),
      };
    }
    case "thread":
      return { threads: new Map(state.threads).set(said.thread.id, said.thread) };
    case "items":
      return withItems(
        state,
        said.thread,
        said.isWhole ? undefined : state.items.get(said.thread),
        {
          ...said,
          hasEarlier: said.isWhole
            ? said.hasEarlier
            : (state.items.get(said.thread)?.hasEarlier ?? false),
        },
      );
    case "item":
      return withItems(state, said.thread, state.items.get(said.thread), {
        items: [said.item],
        upTo: said.item.rev,
        hasEarlier: state.items.get(said.thread)?.hasEarlier ?? false,
      });
    case "problem":
      return { toast: said.message };
    case "output":
    case "followEnded":
    case "beat":
      return {};
  }
}

function withItems(
  state: State,
  thread: ThreadId,
  there: ThreadItems | undefined,
  news: ThreadItems,
): Partial<State> {
  const items = merged(there?.items ?? [], news.items, news.hasEarlier);
  const upTo = Math.max(there?.upTo ?? 0, news.upTo);
  const arrived = new Set(news.items.map(({ id }) => id));
  return {
    items: new Map(state.items).set(thread, { items, upTo, hasEarlier: news.hasEarlier }),
    outbox: state.outbox.some(({ id }) => arrived.has(`m${id}`))
      ? state.outbox.filter(({ id }) => !arrived.has(`m${id}`))
      : state.outbox,
  };
}

/** Each item once, as it was last, in its place. What lies before the first one that we have is not ours to show. */
function merged(
  there: readonly Item[],
  news: readonly Item[],
  hasEarlier: boolean,
): readonly Item[] {
  const first = hasEarlier ? (there[0]?.seq ?? 0) : 0;
  const result = [...there];
  for (const item of news) {
    if (item.seq < first) continue;
    const index = result.findLastIndex(({ seq }) => seq <= item.seq);
    const same = result[index];
    if (same?.id !== item.id) result.splice(index + 1, 0, item);
    else if (item.rev >= same.rev) result[index] = item;
  }
  return result;
}

export function withEarlier(
  state: State,
  thread: ThreadId,
  earlier: readonly Item[],
  hasEarlier: boolean,
): Partial<State> {
  const there = state.items.get(thread);
  if (!there) return {};
  const items = merged(earlier, there.items, false);
  return { items: new Map(state.items).set(thread, { ...there, items, hasEarlier }) };
}
