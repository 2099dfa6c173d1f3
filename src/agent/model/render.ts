import type { TranscriptItem } from "../../contract/model.ts";

type Spoken = Extract<TranscriptItem, { type: "user" | "reminder" }>;

/** The text of a message with who says it. Neither wire has a portable field for that. */
export function renderMessage(item: Spoken): string {
  if (item.type === "reminder") return element("system-reminder", "", item.text);
  const from = item.author === undefined ? "" : ` from="${attribute(item.author)}"`;
  if (item.quoted) return element("quoted-message", from, plain(item.text));
  if (from) return element("chat-message", from, plain(item.text));
  return spoken(plain(item.text), "(an empty message)");
}

/** What a tool gave back. Some servers refuse an empty one. */
export function renderResult(text: string): string {
  return spoken(plain(text), "(no output)");
}

/** Half a surrogate pair makes a request that servers cannot read. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}

/** Only we may speak in these elements: whatever looks like one in other people's text is escaped. */
function plain(text: string): string {
  return wellFormed(text).replace(
    /<(?=\s*\/?\s*(?:system-reminder|quoted-message|chat-message)\b)/gi,
    "&lt;",
  );
}

function element(name: string, attributes: string, text: string): string {
  return `<${name}${attributes}>\n${wellFormed(text)}\n</${name}>`;
}

function attribute(text: string): string {
  const oneLine = wellFormed(text).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
  return oneLine.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

function spoken(text: string, otherwise: string): string {
  return text.trim() === "" ? otherwise : text;
}
