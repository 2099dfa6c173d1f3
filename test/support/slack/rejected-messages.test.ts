import { describe } from "vitest";
import { calling, itRejects, type Rejection } from "./rejections.ts";
import type { SlackLab } from "./test-lab.ts";
import type { Fields } from "./values.ts";

const METHODS = "reference/methods";

/** A call about a message of the bot. */
const about =
  (method: string, args: (ts: string) => Fields): Rejection["refused"] =>
  async (lab) =>
    lab.call(method, { channel: lab.channel.id, ...args(await lab.post()) });

/** A call about a message of somebody else. */
const aboutTheirs =
  (method: string, args: (ts: string) => Fields): Rejection["refused"] =>
  (lab) =>
    lab.call(method, {
      channel: lab.channel.id,
      ...args(lab.ada.says(lab.channel, "mine").message.ts),
    });

const elsewhere = (lab: SlackLab, type: "channel" | "group") =>
  lab.slack.world.addChannel({ type, members: [lab.ada.user.id] }).id;

const archived = (lab: SlackLab) => {
  lab.ada.archives(lab.channel);
  return lab.channel.id;
};

describe("messages that Slack refuses", () => {
  itRejects([
    {
      what: "a post without words",
      page: `${METHODS}/chat.postMessage`,
      error: "no_text",
      refused: calling("chat.postMessage"),
      taken: calling("chat.postMessage", { text: "x" }),
    },
    {
      what: "a post to a channel that nobody knows",
      page: `${METHODS}/chat.postMessage`,
      error: "channel_not_found",
      refused: (lab) => lab.call("chat.postMessage", { channel: "C0NOWHERE", text: "x" }),
    },
    {
      what: "a post to a channel in which the bot is not",
      page: `${METHODS}/chat.postMessage`,
      error: "not_in_channel",
      refused: (lab) =>
        lab.call("chat.postMessage", { channel: elsewhere(lab, "channel"), text: "x" }),
    },
    {
      what: "a private channel, to a bot outside of it",
      page: `${METHODS}/chat.postMessage`,
      error: "channel_not_found",
      refused: (lab) =>
        lab.call("chat.postMessage", { channel: elsewhere(lab, "group"), text: "x" }),
    },
    {
      what: "a post to an archived channel",
      page: `${METHODS}/chat.postMessage`,
      error: "is_archived",
      refused: (lab) => lab.call("chat.postMessage", { channel: archived(lab), text: "x" }),
    },
    {
      what: "a reply to something that is no timestamp",
      page: `${METHODS}/chat.postMessage`,
      error: "invalid_arguments",
      refused: calling("chat.postMessage", { text: "x", thread_ts: "yesterday" }),
      taken: about("chat.postMessage", (ts) => ({ text: "x", thread_ts: ts })),
    },
    {
      what: "blocks that are no JSON",
      page: `${METHODS}/chat.postMessage`,
      error: "invalid_blocks_format",
      refused: calling("chat.postMessage", { blocks: "[{" }),
    },
    {
      what: "Markdown beside text",
      page: `${METHODS}/chat.postMessage`,
      error: "markdown_text_conflict",
      refused: calling("chat.postMessage", { text: "x", markdown_text: "x" }),
      taken: calling("chat.postMessage", { markdown_text: "x" }),
    },
    {
      what: "Markdown of 12,001 characters",
      page: `${METHODS}/chat.postMessage`,
      error: "msg_too_long",
      refused: calling("chat.postMessage", { markdown_text: "x".repeat(12_001) }),
      taken: calling("chat.postMessage", { markdown_text: "x".repeat(12_000) }),
    },
    {
      what: "101 attachments",
      page: `${METHODS}/chat.postMessage`,
      error: "too_many_attachments",
      refused: calling("chat.postMessage", { attachments: Array(101).fill({ text: "x" }) }),
    },
    {
      what: "metadata that are no object",
      page: `${METHODS}/chat.postMessage`,
      error: "invalid_metadata_format",
      refused: calling("chat.postMessage", { text: "x", metadata: "[]" }),
    },
    {
      what: "metadata without a payload",
      page: `${METHODS}/chat.postMessage`,
      error: "invalid_metadata_schema",
      refused: calling("chat.postMessage", { text: "x", metadata: { event_type: "e" } }),
      taken: calling("chat.postMessage", {
        text: "x",
        metadata: { event_type: "e", event_payload: {} },
      }),
    },
    {
      what: "metadata that are too large",
      page: `${METHODS}/chat.postMessage`,
      error: "metadata_too_large",
      refused: calling("chat.postMessage", {
        text: "x",
        metadata: { event_type: "e", event_payload: { x: "x".repeat(20_000) } },
      }),
    },
    {
      what: "a post under another name",
      page: "reference/scopes/chat.write.customize",
      error: "missing_scope",
      refused: calling("chat.postMessage", { text: "x", username: "ada" }),
    },
    {
      what: "a change to 4,001 characters",
      page: `${METHODS}/chat.update`,
      error: "msg_too_long",
      refused: about("chat.update", (ts) => ({ ts, text: "x".repeat(4_001) })),
      taken: about("chat.update", (ts) => ({ ts, text: "x".repeat(4_000) })),
    },
    {
      what: "a change of somebody else's message",
      page: `${METHODS}/chat.update`,
      error: "cant_update_message",
      refused: aboutTheirs("chat.update", (ts) => ({ ts, text: "x" })),
    },
    {
      what: "a change of a message that does not exist",
      page: `${METHODS}/chat.update`,
      error: "message_not_found",
      refused: calling("chat.update", { ts: "1700000000.000001", text: "x" }),
    },
    {
      what: "a change in an archived channel",
      page: `${METHODS}/chat.update`,
      error: "is_inactive",
      refused: async (lab) => {
        const ts = await lab.post();
        return lab.call("chat.update", { channel: archived(lab), ts, text: "x" });
      },
    },
    {
      what: "the deletion of somebody else's message",
      page: `${METHODS}/chat.delete`,
      error: "cant_delete_message",
      refused: aboutTheirs("chat.delete", (ts) => ({ ts })),
      taken: about("chat.delete", (ts) => ({ ts })),
    },
    {
      what: "the deletion of a message that is gone",
      page: `${METHODS}/chat.delete`,
      error: "message_not_found",
      refused: calling("chat.delete", { ts: "1700000000.000001" }),
    },
    {
      what: "a whisper to somebody who is not there",
      page: `${METHODS}/chat.postEphemeral`,
      error: "user_not_in_channel",
      refused: (lab) =>
        lab.call("chat.postEphemeral", {
          channel: lab.channel.id,
          user: lab.slack.human().user.id,
          text: "x",
        }),
      taken: (lab) =>
        lab.call("chat.postEphemeral", {
          channel: lab.channel.id,
          user: lab.ada.user.id,
          text: "x",
        }),
    },
    {
      what: "a link to a message that does not exist",
      page: `${METHODS}/chat.getPermalink`,
      error: "message_not_found",
      refused: calling("chat.getPermalink", { message_ts: "1700000000.000001" }),
      taken: about("chat.getPermalink", (ts) => ({ message_ts: ts })),
    },
    {
      what: "the same reaction twice",
      page: `${METHODS}/reactions.add`,
      error: "already_reacted",
      refused: async (lab) => {
        const item = { channel: lab.channel.id, timestamp: await lab.post(), name: "eyes" };
        await lab.call("reactions.add", item);
        return lab.call("reactions.add", item);
      },
    },
    {
      what: "the end of a reaction that is not there",
      page: `${METHODS}/reactions.remove`,
      error: "no_reaction",
      refused: about("reactions.remove", (timestamp) => ({ timestamp, name: "eyes" })),
    },
    {
      what: "a reaction with colons around it",
      page: `${METHODS}/reactions.add`,
      error: "invalid_name",
      refused: about("reactions.add", (timestamp) => ({ timestamp, name: ":eyes:" })),
      taken: about("reactions.add", (timestamp) => ({ timestamp, name: "white_check_mark" })),
    },
  ]);
});
