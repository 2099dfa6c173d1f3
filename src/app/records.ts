import { createAudit } from "../audit/audit.ts";
import { JournalCommits } from "../audit/journal-commits.ts";
import type { Audit } from "../contract/audit.ts";
import type { Archive } from "../contract/conversation/archive.ts";
import type { EventHub } from "../contract/conversation/event.ts";
import type { Memories } from "../contract/conversation/memory.ts";
import type { Todos } from "../contract/conversation/todo.ts";
import type { UploadBudget } from "../contract/platform/upload-budget.ts";
import type { Redactor } from "../contract/redactor.ts";
import type { Documents, Store } from "../contract/store.ts";
import { type Choices, createChoices } from "../conversation/choices.ts";
import { createArchive } from "../conversation/context/archive.ts";
import { createSettings, type Settings } from "../conversation/settings.ts";
import { Orders } from "../conversation/subagents/orders.ts";
import { createTodos } from "../conversation/todos.ts";
import { StoredUploadBudget } from "../conversation/upload-budget.ts";
import { createEventHub } from "../events/hub.ts";
import { Journal } from "../journal/journal.ts";
import type { Log } from "../lib/log.ts";
import { createMemories } from "../memory/memories.ts";
import { StoredResults } from "../tools/results/stored-results.ts";
import { auditOfAll, choicesOfAll } from "./subagents.ts";

interface RecordParts {
  readonly config: { readonly uploadBytesPerHour: number };
  readonly store: Store;
  readonly redactor: Redactor;
  readonly log: Log;
}

/** All that is kept, each kind under its own name in the store, and those who are told when it changes. */
export interface Records {
  readonly store: Store;
  readonly hub: EventHub;
  readonly audit: Audit & AsyncDisposable;
  readonly journalCommits: JournalCommits;
  readonly journal: Journal;
  /** What was taken out of the model's sight. */
  readonly archive: Archive;
  readonly settings: Settings;
  readonly choices: Choices;
  /** What subagents were told to do. */
  readonly orders: Orders;
  /** What people point at, by conversation. */
  readonly selections: Documents;
  readonly memories: Memories;
  readonly todos: Todos;
  readonly uploadBudget: UploadBudget;
  /** Results that are too long for a model. */
  readonly results: StoredResults;
}

export function openRecords({ config, store, redactor, log }: RecordParts): Records {
  const warn = (message: string) => log("warn", message);
  const hub = createEventHub({ warn });
  const orders = new Orders(store.documents("subagents"));
  const journal = new Journal(store);
  const audit = auditOfAll(createAudit({ store, redactor }));
  return {
    store,
    hub,
    audit,
    journalCommits: new JournalCommits({ store, audit, warn }),
    orders,
    journal,
    archive: createArchive({ journal, redactor }),
    settings: createSettings({ documents: store.documents("settings"), events: hub, warn }),
    choices: choicesOfAll(createChoices(store.documents("choices")), orders),
    selections: store.documents("selections"),
    memories: createMemories({ documents: store.documents("memory") }),
    todos: createTodos(journal, hub),
    uploadBudget: new StoredUploadBudget({
      documents: store.documents("uploads"),
      bytesPerHour: config.uploadBytesPerHour,
    }),
    results: new StoredResults(store.documents("tool-results")),
  };
}
