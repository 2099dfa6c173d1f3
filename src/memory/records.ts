import { z } from "zod";
import {
  type ImportedDocument,
  Memory,
  type NewDocument,
} from "../contract/conversation/memory.ts";
import { StoreError } from "../contract/store.ts";
import { partsOf } from "./parts.ts";
import { digest } from "./words.ts";

/** An imported document is one record, so that it is there as a whole or not at all; its parts are cut when it is read. */
const KeptDocument = z.object({
  id: z.string(),
  scope: z.string(),
  conversation: z.string(),
  path: z.string(),
  text: z.string(),
  tags: z.array(z.string()),
  importedAt: z.string(),
});
export type KeptDocument = z.infer<typeof KeptDocument>;

const MemoryRecord = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("memory"), memory: Memory }),
  z.object({ kind: z.literal("document"), document: KeptDocument }),
]);
export type MemoryRecord = z.infer<typeof MemoryRecord>;

/** Counts of use stand apart: a record is never written again, so counting can neither spoil nor revive one. */
export const Use = z.object({ accessCount: z.int(), lastAccessed: z.string() });
export type Use = z.infer<typeof Use>;

// Keys hold digests of scopes and not their names: no name can be the beginning of another one.
export function recordsOf(scope: string): string {
  return `record/${digest(scope)}/`;
}

export function usesOf(scope: string): string {
  return `use/${digest(scope)}/`;
}

/** When a conversation began anew. */
export function beginningKey(conversation: string): string {
  return `begun/${digest(conversation)}`;
}

export function memoryKey({ scope, id }: Memory): string {
  return `${recordsOf(scope)}memory-${id}`;
}

/** Another text is another key: then everybody who looks at the keys alone sees that it has changed. */
export function documentKey(document: KeptDocument): string {
  return `${recordsOf(document.scope)}document-${versionOf(document)}`;
}

function versionOf({ id, text, tags }: KeptDocument): string {
  return `${id}-${digest(text, ...tags)}`;
}

export function readRecord(key: string, value: unknown): MemoryRecord {
  const parsed = MemoryRecord.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new StoreError(
    `The stored entry "${key}" is not a memory. Restore the store from a backup, or delete this key.`,
  );
}

export function newDocument(scope: string, given: NewDocument, importedAt: string): KeptDocument {
  const { conversation, path, text, tags = [] } = given;
  const id = digest(conversation, path);
  return { id, scope, conversation, path, text, tags: [...tags], importedAt };
}

/** The memories that a record stands for: itself, or one for each part of the document. */
export function memoriesIn(record: MemoryRecord): Memory[] {
  if (record.kind === "memory") return [record.memory];
  const { scope, conversation, path, text, tags, importedAt } = record.document;
  const version = versionOf(record.document);
  return partsOf(text).map((content, index, parts) => ({
    id: `${version}-${index + 1}`,
    scope,
    conversation,
    content,
    contentType: "document",
    context: `${path}, part ${index + 1} of ${parts.length}`,
    importance: 0.5,
    tags,
    createdAt: importedAt,
  }));
}

export function describeDocument(document: KeptDocument): ImportedDocument {
  const { id, path, text, tags, importedAt } = document;
  return { id, path, characters: text.length, parts: partsOf(text).length, tags, importedAt };
}
