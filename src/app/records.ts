import { createAudit } from "../audit/audit.ts";
import type { Audit } from "../contract/audit.ts";
import type { EventHub } from "../contract/event.ts";
import type { Memories } from "../contract/memory.ts";
import type { Redactor } from "../contract/redactor.ts";
import type { Documents, Store } from "../contract/store.ts";
import type { Todos } from "../contract/todo.ts";
import { type Choices, createChoices } from "../conversation/choices.ts";
import { Journal } from "../conversation/journal.ts";
import { createSettings, type Settings } from "../conversation/settings.ts";
import { createTodos } from "../conversation/todos.ts";
import { createEventHub } from "../events/hub.ts";
import type { Log } from "../lib/log.ts";
import { createMemories } from "../memory/memories.ts";
import { StoredResults } from "../tools/stored-results.ts";

interface RecordParts {
  readonly store: Store;
  readonly redactor: Redactor;
  readonly log: Log;
}

/** All that is kept, each kind under its own name in the store, and those who are told when it changes. */
export interface Records {
  readonly store: Store;
  readonly hub: EventHub;
  readonly audit: Audit & AsyncDisposable;
  readonly journal: Journal;
  readonly settings: Settings;
  readonly choices: Choices;
  /** What people point at, by conversation. */
  readonly selections: Documents;
  readonly memories: Memories;
  readonly todos: Todos;
  /** Results that are too long for a model. */
  readonly results: StoredResults;
}

export function openRecords({ store, redactor, log }: RecordParts): Records {
  const warn = (message: string) => log("warn", message);
  const hub = createEventHub({ warn });
  return {
    store,
    hub,
    audit: createAudit({ store, redactor }),
    journal: new Journal(store),
    settings: createSettings({ documents: store.documents("settings"), events: hub, warn }),
    choices: createChoices(store.documents("choices")),
    selections: store.documents("selections"),
    memories: createMemories({ documents: store.documents("memory") }),
    todos: createTodos(store, hub),
    results: new StoredResults(store.documents("tool-results")),
  };
}
