import { escaped, type Fields } from "./values.ts";
import { newId, type SlackChannel, type SlackFile } from "./world.ts";

export interface GivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A file that somebody attaches to a message. */
export function fileOf(
  { name, bytes }: GivenFile,
  user: string,
  { channel, ts, thread }: { channel: SlackChannel; ts: string; thread: string | undefined },
): SlackFile {
  return {
    id: newId("F"),
    name,
    title: name,
    user,
    bytes,
    channels: new Set([channel.id]),
    shares: [{ channel: channel.id, ts, ...(thread !== undefined && { threadTs: thread }) }],
    isDeleted: false,
  };
}

/** What stands above one's own words. */
export function quoted(text: string | undefined): string {
  return text === undefined ? "" : `&gt; ${escaped(text).replaceAll("\n", "\n&gt; ")}\n`;
}

/** As Slack's editor writes it. */
export function richText(
  text: string,
  { bot, quoting }: { bot?: string | undefined; quoting?: string | undefined },
): Fields {
  const section = [
    ...(bot === undefined
      ? []
      : [
          { type: "user", user_id: bot },
          { type: "text", text: " " },
        ]),
    ...(text === "" ? [] : [{ type: "text", text }]),
  ];
  const quote = { type: "rich_text_quote", elements: [{ type: "text", text: quoting }] };
  return {
    type: "rich_text",
    block_id: newId("b"),
    elements: [
      ...(quoting === undefined ? [] : [quote]),
      { type: "rich_text_section", elements: section },
    ],
  };
}

/** What a message of nothing but words has beside them. */
export function bare() {
  return { blocks: [], files: [], reactions: new Map(), unfurls: {}, parsesNames: false };
}
