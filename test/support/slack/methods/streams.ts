import { checkMessageBlocks } from "../block-check.ts";
import type { SlackCall, SlackMethod } from "../call.ts";
import { checkChunks } from "../chunk-check.ts";
import { metadataOf, named } from "../message-check.ts";
import { type Fields, fieldsIn, lengthOf, SlackRefusedError, stringIn } from "../values.ts";
import type { SlackChannel, SlackMessage } from "../world.ts";
import { addMessage, checkDisguise } from "./chat.ts";
import { setSessionStatus } from "./sessions.ts";

const BLOCKS = 50;
/** No page says so: github.com/slackapi/node-slack-sdk/issues/2702 */
const STREAM_MS = 5 * 60_000;

/** Messages that grow while one looks at them. */
export const streams: Readonly<Record<string, SlackMethod>> = {
  "chat.startStream": { scopes: ["chat:write"], tier: "t2", run: start },
  "chat.appendStream": { scopes: ["chat:write"], tier: "t4", run: append },
  "chat.stopStream": { scopes: ["chat:write"], tier: "t2", run: stop },
};

function start(call: SlackCall) {
  const channel = call.joinedChannel();
  if (channel.isArchived) throw new SlackRefusedError("is_archived");
  checkDisguise(call);
  const threadTs = call.threadRoot(channel, "thread_not_found");
  if (threadTs === undefined) call.require("thread_ts");
  if (channel.type !== "im") checkRecipient(call);
  const mode = call.text("task_display_mode");
  if (mode !== undefined && !["timeline", "plan", "dense"].includes(mode))
    throw new SlackRefusedError("invalid_arguments");
  const content = streamed(call);
  const message = addMessage(call, channel, {
    text: "",
    blocks: [],
    stream: "open",
    streamedBlocks: 0,
    unfurls: {},
    parsesNames: false,
    ...(threadTs !== undefined && { threadTs }),
  });
  grow(message, content);
  call.slack.events.posted(message);
  return { channel: channel.id, ts: message.ts };
}

function append(call: SlackCall) {
  const channel = call.joinedChannel();
  const message = openStream(call, channel);
  const content = streamed(call);
  if (content.text === "" && content.chunks.length === 0) throw new SlackRefusedError("no_text");
  grow(message, content);
  return { channel: channel.id, ts: message.ts };
}

function stop(call: SlackCall) {
  const channel = call.joinedChannel();
  const message = openStream(call, channel);
  const content = streamed(call);
  const blocks = (call.list("blocks", "invalid_blocks") ?? []) as Fields[];
  if (blocks.length > BLOCKS) throw new SlackRefusedError("msg_blocks_too_many");
  checkMessageBlocks(blocks);
  const metadata = metadataOf(call);
  const before = call.slack.events.wire(message);
  grow(message, content);
  message.stream = "done";
  message.blocks.push(...(named(blocks) ?? []));
  if (metadata) message.metadata = metadata;
  const status = call.text("session_status");
  if (status !== undefined) setSessionStatus(call, channel, message.threadTs ?? message.ts, status);
  call.slack.events.changed(message, before);
  return { channel: channel.id, ts: message.ts, message: call.slack.events.wire(message) };
}

/** Outside of a conversation of two Slack has to know for whom it is streamed. */
function checkRecipient(call: SlackCall): void {
  const user = call.text("recipient_user_id");
  if (user === undefined) throw new SlackRefusedError("missing_recipient_user_id");
  if (call.text("recipient_team_id") === undefined)
    throw new SlackRefusedError("missing_recipient_team_id");
  if (!call.slack.world.users.has(user)) throw new SlackRefusedError("user_not_found");
}

function openStream(call: SlackCall, channel: SlackChannel): SlackMessage {
  const message = call.message(channel, "ts");
  if (message.user !== call.bot) throw new SlackRefusedError("message_not_owned_by_app");
  if (message.stream === "stopped-by-user") throw new SlackRefusedError("stopped_by_user");
  endIfOld(call, message);
  if (message.stream !== "open") throw new SlackRefusedError("message_not_in_streaming_state");
  return message;
}

/** After some minutes Slack ends a stream by itself, however much is still added to it. */
function endIfOld({ slack }: SlackCall, message: SlackMessage): void {
  const ageMs = slack.world.clock.nowMs() - Number(message.ts) * 1_000;
  if (message.stream === "open" && ageMs > STREAM_MS) message.stream = "done";
}

interface Streamed {
  readonly text: string;
  readonly chunks: Fields[];
  readonly blocks: number;
}

function streamed(call: SlackCall): Streamed {
  const text = call.text("markdown_text") ?? "";
  const chunks = call.list("chunks", "invalid_chunks") ?? [];
  if (text !== "" && chunks.length > 0) throw new SlackRefusedError("markdown_text_conflict");
  if (lengthOf(text) > 12_000) throw new SlackRefusedError("msg_too_long");
  const blocks = checkChunks(chunks);
  if (blocks > BLOCKS) throw new SlackRefusedError("msg_blocks_too_many");
  return { text, chunks: fieldsIn(chunks), blocks };
}

function grow(message: SlackMessage, { text, chunks, blocks }: Streamed): void {
  const total = (message.streamedBlocks ?? 0) + blocks;
  if (total > BLOCKS) throw new SlackRefusedError("msg_blocks_too_many");
  message.streamedBlocks = total;
  if (text !== "") addMarkdown(message, text);
  for (const chunk of chunks) addChunk(message, chunk);
}

function addChunk(message: SlackMessage, chunk: Fields): void {
  if (chunk.type === "markdown_text") addMarkdown(message, stringIn(chunk.text));
  else if (chunk.type === "blocks") message.blocks.push(...(named(fieldsIn(chunk.blocks)) ?? []));
  else if (chunk.type === "plan_update") setPlanTitle(message, chunk.title);
  else setTask(message, chunk);
}

function addMarkdown(message: SlackMessage, text: string): void {
  message.text += text;
  const last = message.blocks.at(-1);
  if (last?.type === "markdown") last.text = stringIn(last.text) + text;
  else message.blocks.push({ type: "markdown", text });
}

/** A task that is told again is changed where it stands. */
function setTask(message: SlackMessage, { id, title, status, details, output }: Fields): void {
  const task = { type: "task_card", task_id: id, title, status, details, output };
  const known = message.blocks.find((block) => block.type === "task_card" && block.task_id === id);
  if (!known) message.blocks.push(task);
  else Object.assign(known, withoutGaps(task));
}

function setPlanTitle(message: SlackMessage, title: unknown): void {
  const known = message.blocks.find(({ type }) => type === "plan");
  if (known) known.title = title;
  else message.blocks.unshift({ type: "plan", title });
}

function withoutGaps(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
