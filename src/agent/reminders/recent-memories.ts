import type { Memory } from "../../contract/conversation/memory.ts";
import type { ReminderItem } from "../../contract/model.ts";
import { oneLine } from "../own-elements.ts";

const PREVIEW_CHARS = 100;
const SHOWN = 20;

/** What was stored minutes ago: models like to store the same again. */
export function memoryReminder(memories: readonly Memory[]): ReminderItem | undefined {
  if (memories.length === 0) return undefined;
  const shown = memories.slice(-SHOWN);
  const text = [
    "Stored in memory within the last minutes:",
    ...(shown.length < memories.length ? [`- … and ${memories.length - SHOWN} earlier`] : []),
    ...shown.map(({ id, content }) => `- [${id.slice(0, 8)}] ${oneLine(content, PREVIEW_CHARS)}`),
    "Do not store any of it again; go on with the next task.",
  ].join("\n");
  return { type: "reminder", element: "recentlyStoredMemories", text };
}
