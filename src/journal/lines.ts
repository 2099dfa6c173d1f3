import { z } from "zod";
import { TodoList } from "../contract/conversation/todo.ts";
import { type JournalLine, UnreadableError } from "../contract/store.ts";
import type { DeepReadonly } from "../lib/deep-readonly.ts";
import { conversationLines } from "./conversation-lines.ts";
import { permissionLines } from "./permission-lines.ts";

/**
 * The version of the lines that are written here. To be raised with every new kind, and with every change to one; a journal
 * without a version is of version 1.
 */
export const JOURNAL_VERSION = 3;

/** A message that shows a part of a slot. Without `post` it was taken back; `copy` counts those that were lost before it. */
const Post = z.object({
  slot: z.string(),
  part: z.string(),
  post: z.string().exactOptional(),
  copy: z.int(),
});

/** All kinds of lines, each with its one schema. */
const lines = {
  /** From here on lines of this version may follow. */
  "journal.version": z.object({ version: z.int().min(1) }),
  ...conversationLines,
  ...permissionLines,
  /** The whole list; the last one counts. */
  todo: TodoList,
  "view.posted": Post,
  "view.removed": Post,
};

export type LineKind = keyof typeof lines;
export type LineData<Kind extends LineKind> = DeepReadonly<z.infer<(typeof lines)[Kind]>>;
export type Line<Kinds extends LineKind = LineKind> = {
  [Kind in Kinds]: { readonly kind: Kind; readonly data: LineData<Kind> };
}[Kinds];

/** The facts of a conversation, beside those about permissions, todos and views. */
export type ConversationLine = Line<keyof typeof conversationLines>;
export type PermissionLine = Line<keyof typeof permissionLines>;

export function isKnown(kind: string): kind is LineKind {
  return Object.hasOwn(lines, kind);
}

/** Several projections read the same line. */
const parsed = new WeakMap<JournalLine, unknown>();

/** What a line of a known kind says. One that cannot be read throws. */
export function dataOf<Kind extends LineKind>(
  kind: Kind,
  line: JournalLine,
  version = JOURNAL_VERSION,
): LineData<Kind> {
  const known = parsed.get(line);
  if (known !== undefined) return known as LineData<Kind>;
  const { success, data, error } = lines[kind].safeParse(line.data);
  if (!success) throw unreadable(line, version, error);
  parsed.set(line, data);
  return data as LineData<Kind>;
}

/** A line that cannot be read, and has to be. The version is that of the journal. */
export function unreadable({ seq, kind }: JournalLine, version: number, cause?: Error) {
  const remedy =
    version > JOURNAL_VERSION
      ? `It was written by a newer version of Deckhand (journal version ${version}, this one reads up to ${JOURNAL_VERSION}): run that version.`
      : "It may come from a newer version: run that version, or restore the store from a backup.";
  const what = cause ? `should be a "${kind}" and cannot be read` : `is an unknown "${kind}"`;
  return new UnreadableError(`Line ${seq} of a journal ${what}. ${remedy}`, { cause });
}
