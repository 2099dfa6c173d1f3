import { attachmentsOf } from "../attachments.ts";
import { answer, type Call, DONE, type Routes } from "../call.ts";
import { type MessageForm, messageForm } from "../checks/message.ts";
import { addMessage, editMessage } from "../posting.ts";
import { Problems, refusal } from "../refusals.ts";
import { type Fields, isFields, stringIn, stringsIn } from "../values.ts";
import { CHANNEL, type DiscordChannel, type DiscordMessage } from "../world.ts";

const NONCE_MS = 5 * 60_000;
const EDITS_OF_OLD = 30;
const HOUR = 3_600_000;

export const messageRoutes: Routes = {
  "GET /channels/:channel/messages": list,
  "GET /channels/:channel/messages/:message": (call) => {
    const channel = call.channel();
    call.must(channel, "READ_MESSAGE_HISTORY");
    return answer(wire(call, call.message(channel)));
  },
  "POST /channels/:channel/messages": post,
  "PATCH /channels/:channel/messages/:message": edit,
  "DELETE /channels/:channel/messages/:message": (call) => {
    const channel = call.channel();
    const message = call.message(channel);
    if (message.authorId !== call.botId) call.must(channel, "MANAGE_MESSAGES");
    if (message.type !== 0 && message.type !== 19 && message.type < 18) throw refusal(50021);
    if (channel.thread?.isArchived) throw refusal(50083);
    remove(call, message);
    return DONE;
  },
  "POST /channels/:channel/messages/bulk-delete": bulkDelete,
  "POST /channels/:channel/typing": (call) => {
    const channel = call.channel();
    mustBeAbleToSend(call, channel);
    const { world, events } = call.discord;
    const untilMs = world.clock.nowMs() + 10_000;
    world.typing.push({ channelId: channel.id, userId: call.botId, untilMs });
    events.typing(channel.id, call.botId);
    return DONE;
  },
};

function list(call: Call) {
  const channel = call.channel();
  const limit = call.numberInQuery("limit", { least: 1, most: 100, usual: 50 });
  const named = ["before", "after", "around"].filter((name) => call.query.has(name));
  const problems = new Problems();
  if (named.length > 1)
    problems.add("", "MUTUALLY_EXCLUSIVE", "Only one of before, after and around.");
  problems.throwIfAny();
  if (!call.may(channel, "READ_MESSAGE_HISTORY")) return answer([]);
  const all = call.discord.world
    .messages(channel.id)
    .filter(({ onlyFor }) => onlyFor === undefined);
  const at = BigInt(call.query.get(named[0] ?? "") ?? 0);
  const older = all.filter(({ id }) => BigInt(id) < at);
  const newer = all.filter(({ id }) => BigInt(id) > at);
  const pages: Record<string, DiscordMessage[]> = {
    before: older.slice(-limit),
    after: newer.slice(0, limit),
    around: all
      .filter(({ id }) => BigInt(id) <= at)
      .slice(-Math.ceil(limit / 2))
      .concat(newer.slice(0, Math.floor(limit / 2))),
  };
  const page = pages[named[0] ?? ""] ?? all.slice(-limit);
  // Newest first, whatever was asked for.
  return answer(page.toReversed().map((message) => wire(call, message)));
}

function post(call: Call) {
  const { discord, fields, botId } = call;
  const channel = call.channel();
  mustBeAbleToSend(call, channel);
  if (call.files.length > 0) call.must(channel, "ATTACH_FILES");
  const { files, bytes } = call;
  const { attachments } = fields;
  const attached = attachmentsOf(discord.world, { files, bytes, attachments, channel });
  const fileNames = attached.map(({ filename }) => filename);
  const form = messageForm(fields, { fileNames, flags: "message" });
  const before = fields.enforce_nonce === true ? sameNonce(call, form) : undefined;
  if (before) return answer(wire(call, before));
  const reference = referenceOf(call, channel);
  unarchive(call, channel);
  channel.thread?.members.add(botId);
  const message = addMessage(discord.world, {
    channel,
    authorId: botId,
    ...form,
    files: attached,
    ...(reference && { type: 19, reference }),
  });
  const { nonce } = form;
  const { nonces, clock } = discord.world;
  if (nonce !== undefined) nonces.push({ nonce: String(nonce), atMs: clock.nowMs(), message });
  discord.events.posted(message);
  return answer(wire(call, message));
}

function edit(call: Call) {
  const { discord, fields } = call;
  const channel = call.channel();
  const message = call.message(channel);
  if (message.authorId !== call.botId) throw refusal(50005);
  if (channel.thread?.isArchived) throw refusal(50083);
  mustNotBeLocked(call, channel);
  mustNotWearOut(call, message);
  const { files, bytes } = call;
  const attached = attachmentsOf(discord.world, {
    files,
    bytes,
    attachments: fields.attachments,
    channel,
    existing: message.files,
  });
  editMessage(discord.world, message, { body: fields, files: attached, flags: "edit" });
  discord.events.edited(message);
  return answer(wire(call, message));
}

/** What is older than an hour can be edited so often and no more. */
function mustNotWearOut({ discord: { world } }: Call, message: DiscordMessage): void {
  const now = world.clock.nowMs();
  if (Date.parse(message.timestamp) > now - HOUR) return;
  const edits = (oldEdits.get(message) ?? []).filter((at) => at > now - HOUR);
  if (edits.length >= EDITS_OF_OLD) throw refusal(30046, { retry_after: 60, global: false });
  oldEdits.set(message, [...edits, now]);
}

const oldEdits = new WeakMap<DiscordMessage, number[]>();

function bulkDelete(call: Call) {
  const channel = call.channel();
  if (channel.type === CHANNEL.direct) throw refusal(50003);
  call.must(channel, "MANAGE_MESSAGES");
  const ids = stringsIn(call.fields.messages);
  if (ids.length < 2 || ids.length > 100) throw refusal(50016);
  for (const id of ids) {
    const message = call.discord.world.find(channel.id, id);
    if (message) remove(call, message);
  }
  return DONE;
}

function remove({ discord }: Call, message: DiscordMessage): void {
  discord.world.remove(message);
  discord.events.deleted(message);
}

/**
 * Of the last few minutes, by the same author: the documentation does not say "in the same channel". Where it was
 * deleted since, there is nothing to hand back, and nothing new is posted either: discord/discord-api-docs#6647
 */
function sameNonce({ discord: { world } }: Call, { nonce }: MessageForm) {
  const since = world.clock.nowMs() - NONCE_MS;
  const found = world.nonces.find((one) => one.nonce === String(nonce) && one.atMs > since);
  if (!found || nonce === undefined) return undefined;
  const { message } = found;
  if (!world.find(message.channelId, message.id)) throw refusal(10008);
  return message;
}

function referenceOf(call: Call, channel: DiscordChannel): DiscordMessage["reference"] {
  const given: Fields | undefined = isFields(call.fields.message_reference)
    ? call.fields.message_reference
    : undefined;
  if (!given) return undefined;
  if (!call.may(channel, "READ_MESSAGE_HISTORY")) throw refusal(160002);
  const messageId = stringIn(given.message_id);
  const message = call.discord.world.find(channel.id, messageId);
  const problems = new Problems();
  if (!message && given.fail_if_not_exists !== false)
    problems.add("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message");
  if (message && message.type !== 0 && message.type !== 19)
    problems.add(
      "message_reference",
      "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE",
      "Cannot reply to a system message",
    );
  problems.throwIfAny();
  return message ? { messageId, channelId: channel.id } : undefined;
}

function mustBeAbleToSend(call: Call, channel: DiscordChannel): void {
  const { world } = call.discord;
  if (channel.type === CHANNEL.forum || channel.type === CHANNEL.category) throw refusal(50008);
  if (channel.guildId === undefined) {
    const other = channel.recipients.find((id) => id !== call.botId) ?? "";
    if (world.users.get(other)?.takesDirectMessages === false) throw refusal(50007);
    const shares = [...world.guilds.values()].some(
      ({ members }) => members.has(other) && members.has(call.botId),
    );
    if (!shares) throw refusal(50278);
    return;
  }
  call.must(channel, channel.thread ? "SEND_MESSAGES_IN_THREADS" : "SEND_MESSAGES");
  mustNotBeLocked(call, channel);
}

function mustNotBeLocked(call: Call, channel: DiscordChannel): void {
  if (channel.thread?.isLocked && !call.may(channel, "MANAGE_THREADS")) throw refusal(160005);
}

/** A message wakes a thread. */
function unarchive({ discord }: Call, channel: DiscordChannel): void {
  if (!channel.thread?.isArchived) return;
  channel.thread.isArchived = false;
  channel.thread.archivedAt = discord.world.clock.iso();
  discord.events.thread("THREAD_UPDATE", channel);
}

/** The REST API hides what the app may not read, too. */
function wire({ discord }: Call, message: DiscordMessage): Fields {
  const { app, events } = discord;
  const hidesContent = !app.privileged.has("content") && !events.showsContent(message);
  return discord.wire.message(message, { hidesContent });
}
