import type { ImportedDocument } from "../../contract/conversation/memory.ts";
import { count } from "../../contract/display.ts";
import type { ReminderItem } from "../../contract/model.ts";
import { oneLine } from "../own-elements.ts";

const NAME_CHARS = 200;
const SHOWN = 50;

/** Which documents can be searched already. */
export function documentReminder(documents: readonly ImportedDocument[]): ReminderItem | undefined {
  if (documents.length === 0) return undefined;
  const shown = documents.slice(-SHOWN);
  const lines = shown.map(
    ({ path, characters, id }) =>
      `- ${oneLine(path, NAME_CHARS)} (${count(characters, "character")}, id ${id.slice(0, 8)})`,
  );
  const text = [
    "Documents that were imported in this conversation:",
    ...(shown.length < documents.length ? [`- … and ${documents.length - SHOWN} earlier`] : []),
    ...lines,
    "Do not import them again. To search them, use memory_operations.search_memory with a " +
      "similarity_threshold of about 0.2.",
  ].join("\n");
  return { type: "reminder", text };
}
