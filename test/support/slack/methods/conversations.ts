import type { SlackCall, SlackMethod } from "../call.ts";
import { SlackRefusedError } from "../values.ts";
import { channelOnWire } from "../wire-forms.ts";
import type { SlackChannel, SlackMessage } from "../world.ts";

/** docs.slack.dev/reference/methods?family=conversations. Which scope it takes depends on the conversation. */
export const conversations: Readonly<Record<string, SlackMethod>> = {
  "conversations.info": { tier: "t3", run: info },
  "conversations.replies": { tier: "t3", run: replies },
  "conversations.history": { tier: "t3", run: history },
  "conversations.members": { tier: "t4", run: members },
  "conversations.open": { tier: "t3", run: open },
};

function info(call: SlackCall) {
  const channel = call.channel();
  call.needScopeFor(channel, "read");
  return { channel: channelOnWire(channel, call.slack.world, call.bot) };
}

function replies(call: SlackCall) {
  const channel = call.joinedChannel();
  call.needScopeFor(channel, "history");
  const root = call.threadRoot(channel, "thread_not_found", "ts");
  if (root === undefined) throw new SlackRefusedError("thread_not_found");
  const thread = call.slack.world.thread(channel.id, root);
  return page(call, readable(call, channel, thread), { most: 1_000, fallback: 1_000 });
}

/** The newest come first, and replies are not among them. */
function history(call: SlackCall) {
  const channel = call.joinedChannel();
  call.needScopeFor(channel, "history");
  const roots = call.slack.world
    .messages(channel.id)
    .filter(({ threadTs }) => threadTs === undefined);
  return page(call, readable(call, channel, roots.toReversed()), { most: 999, fallback: 100 });
}

function members(call: SlackCall) {
  const channel = call.channel();
  call.needScopeFor(channel, "read");
  const { items, next } = slice(call, [...channel.members], { most: 999, fallback: 100 });
  return { members: items, response_metadata: { next_cursor: next } };
}

function open(call: SlackCall) {
  const { world } = call.slack;
  const users = call.text("users")?.split(",").filter(Boolean);
  if (!users?.length) throw new SlackRefusedError("users_list_not_supplied");
  if (users.length > 8) throw new SlackRefusedError("too_many_users");
  for (const id of users) {
    const user = world.users.get(id);
    if (!user) throw new SlackRefusedError("user_not_found");
    if (user.kind === "deactivated") throw new SlackRefusedError("user_disabled");
  }
  if (users.length > 1) {
    call.needScope("mpim:write");
    return {
      channel: { id: world.addChannel({ type: "mpim", members: [call.bot, ...users] }).id },
    };
  }
  call.needScope("im:write");
  return { channel: { id: world.directMessage(call.bot, users[0] ?? "").id } };
}

/** What everybody sees, in the asked span of time. */
function readable(call: SlackCall, channel: SlackChannel, messages: readonly SlackMessage[]) {
  const oldest = bound(call, "oldest", Number.NEGATIVE_INFINITY);
  const latest = bound(call, "latest", Number.POSITIVE_INFINITY);
  const isInclusive = call.flag("inclusive") === true;
  return messages.filter(({ ts, onlyFor, threadTs }) => {
    if (onlyFor !== undefined) return false;
    const isRoot = threadTs === undefined && call.text("ts") === ts && channel.id !== "";
    const at = Number(ts);
    if (isInclusive && (at === oldest || at === latest)) return true;
    return isRoot || (at > oldest && at < latest);
  });
}

function bound(call: SlackCall, name: "oldest" | "latest", fallback: number): number {
  const given = call.text(name);
  if (given === undefined) return fallback;
  if (!/^\d+(\.\d+)?$/.test(given)) throw new SlackRefusedError(`invalid_ts_${name}`);
  return Number(given);
}

function page(call: SlackCall, messages: readonly SlackMessage[], limits: Limits) {
  const { items, next } = slice(call, messages, limits);
  const showsMetadata = call.flag("include_all_metadata") === true;
  return {
    messages: items.map((message) => {
      const wire = call.slack.events.wire(message);
      if (!message.metadata || showsMetadata) return wire;
      return { ...wire, metadata: { event_type: message.metadata.event_type } };
    }),
    has_more: next !== "",
    response_metadata: { next_cursor: next },
  };
}

interface Limits {
  readonly most: number;
  readonly fallback: number;
}

export function slice<Item>(call: SlackCall, all: readonly Item[], { most, fallback }: Limits) {
  const limit = call.number("limit", { least: 1, most, fallback });
  const cursor = call.text("cursor");
  const from =
    cursor === undefined ? 0 : Number(Buffer.from(cursor, "base64").toString().replace("at:", ""));
  if (!Number.isInteger(from) || from < 0 || from > all.length)
    throw new SlackRefusedError("invalid_cursor");
  const end = from + limit;
  const next = end < all.length ? Buffer.from(`at:${end}`).toString("base64") : "";
  return { items: all.slice(from, end), next };
}
