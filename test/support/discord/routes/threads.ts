import { answer, type Call, DONE, type Routes } from "../call.ts";
import { addMessage } from "../posting.ts";
import { Problems, refusal } from "../refusals.ts";
import type { DiscordServices } from "../services.ts";
import { type Fields, stringIn } from "../values.ts";
import { CHANNEL, type DiscordChannel, type DiscordMessage } from "../world.ts";

const ARCHIVE_MINUTES = [60, 1_440, 4_320, 10_080];

export const threadRoutes: Routes = {
  "POST /channels/:channel/messages/:message/threads": (call) => {
    const channel = mustTakeThreads(call);
    call.must(channel, "CREATE_PUBLIC_THREADS");
    const message = call.message(channel);
    if (call.discord.world.channels.has(message.id)) throw refusal(160004);
    const thread = startThread(call.discord, channel, {
      ...threadForm(call.fields),
      ownerId: call.botId,
      message,
    });
    return answer(call.discord.wire.channel(thread), 201);
  },
  "POST /channels/:channel/threads": (call) => {
    const channel = mustTakeThreads(call);
    const type = Number(call.fields.type ?? CHANNEL.privateThread);
    const problems = new Problems();
    problems.choice("type", type, [CHANNEL.publicThread, CHANNEL.privateThread]);
    problems.throwIfAny();
    const isPrivate = type === CHANNEL.privateThread;
    call.must(channel, isPrivate ? "CREATE_PRIVATE_THREADS" : "CREATE_PUBLIC_THREADS");
    const form = threadForm(call.fields);
    const thread = startThread(call.discord, channel, { ...form, ownerId: call.botId, type });
    return answer(call.discord.wire.channel(thread), 201);
  },
  "PUT /channels/:channel/thread-members/:user": (call) => {
    const thread = mustBeAwake(call);
    call.must(thread, "SEND_MESSAGES_IN_THREADS");
    thread.thread?.members.add(userIn(call));
    return DONE;
  },
  "DELETE /channels/:channel/thread-members/:user": (call) => {
    mustBeAwake(call).thread?.members.delete(userIn(call));
    return DONE;
  },
  "GET /channels/:channel/thread-members/:user": (call) => {
    const { thread, id } = mustBeThread(call);
    const userId = userIn(call);
    if (!thread?.members.has(userId)) throw refusal(10007);
    return answer(call.discord.wire.threadMember(id, userId));
  },
  "GET /channels/:channel/thread-members": (call) => {
    const { thread, id } = mustBeThread(call);
    const members = [...(thread?.members ?? [])];
    return answer(members.map((userId) => call.discord.wire.threadMember(id, userId)));
  },
  "GET /channels/:channel/threads/archived/public": (call) => {
    const channel = call.channel();
    call.must(channel, "READ_MESSAGE_HISTORY");
    const isMeant = ({ parentId, type, thread }: DiscordChannel) =>
      parentId === channel.id && type === CHANNEL.publicThread && thread?.isArchived === true;
    return answer(threadList(call, isMeant));
  },
  "GET /guilds/:guild/threads/active": (call) => {
    const guild = call.guild();
    const isMeant = ({ guildId, thread }: DiscordChannel) =>
      guildId === guild.id && thread?.isArchived === false;
    const { threads, members } = threadList(call, isMeant);
    return answer({ threads, members });
  },
};

interface NewThread {
  readonly name: string;
  readonly archiveMinutes: number;
  readonly ownerId: string;
  readonly type?: number;
  /** The message it begins at: the thread has its id. */
  readonly message?: DiscordMessage;
}

/** Also for people, who have the same threads. */
export function startThread(
  discord: DiscordServices,
  channel: DiscordChannel,
  { name, archiveMinutes, ownerId, message, type = kindIn(channel) }: NewThread,
): DiscordChannel {
  const { world, events } = discord;
  const state = { isArchived: false, isLocked: false, archivedAt: world.clock.iso() };
  const thread = world.addChannel({
    type,
    name,
    parentId: channel.id,
    ...(channel.guildId !== undefined && { guildId: channel.guildId }),
    ...(message && { id: message.id }),
    thread: { ownerId, members: new Set([ownerId]), archiveMinutes, ...state },
  });
  events.thread("THREAD_CREATE", thread);
  if (message) {
    events.edited(message);
    const reference = { messageId: message.id, channelId: channel.id };
    events.posted(
      addMessage(world, { channel: thread, authorId: message.authorId, type: 21, reference }),
    );
  }
  return thread;
}

/** docs.discord.com/developers/resources/channel#start-thread-from-message */
function kindIn({ type }: DiscordChannel): number {
  return type === CHANNEL.announcement ? CHANNEL.announcementThread : CHANNEL.publicThread;
}

function threadForm(fields: Fields): { name: string; archiveMinutes: number } {
  const problems = new Problems();
  problems.length("name", fields.name, { least: 1, most: 100 });
  checkArchiveMinutes(fields.auto_archive_duration, problems);
  problems.range("rate_limit_per_user", fields.rate_limit_per_user, { least: 0, most: 21_600 });
  problems.throwIfAny();
  const archiveMinutes = Number(fields.auto_archive_duration ?? 4_320);
  return { name: stringIn(fields.name), archiveMinutes };
}

export function checkArchiveMinutes(minutes: unknown, problems: Problems): void {
  if (minutes !== undefined) problems.choice("auto_archive_duration", minutes, ARCHIVE_MINUTES);
}

function mustTakeThreads(call: Call): DiscordChannel {
  const channel = call.channel();
  if (channel.type !== CHANNEL.text && channel.type !== CHANNEL.announcement) throw refusal(50024);
  const { channels, mostThreads } = call.discord.world;
  const awake = [...channels.values()].filter(
    ({ guildId, thread }) => guildId === channel.guildId && thread?.isArchived === false,
  );
  if (awake.length >= mostThreads) throw refusal(160006);
  return channel;
}

function mustBeThread(call: Call): DiscordChannel {
  const channel = call.channel();
  if (!channel.thread) throw refusal(50024);
  return channel;
}

function mustBeAwake(call: Call): DiscordChannel {
  const channel = mustBeThread(call);
  if (channel.thread?.isArchived) throw refusal(50083);
  return channel;
}

function userIn(call: Call): string {
  const user = call.param("user");
  return user === "@me" ? call.botId : user;
}

function threadList(call: Call, isMeant: (channel: DiscordChannel) => boolean) {
  const { world, wire } = call.discord;
  const found = [...world.channels.values()].filter(isMeant);
  const mine = found.filter(({ thread }) => thread?.members.has(call.botId));
  return {
    threads: found.map((one) => wire.channel(one)),
    members: mine.map(({ id }) => wire.threadMember(id, call.botId)),
    has_more: false,
  };
}
