import type { SlackCall, SlackMethod } from "../call.ts";
import { deleteMessage } from "../deletion.ts";
import { contentOf } from "../message-check.ts";
import { SlackRefusedError } from "../values.ts";
import type { SlackChannel, SlackMessage } from "../world.ts";

/** Posting, changing and taking away: docs.slack.dev/reference/methods?family=chat */
export const chat: Readonly<Record<string, SlackMethod>> = {
  "chat.postMessage": { scopes: ["chat:write"], tier: "post", run: post },
  "chat.update": { scopes: ["chat:write"], tier: "t3", run: update },
  "chat.delete": { scopes: ["chat:write"], tier: "t3", run: remove },
  "chat.postEphemeral": { scopes: ["chat:write"], tier: "t4", run: whisper },
  "chat.getPermalink": { tier: "special", run: permalink },
};

function post(call: SlackCall) {
  const channel = target(call);
  checkDisguise(call);
  const threadTs = livingRoot(call, channel);
  const { text = "", blocks = [], metadata, warnings } = contentOf(call, "post");
  const message = addMessage(call, channel, {
    text,
    blocks,
    ...(threadTs !== undefined && { threadTs }),
    ...(metadata && { metadata }),
    unfurls: unfurlsOf(call),
    parsesNames: call.text("parse") === "full" || call.flag("link_names") === true,
  });
  call.slack.events.posted(message);
  const { ts } = message;
  return { channel: channel.id, ts, message: call.slack.events.wire(message), ...warnings };
}

function update(call: SlackCall) {
  const channel = call.channel();
  const message = call.message(channel, "ts");
  if (message.user !== call.bot) throw new SlackRefusedError("cant_update_message");
  if (message.stream === "open") throw new SlackRefusedError("streaming_state_conflict");
  if (channel.isArchived) throw new SlackRefusedError("is_inactive");
  const before = call.slack.events.wire(message);
  const { text, blocks, metadata } = contentOf(call, "update");
  // Without blocks the old ones stay only if there is no text either.
  message.blocks = blocks ?? (text === undefined ? message.blocks : []);
  message.text = text ?? message.text;
  if (metadata) message.metadata = metadata;
  if (!blocks) message.edited = { user: call.bot, ts: call.slack.world.clock.nextTs() };
  call.slack.events.changed(message, before);
  return {
    channel: channel.id,
    ts: message.ts,
    text: message.text,
    message: call.slack.events.wire(message),
  };
}

function remove(call: SlackCall) {
  const channel = call.channel();
  const message = call.message(channel, "ts");
  if (message.user !== call.bot) throw new SlackRefusedError("cant_delete_message");
  deleteMessage(call.slack, message);
  return { channel: channel.id, ts: message.ts };
}

function whisper(call: SlackCall) {
  const channel = target(call);
  checkDisguise(call);
  const user = call.text("user");
  if (user === undefined || !channel.members.has(user))
    throw new SlackRefusedError("user_not_in_channel");
  const threadTs = call.threadRoot(channel, "cannot_reply_to_message");
  const { text = "", blocks = [], warnings } = contentOf(call, "whisper");
  const replies = threadTs === undefined ? [] : call.slack.world.thread(channel.id, threadTs);
  // Slack's page says so: in a thread that has no replies yet nobody sees it.
  const isUnseen =
    threadTs !== undefined && !replies.some((one) => one.ts !== threadTs && !one.onlyFor);
  const { ts } = addMessage(call, channel, {
    text,
    blocks,
    onlyFor: isUnseen ? "nobody" : user,
    ...(threadTs !== undefined && { threadTs }),
    // Slack fetches nothing for messages that one person sees.
    unfurls: { links: false, media: false },
    parsesNames: call.text("parse") === "full",
  });
  return { message_ts: ts, ...warnings };
}

function permalink(call: SlackCall) {
  const channel = call.channel();
  const { ts, threadTs } = call.message(channel, "message_ts");
  const link = `https://${call.slack.world.team.domain}.slack.com/archives/${channel.id}/p${ts.replace(".", "")}`;
  const inThread = threadTs === undefined ? "" : `?thread_ts=${threadTs}&cid=${channel.id}`;
  return { channel: channel.id, permalink: link + inThread };
}

/**
 * Where the root is gone, Slack does not refuse: the reply stands alone in the channel, and only the missing `thread_ts`
 * of its answer tells (github.com/slack-go/slack/issues/1571).
 */
function livingRoot(call: SlackCall, channel: SlackChannel): string | undefined {
  const ts = call.text("thread_ts");
  if (ts !== undefined && !/^\d+\.\d{6}$/.test(ts))
    throw new SlackRefusedError("invalid_arguments");
  const isThere = call.slack.world.find(channel.id, ts) !== undefined;
  return isThere ? call.threadRoot(channel, "thread_not_found") : undefined;
}

/** Where a message goes: a channel that the bot is in, or the conversation with one person. */
function target(call: SlackCall): SlackChannel {
  const { world, app } = call.slack;
  const named = call.text("channel") ?? "";
  if (world.users.has(named)) return world.directMessage(app.user.id, named);
  const channel = call.channel();
  const mayPost = channel.members.has(call.bot) || app.scopes.has("chat:write.public");
  if (!mayPost) throw new SlackRefusedError("not_in_channel");
  if (channel.isArchived) throw new SlackRefusedError("is_archived");
  return channel;
}

/** Another name or picture needs a scope of its own. */
export function checkDisguise(call: SlackCall): void {
  const isDisguised = ["username", "icon_emoji", "icon_url"].some((name) => call.text(name));
  if (isDisguised) call.needScope("chat:write.customize");
}

function unfurlsOf(call: SlackCall): SlackMessage["unfurls"] {
  const links = call.flag("unfurl_links");
  const media = call.flag("unfurl_media");
  return { ...(links !== undefined && { links }), ...(media !== undefined && { media }) };
}

type Draft = Pick<SlackMessage, "text" | "blocks" | "unfurls" | "parsesNames"> &
  Partial<SlackMessage>;

/** By the bot. What it says takes its status away. */
export function addMessage(
  { slack }: SlackCall,
  channel: SlackChannel,
  draft: Draft,
): SlackMessage {
  const { world, app } = slack;
  const ts = world.clock.nextTs();
  const author = { user: app.user.id, botId: app.botId, appId: app.id };
  const message = { files: [], reactions: new Map(), ...author, ...draft, ts, channel: channel.id };
  world.messages(channel.id).push(message);
  if (draft.threadTs !== undefined && draft.onlyFor === undefined)
    world.statuses.delete(`${channel.id}:${draft.threadTs}`);
  return message;
}
