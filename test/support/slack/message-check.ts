import { checkMessageBlocks } from "./block-check.ts";
import type { SlackCall } from "./call.ts";
import { type Fields, lengthOf, SlackRefusedError } from "./values.ts";
import { checkNotification, checkWords } from "./words-check.ts";

const POST_CHARS = 40_000;
const UPDATE_CHARS = 4_000;
const MARKDOWN_CHARS = 12_000;
const METADATA_BYTES = 15_000;
const ATTACHMENTS = 100;

export interface MessageContent {
  readonly text: string | undefined;
  readonly blocks: Fields[] | undefined;
  readonly metadata: Fields | undefined;
  readonly warnings: Fields;
}

/** What a call wants to be shown, or Slack's refusal of it. */
export function contentOf(call: SlackCall, kind: "post" | "update" | "whisper"): MessageContent {
  const blocks = call.list("blocks", "invalid_blocks_format") as Fields[] | undefined;
  const markdown = call.text("markdown_text");
  const text = call.text("text");
  const attachments = call.list("attachments", "invalid_attachments")?.length ?? 0;
  const others = Number(text !== undefined) + (blocks?.length ?? 0);
  if (markdown !== undefined && others > 0) throw new SlackRefusedError("markdown_text_conflict");
  if (attachments > ATTACHMENTS) throw new SlackRefusedError("too_many_attachments");
  if (markdown === undefined && others + attachments === 0) throw new SlackRefusedError("no_text");
  checkLength(markdown, MARKDOWN_CHARS);
  if (kind === "update") checkLength(text, UPDATE_CHARS);
  if (blocks) checkMessageBlocks(blocks);
  checkWords(blocks ?? []);
  if (blocks) checkNotification(text ?? "");
  const metadata = metadataOf(call);
  const asBlock = markdown === undefined ? undefined : [{ type: "markdown", text: markdown }];
  return { ...truncated(text ?? markdown), blocks: asBlock ?? named(blocks), metadata };
}

function checkLength(text: string | undefined, most: number): void {
  if (lengthOf(text ?? "") > most) throw new SlackRefusedError("msg_too_long");
}

/** Slack names the blocks that have no name. */
export function named(blocks: Fields[] | undefined): Fields[] | undefined {
  return blocks?.map((block) => ({
    block_id: Math.random().toString(36).slice(2, 7),
    ...block,
    ...(Array.isArray(block.elements) && {
      elements: block.elements.map((element: Fields) =>
        block.type === "actions"
          ? { action_id: Math.random().toString(36).slice(2, 7), ...element }
          : element,
      ),
    }),
  }));
}

export function metadataOf(call: SlackCall): Fields | undefined {
  const metadata = call.object("metadata", "invalid_metadata_format");
  if (metadata === undefined || Object.keys(metadata).length === 0) return metadata;
  const { event_type, event_payload } = metadata;
  if (typeof event_type !== "string" || typeof event_payload !== "object" || !event_payload)
    throw new SlackRefusedError("invalid_metadata_schema");
  if (JSON.stringify(metadata).length > METADATA_BYTES)
    throw new SlackRefusedError("metadata_too_large");
  return metadata;
}

function truncated(text: string | undefined): Pick<MessageContent, "text" | "warnings"> {
  if (text === undefined || lengthOf(text) <= POST_CHARS) return { text, warnings: {} };
  const warning = "Your message was truncated but still posted.";
  return {
    text: text.slice(0, POST_CHARS),
    warnings: {
      warning: "message_truncated",
      response_metadata: { warnings: ["message_truncated"], messages: [`[WARN] ${warning}`] },
    },
  };
}
