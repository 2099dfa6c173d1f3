import { answer, type Call, DONE, type Routes } from "../call.ts";
import { refusal } from "../refusals.ts";
import type { DiscordMessage } from "../world.ts";

const PATH = "/channels/:channel/messages/:message/reactions";
const MOST_KINDS = 20;

export const reactionRoutes: Routes = {
  [`PUT ${PATH}/:emoji/@me`]: add,
  [`DELETE ${PATH}/:emoji/@me`]: (call) => take(call, call.botId),
  [`DELETE ${PATH}/:emoji/:user`]: (call) => {
    call.must(call.channel(), "MANAGE_MESSAGES");
    return take(call, call.param("user"));
  },
  [`GET ${PATH}/:emoji`]: (call) => {
    const users = message(call).reactions.get(emojiIn(call)) ?? [];
    return answer([...users].map((id) => call.discord.wire.user(id)));
  },
  [`DELETE ${PATH}`]: (call) => {
    call.must(call.channel(), "MANAGE_MESSAGES");
    message(call).reactions.clear();
    return DONE;
  },
};

function add(call: Call) {
  const channel = call.channel();
  call.must(channel, "READ_MESSAGE_HISTORY");
  const target = message(call);
  const emoji = emojiIn(call);
  const users = target.reactions.get(emoji) ?? new Set<string>();
  if (users.size === 0) {
    call.must(channel, "ADD_REACTIONS");
    if (target.reactions.size >= MOST_KINDS) throw refusal(30010);
  }
  if (users.has(call.botId)) return DONE;
  target.reactions.set(emoji, users.add(call.botId));
  call.discord.events.reacted(target, { userId: call.botId, emoji, isAdded: true });
  return DONE;
}

/** Taking away what is not there does no harm. */
function take(call: Call, userId: string) {
  const target = message(call);
  const emoji = emojiIn(call);
  const users = target.reactions.get(emoji);
  if (!users?.delete(userId)) return DONE;
  if (users.size === 0) target.reactions.delete(emoji);
  call.discord.events.reacted(target, { userId, emoji, isAdded: false });
  return DONE;
}

function message(call: Call): DiscordMessage {
  const channel = call.channel();
  const target = call.message(channel);
  if (channel.thread?.isArchived) throw refusal(50083);
  return target;
}

/** A sign itself, or `name:id` of a guild's own; a name with colons is none. */
function emojiIn(call: Call): string {
  const emoji = call.param("emoji");
  if (!/^\w+:\d+$/.test(emoji) && !/^\p{RGI_Emoji}$/v.test(withSelector(emoji)))
    throw refusal(10014);
  return emoji;
}

function withSelector(emoji: string): string {
  return /^\p{RGI_Emoji}$/v.test(emoji) ? emoji : `${emoji}\ufe0f`;
}
