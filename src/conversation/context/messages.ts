import type { ArchivedMessage } from "../../contract/conversation/archive.ts";
import type { TranscriptItem } from "../../contract/model.ts";
import type { Redactor } from "../../contract/redactor.ts";

/** A message, and what it is in the transcript. */
export interface Message extends ArchivedMessage {
  readonly type: TranscriptItem["type"];
  /** Of a call. */
  readonly tool?: string;
}

/** What was said and done, as one would tell it later: without thoughts, and without secrets before anything is cut. */
export function messagesOf(
  redactor: Pick<Redactor, "redact">,
  items: readonly TranscriptItem[],
  timeOf: (item: TranscriptItem) => string,
): Message[] {
  const tools = new Map(
    items.flatMap((item) => (item.type === "call" ? [[item.callId, item.name]] : [])),
  );
  return items.flatMap((item) => {
    const said = spoken(item, tools);
    if (!said || said.text.trim() === "") return [];
    const { author, text, tool } = said;
    return {
      at: timeOf(item),
      author: redactor.redact(author),
      text: redactor.redact(text),
      type: item.type,
      ...(tool === undefined ? {} : { tool }),
    };
  });
}

interface Spoken {
  readonly author: string;
  readonly text: string;
  readonly tool?: string;
}

function spoken(item: TranscriptItem, tools: ReadonlyMap<string, string>): Spoken | undefined {
  switch (item.type) {
    case "user":
      return { author: item.author ?? "somebody", text: item.text };
    case "reminder":
      return { author: "note", text: item.text };
    case "assistant":
      return { author: "assistant", text: item.text };
    case "call":
      return { author: "assistant", text: `${item.name} ${item.arguments}`, tool: item.name };
    case "result":
      return { author: tools.get(item.callId) ?? "tool", text: item.text };
    case "reasoning":
      return undefined;
  }
}
