import type { SlackCall, SlackMethod } from "../call.ts";
import { SlackRefusedError } from "../values.ts";
import { userOnWire } from "../wire-forms.ts";
import { slice } from "./conversations.ts";

/** Who somebody is, and what they think of a message. */
export const people: Readonly<Record<string, SlackMethod>> = {
  "users.info": { scopes: ["users:read"], tier: "t4", run: userInfo },
  "users.list": { scopes: ["users:read"], tier: "t2", run: userList },
  "bots.info": { scopes: ["users:read"], tier: "t3", run: botInfo },
  "usergroups.list": { scopes: ["usergroups:read"], tier: "t2", run: groups },
  "reactions.add": { scopes: ["reactions:write"], tier: "t3", run: react },
  "reactions.remove": { scopes: ["reactions:write"], tier: "t2", run: unreact },
};

function userInfo(call: SlackCall) {
  const user = call.slack.world.users.get(call.text("user") ?? "");
  if (!user) throw new SlackRefusedError("user_not_found");
  return { user: userOnWire(user, call.slack.world) };
}

/** Everyone, deactivated people and bots among them, page by page. */
function userList(call: SlackCall) {
  const { world } = call.slack;
  const { items, next } = slice(call, [...world.users.values()], { most: 1_000, fallback: 1_000 });
  return {
    members: items.map((user) => userOnWire(user, world)),
    cache_ts: Math.floor(Date.now() / 1_000),
    response_metadata: { next_cursor: next },
  };
}

function botInfo(call: SlackCall) {
  const bots = [...call.slack.world.users.values()];
  const bot = bots.find(({ botId }) => botId !== undefined && botId === call.text("bot"));
  if (!bot) throw new SlackRefusedError("bot_not_found");
  return { bot: { id: bot.botId, app_id: bot.appId, user_id: bot.id, name: bot.name } };
}

function groups(call: SlackCall) {
  const withUsers = call.flag("include_users") === true;
  const usergroups = [...call.slack.world.groups].map(([id, { handle, users }]) => ({
    id,
    handle,
    team_id: call.slack.world.team.id,
    ...(withUsers && { users: [...users] }),
  }));
  return { usergroups };
}

function react(call: SlackCall) {
  const { users } = reaction(call);
  if (users.has(call.bot)) throw new SlackRefusedError("already_reacted");
  users.add(call.bot);
  return {};
}

function unreact(call: SlackCall) {
  const { users, all, name } = reaction(call);
  if (!users.delete(call.bot)) throw new SlackRefusedError("no_reaction");
  if (users.size === 0) all.delete(name);
  return {};
}

function reaction(call: SlackCall) {
  const name = call.text("name") ?? "";
  if (!/^[a-z0-9_+'-]+(::skin-tone-\d)?$/.test(name)) throw new SlackRefusedError("invalid_name");
  if (call.text("timestamp") === undefined) throw new SlackRefusedError("no_item_specified");
  if (!/^\d+\.\d{6}$/.test(call.text("timestamp") ?? ""))
    throw new SlackRefusedError("bad_timestamp");
  const channel = call.channel();
  if (!channel.members.has(call.bot)) throw new SlackRefusedError("channel_not_found");
  if (channel.isArchived) throw new SlackRefusedError("is_archived");
  const { reactions: all } = call.message(channel, "timestamp");
  const users = all.get(name) ?? new Set<string>();
  all.set(name, users);
  return { users, all, name };
}
