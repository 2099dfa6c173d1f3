import { extname } from "node:path";
import type { Fields } from "./values.ts";
import type {
  SlackChannel,
  SlackFile,
  SlackMessage,
  SlackUser,
  SlackView,
  SlackWorld,
} from "./world.ts";

/** A message as Slack hands it out. */
export function messageOnWire(world: SlackWorld, message: SlackMessage, origin: string): Fields {
  const { ts, user, botId, appId, text, blocks, files, threadTs, subtype, edited } = message;
  const replies = world
    .thread(message.channel, ts)
    .filter((one) => one.threadTs === ts && one.ts !== ts);
  const parent = threadTs === undefined ? undefined : world.find(message.channel, threadTs);
  return {
    type: "message",
    ...(subtype && { subtype }),
    user,
    ts,
    text,
    team: world.users.get(user)?.team ?? world.team.id,
    ...(botId ? { bot_id: botId, app_id: appId } : { client_msg_id: `client-${ts}` }),
    ...(blocks.length > 0 && { blocks }),
    ...(files.length > 0 && {
      files: files.map((file) => fileOnWire(file, origin)),
      upload: false,
    }),
    ...(threadTs !== undefined && { thread_ts: threadTs, parent_user_id: parent?.user ?? "" }),
    ...(replies.length > 0 && {
      thread_ts: ts,
      reply_count: replies.length,
      latest_reply: replies.at(-1)?.ts,
      reply_users: [...new Set(replies.map((reply) => reply.user))],
    }),
    ...(edited && { edited }),
    ...(message.metadata && { metadata: message.metadata }),
    ...(message.reactions.size > 0 && {
      reactions: [...message.reactions].map(([name, users]) => ({
        name,
        users: [...users],
        count: users.size,
      })),
    }),
  };
}

const TYPES: Readonly<Record<string, string>> = {
  ".txt": "text/plain",
  ".md": "text/markdown",
  ".json": "application/json",
  ".png": "image/png",
  ".pdf": "application/pdf",
};

export function fileOnWire(file: SlackFile, origin: string): Fields {
  const address = `${origin}/files-pri/${file.id}/${encodeURIComponent(file.name)}`;
  const shares = file.shares.map(({ channel, ts, threadTs }) => [
    channel,
    [{ ts, ...(threadTs !== undefined && { thread_ts: threadTs }) }],
  ]);
  return {
    id: file.id,
    name: file.name,
    title: file.title,
    mimetype: TYPES[extname(file.name).toLowerCase()] ?? "application/octet-stream",
    filetype: extname(file.name).slice(1) || "binary",
    user: file.user,
    size: file.bytes.length,
    mode: "hosted",
    is_external: false,
    is_public: true,
    url_private: address,
    url_private_download: `${address}?download=1`,
    channels: [...file.channels],
    shares: { public: Object.fromEntries(shares) },
  };
}

export function userOnWire(user: SlackUser, world: SlackWorld): Fields {
  const isBot = user.kind === "bot";
  return {
    id: user.id,
    team_id: user.team,
    name: user.name,
    deleted: user.kind === "deactivated",
    real_name: user.realName,
    is_bot: isBot,
    is_app_user: false,
    ...(user.kind === "deactivated" ? {} : rightsOnWire(user)),
    ...(user.team !== world.team.id && { is_stranger: true }),
    profile: {
      real_name: user.realName,
      display_name: user.name,
      team: user.team,
      ...(isBot && { bot_id: user.botId, api_app_id: user.appId }),
    },
    ...user.said,
  };
}

/** Every owner is an admin, too. Slack leaves these out for people who are deactivated. */
function rightsOnWire({ kind }: SlackUser): Fields {
  return {
    is_admin: kind === "admin" || kind === "owner" || kind === "primaryOwner",
    is_owner: kind === "owner" || kind === "primaryOwner",
    is_primary_owner: kind === "primaryOwner",
    is_restricted: kind === "guest",
    is_ultra_restricted: false,
  };
}

export function channelOnWire(channel: SlackChannel, world: SlackWorld, bot: string): Fields {
  const { id, name, type, members, isArchived, isExternallyShared } = channel;
  const other = [...members].find((member) => member !== bot);
  return {
    id,
    ...(type === "im" ? { user: other } : { name, name_normalized: name }),
    is_channel: type === "channel",
    is_group: type === "group",
    is_im: type === "im",
    is_mpim: type === "mpim",
    is_private: type !== "channel",
    is_archived: isArchived,
    is_member: members.has(bot),
    is_ext_shared: isExternallyShared,
    is_shared: isExternallyShared,
    context_team_id: world.team.id,
  };
}

export function viewOnWire(view: SlackView, world: SlackWorld, values: Fields = {}): Fields {
  return {
    private_metadata: "",
    callback_id: "",
    external_id: "",
    clear_on_close: false,
    notify_on_close: false,
    ...view.content,
    id: view.id,
    team_id: world.team.id,
    app_id: view.appId,
    hash: view.hash,
    root_view_id: view.rootId,
    previous_view_id: view.previousId ?? null,
    state: { values },
  };
}
