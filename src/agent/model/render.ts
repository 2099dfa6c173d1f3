import type { TranscriptItem } from "../../contract/model.ts";
import { element, foreign, withoutOpenings } from "../own-elements.ts";
import { escapeTokens } from "../template-tokens.ts";

type Spoken = Extract<TranscriptItem, { type: "user" | "reminder" }>;

/** The text of a message with who says it. Neither wire has a portable field for that. */
export function renderMessage(item: Spoken): string {
  if (item.type === "reminder") return reminder(item);
  const from = item.author === undefined ? "" : ` from="${attribute(item.author)}"`;
  if (item.quoted) return element("quoted-message", foreign(item.text), from);
  if (from) return element("chat-message", foreign(item.text), from);
  return spoken(foreign(item.text), "(an empty message)");
}

/** What a tool gave back, marked as such: whatever it says, it is nobody's word. */
export function renderResult(text: string): string {
  return element("tool-output", spoken(foreign(text), "(no output)"));
}

/** What the model itself has said. It may have been talked into saying what only we say. */
export function renderReply(text: string): string {
  return foreign(text);
}

/** What a tool says of itself. Servers of others bring tools as well. */
export function renderDescription(text: string): string {
  return foreign(text);
}

/** Half a surrogate pair makes a request that servers cannot read. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}

/** Reminders tell of todos, files and memories, whose names others have given: their text is never taken as ours. */
function reminder({ text, element: name }: Extract<Spoken, { type: "reminder" }>): string {
  const told = foreign(text, { isWithin: true });
  return element("system-reminder", name === undefined ? told : element(name, told));
}

function attribute(text: string): string {
  const oneLine = wellFormed(text).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
  return withoutOpenings(escapeTokens(oneLine).replaceAll("&", "&amp;").replaceAll('"', "&quot;"));
}

function spoken(text: string, otherwise: string): string {
  return text.trim() === "" ? otherwise : text;
}
