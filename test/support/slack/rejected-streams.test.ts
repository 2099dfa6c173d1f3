import { describe } from "vitest";
import { itRejects, type Rejection } from "./rejections.ts";
import type { SlackLab } from "./test-lab.ts";
import type { Fields } from "./values.ts";

const METHODS = "reference/methods";

const recipient = (lab: SlackLab) => ({
  recipient_team_id: lab.slack.world.team.id,
  recipient_user_id: lab.ada.user.id,
});

const starting =
  (args: Fields, who: (lab: SlackLab) => Fields = recipient): Rejection["refused"] =>
  async (lab) => {
    const thread_ts = lab.ada.says(lab.channel, "go").message.ts;
    return lab.call("chat.startStream", {
      channel: lab.channel.id,
      thread_ts,
      ...who(lab),
      ...args,
    });
  };

/** A call about a stream that is open. */
const during =
  (method: string, args: Fields): Rejection["refused"] =>
  async (lab) => {
    const { body } = await starting({ markdown_text: "a" })(lab);
    return lab.call(method, { channel: lab.channel.id, ts: body.ts, ...args });
  };

const afterwards =
  (method: string, args: Fields): Rejection["refused"] =>
  async (lab) => {
    const { body } = await during("chat.stopStream", {})(lab);
    return lab.call(method, { channel: lab.channel.id, ts: body.ts, ...args });
  };

const divider = { type: "divider" };
const chunks = (...some: object[]) => ({ chunks: some });
const session =
  (args: Fields, method = "agents.sessions.setStatus"): Rejection["refused"] =>
  async (lab) => {
    const thread_ts = lab.ada.says(lab.channel, "go").message.ts;
    return lab.call(method, { channel_id: lab.channel.id, thread_ts, ...args });
  };

describe("streams and sessions that Slack refuses", () => {
  itRejects([
    {
      what: "a stream in a channel for nobody",
      page: `${METHODS}/chat.startStream`,
      error: "missing_recipient_user_id",
      refused: starting({}, () => ({})),
      taken: starting({}),
    },
    {
      what: "a stream outside of all threads",
      page: `${METHODS}/chat.startStream`,
      error: "invalid_arguments",
      refused: starting({ thread_ts: "" }),
    },
    {
      what: "more of a stream that was begun long ago",
      page: "https://github.com/slackapi/node-slack-sdk/issues/2702",
      error: "message_not_in_streaming_state",
      refused: async (lab) => {
        const { body } = await starting({ markdown_text: "a" })(lab);
        lab.slack.world.clock.advance(6 * 60_000);
        return lab.call("chat.appendStream", { channel: lab.channel.id, ts: body.ts });
      },
      taken: during("chat.appendStream", { markdown_text: "b" }),
    },
    {
      what: "a stream for somebody of no team",
      page: `${METHODS}/chat.startStream`,
      error: "missing_recipient_team_id",
      refused: starting({}, (lab) => ({ recipient_user_id: lab.ada.user.id })),
    },
    {
      what: "a stream for somebody whom nobody knows",
      page: `${METHODS}/chat.startStream`,
      error: "user_not_found",
      refused: starting({ recipient_user_id: "U0NOBODY" }),
    },
    {
      what: "a chunk of an unknown kind",
      page: `${METHODS}/chat.startStream`,
      error: "invalid_chunks",
      at: "/chunks/0",
      refused: starting(chunks({ type: "text", text: "x" })),
      taken: starting(chunks({ type: "markdown_text", text: "x" })),
    },
    {
      what: "a task in an unknown state",
      page: `${METHODS}/chat.appendStream`,
      error: "invalid_chunks",
      at: "/chunks/1",
      refused: during(
        "chat.appendStream",
        chunks(
          { type: "task_update", id: "1", title: "t", status: "complete" },
          { type: "task_update", id: "2", title: "t", status: "done" },
        ),
      ),
    },
    {
      what: "51 blocks in chunks",
      page: `${METHODS}/chat.appendStream`,
      error: "msg_blocks_too_many",
      refused: during(
        "chat.appendStream",
        chunks({ type: "blocks", blocks: Array(51).fill(divider) }),
      ),
      taken: during(
        "chat.appendStream",
        chunks({ type: "blocks", blocks: Array(50).fill(divider) }),
      ),
    },
    {
      what: "more of nothing",
      page: `${METHODS}/chat.appendStream`,
      error: "no_text",
      refused: during("chat.appendStream", {}),
      taken: during("chat.appendStream", { markdown_text: "b" }),
    },
    {
      what: "more of an ordinary message",
      page: `${METHODS}/chat.appendStream`,
      error: "message_not_in_streaming_state",
      refused: async (lab) =>
        lab.call("chat.appendStream", {
          channel: lab.channel.id,
          ts: await lab.post(),
          markdown_text: "b",
        }),
    },
    {
      what: "more of a stream that has ended",
      page: `${METHODS}/chat.appendStream`,
      error: "message_not_in_streaming_state",
      refused: afterwards("chat.appendStream", { markdown_text: "b" }),
    },
    {
      what: "more of somebody else's message",
      page: `${METHODS}/chat.appendStream`,
      error: "message_not_owned_by_app",
      refused: (lab) =>
        lab.call("chat.appendStream", {
          channel: lab.channel.id,
          ts: lab.ada.says(lab.channel, "mine").message.ts,
          markdown_text: "b",
        }),
    },
    {
      what: "more of a stream that somebody has stopped",
      page: `${METHODS}/chat.appendStream`,
      error: "stopped_by_user",
      refused: async (lab) => {
        const root = lab.ada.says(lab.channel, "go").message.ts;
        const place = { channel: lab.channel.id, thread_ts: root };
        const { body } = await lab.call("chat.startStream", { ...place, ...recipient(lab) });
        const status = { channel_id: lab.channel.id, thread_ts: root, status: "processing" };
        await lab.call("agents.sessions.setStatus", status);
        lab.ada.stops(lab.channel, root);
        return lab.call("chat.appendStream", {
          channel: lab.channel.id,
          ts: body.ts,
          markdown_text: "b",
        });
      },
    },
    {
      what: "an edit of a stream that is open",
      page: `${METHODS}/chat.update`,
      error: "streaming_state_conflict",
      refused: during("chat.update", { text: "b" }),
      taken: afterwards("chat.update", { text: "b" }),
    },
    {
      what: "an end with 51 blocks",
      page: `${METHODS}/chat.stopStream`,
      error: "msg_blocks_too_many",
      refused: during("chat.stopStream", { blocks: Array(51).fill(divider) }),
      taken: during("chat.stopStream", { blocks: Array(50).fill(divider) }),
    },
    {
      what: "an unknown status of a session",
      page: `${METHODS}/agents.sessions.setStatus`,
      error: "invalid_arguments",
      refused: session({ status: "working" }),
      taken: session({ status: "processing" }),
    },
    {
      what: "a session's title of 201 characters",
      page: `${METHODS}/agents.sessions.setStatus`,
      error: "invalid_arguments",
      refused: session({ status: "active", title: "x".repeat(201) }),
      taken: session({ status: "active", title: "x".repeat(200) }),
    },
    {
      what: "a session of an app that is no agent",
      page: "ai/agent-sessions",
      error: "not_allowed",
      refused: async (lab) => {
        lab.slack.app.isAgent = false;
        return session({ status: "active" })(lab);
      },
    },
    {
      what: "a status at a message that does not exist",
      page: `${METHODS}/assistant.threads.setStatus`,
      error: "invalid_thread_ts",
      refused: (lab) =>
        lab.call("assistant.threads.setStatus", {
          channel_id: lab.channel.id,
          thread_ts: "1700000000.000001",
          status: "thinks",
        }),
      taken: session({ status: "thinks" }, "assistant.threads.setStatus"),
    },
    {
      what: "eleven loading messages",
      page: `${METHODS}/assistant.threads.setStatus`,
      error: "invalid_arguments",
      refused: session(
        { status: "x", loading_messages: Array(11).fill("x") },
        "assistant.threads.setStatus",
      ),
      taken: session(
        { status: "x", loading_messages: Array(10).fill("x") },
        "assistant.threads.setStatus",
      ),
    },
    {
      what: "five suggested prompts",
      page: `${METHODS}/assistant.threads.setSuggestedPrompts`,
      error: "invalid_arguments",
      refused: session(
        { prompts: Array(5).fill({ title: "t", message: "m" }) },
        "assistant.threads.setSuggestedPrompts",
      ),
      taken: session(
        { prompts: Array(4).fill({ title: "t", message: "m" }) },
        "assistant.threads.setSuggestedPrompts",
      ),
    },
  ]);
});
