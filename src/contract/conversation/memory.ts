import { z } from "zod";

export const ContentType = z.enum(["interaction", "fact", "preference", "task", "document"]);
export type ContentType = z.infer<typeof ContentType>;

/** Something worth knowing later. Written once and never changed. */
export const Memory = z.object({
  id: z.string(),
  scope: z.string(),
  /** Where it was stored: in a shared topic others find it too. */
  conversation: z.string(),
  content: z.string(),
  contentType: ContentType,
  context: z.string().exactOptional(),
  /** From 0 to 1. */
  importance: z.number(),
  tags: z.array(z.string()),
  createdAt: z.string(),
});
export type Memory = z.infer<typeof Memory>;

export interface NewMemory {
  readonly conversation: string;
  readonly content: string;
  readonly contentType: ContentType;
  readonly context?: string;
  readonly tags?: readonly string[];
  /** 0.5 when left out. */
  readonly importance?: number;
}

export interface StoredMemory {
  readonly memory: Memory;
  /** The same content had been stored in this scope minutes ago: `memory` is that one, and nothing was written. */
  readonly isDuplicate: boolean;
}

export interface FoundMemory {
  readonly memory: Memory;
  /** From 0 to 1; 1 is the very text that was asked for. */
  readonly relevance: number;
  /** How often a search has found it, this one included. */
  readonly accessCount: number;
  readonly lastAccessed: string;
}

/** What one scope holds. The parts of imported documents count as memories of type "document". */
export interface Collections {
  readonly total: number;
  readonly byType: Readonly<Record<ContentType, number>>;
  /** Of the last 24 hours. */
  readonly recent: number;
  /** Undefined where there is nothing to average. */
  readonly averageImportance?: number;
  readonly documents: number;
}

export interface NewDocument {
  readonly conversation: string;
  /** Where it lies in the workspace. The same path again replaces what was imported from there. */
  readonly path: string;
  readonly text: string;
  readonly tags?: readonly string[];
}

export interface ImportedDocument {
  readonly id: string;
  readonly path: string;
  readonly characters: number;
  /** The pieces that searches find. */
  readonly parts: number;
  readonly tags: readonly string[];
  readonly importedAt: string;
}

/** A value that is kept under a name until it is replaced or deleted. */
export interface NamedValue {
  readonly key: string;
  readonly value: string;
  readonly updatedAt: string;
}

export interface ImportOutcome {
  readonly document: ImportedDocument;
  readonly outcome: "imported" | "replaced" | "unchanged";
}

/**
 * What is remembered, scope by scope: a conversation's own, or a topic's. No scope ever sees another's. What was stored
 * is durable once the promise resolves. Every method throws a StoreError where the store cannot answer, and never
 * takes that for "nothing found".
 */
export interface Memories {
  store(scope: string, memory: NewMemory): Promise<StoredMemory>;
  /** The most relevant first, none below `threshold`. */
  search(
    scope: string,
    query: string,
    options: { readonly limit: number; readonly threshold: number },
  ): Promise<FoundMemory[]>;
  collections(scope: string): Promise<Collections>;
  /** What the conversation has stored within the last five minutes, for the reminder not to store it again. */
  recent(scope: string, conversation: string): Promise<Memory[]>;
  /** The conversation begins anew: what it has stored so far stays, and is recent no longer. */
  forgetRecent(conversation: string): Promise<void>;
  importDocument(scope: string, document: NewDocument): Promise<ImportOutcome>;
  /** What the conversation has imported, oldest first; each path once. */
  documents(scope: string, conversation: string): Promise<ImportedDocument[]>;
  /** True where it replaces an older value. */
  setValue(scope: string, key: string, value: string): Promise<boolean>;
  value(scope: string, key: string): Promise<NamedValue | undefined>;
  /** By their names in order. */
  values(scope: string): Promise<NamedValue[]>;
  /** False where there was none. */
  deleteValue(scope: string, key: string): Promise<boolean>;
  /** Forgets everything in the scope. How many memories and values that were, parts of documents counted. */
  clear(scope: string): Promise<number>;
}
