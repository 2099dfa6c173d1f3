import { createHash } from "node:crypto";
import type { TranscriptItem } from "../../contract/model.ts";
import type { ConversationParts } from "../parts.ts";

/** What an item could be shortened in. Thoughts in another form than words are whole or not there. */
export function textOf(item: TranscriptItem): string | undefined {
  if (item.type === "call") return item.arguments;
  return item.type === "reasoning" && item.origin.extra?.encrypted_content ? undefined : item.text;
}

/** Of what is left, so much is the beginning: it mostly says what the rest is. */
const BEGINNING = 0.75;

/** Keeps the whole where the model can read it, and gives its beginning and its end with a note of where that is. */
export async function shorten(
  { redactor, results }: Pick<ConversationParts, "redactor" | "results">,
  conversation: string,
  { item, chars }: { readonly item: TranscriptItem; readonly chars: number },
): Promise<string> {
  // Before it is cut: half a secret is not found.
  const text = redactor.redact(textOf(item) ?? "");
  // The same text has the same name: cut off and done again, it is there once.
  const name = `whole-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  const toolCallId = await results.store(conversation, name, text);
  const head = Math.ceil(chars * BEGINNING);
  const tail = Math.max(0, Math.min(chars, text.length) - head);
  const note =
    `[… ${text.length - head - tail} characters are left out here, because they do not fit your context. ` +
    `Read the whole with read_tool_result ${JSON.stringify({ toolCallId })}, part by part …]`;
  const end = tail > 0 ? text.slice(-tail) : "";
  return `${text.slice(0, head)}\n${note}\n${end}`.toWellFormed();
}
