import { answer, type Call, type Routes } from "../call.ts";
import { Problems, refusal } from "../refusals.ts";
import { stringIn } from "../values.ts";
import type { DiscordChannel, ThreadState } from "../world.ts";
import { checkArchiveMinutes } from "./threads.ts";

export const channelRoutes: Routes = {
  "GET /channels/:channel": (call) => answer(call.discord.wire.channel(call.channel())),
  "PATCH /channels/:channel": (call) => {
    const channel = call.channel();
    if (channel.thread) return changeThread(call, channel, channel.thread);
    if (channel.guildId === undefined) throw refusal(50003);
    call.must(channel, "MANAGE_CHANNELS");
    const problems = new Problems();
    problems.optionalLength("name", call.fields.name, { least: 1, most: 100 });
    problems.optionalLength("topic", call.fields.topic, { most: 1_024 });
    problems.throwIfAny();
    channel.name = stringIn(call.fields.name) || channel.name;
    call.discord.events.channel("CHANNEL_UPDATE", channel);
    return answer(call.discord.wire.channel(channel));
  },
  "DELETE /channels/:channel": (call) => {
    const channel = call.channel();
    call.must(channel, channel.thread ? "MANAGE_THREADS" : "MANAGE_CHANNELS");
    call.discord.world.channels.delete(channel.id);
    if (channel.thread) call.discord.events.thread("THREAD_DELETE", channel);
    else call.discord.events.channel("CHANNEL_DELETE", channel);
    return answer(call.discord.wire.channel(channel));
  },
};

function changeThread(call: Call, channel: DiscordChannel, thread: ThreadState) {
  const { name, archived, locked, auto_archive_duration } = call.fields;
  const problems = new Problems();
  problems.optionalLength("name", name, { least: 1, most: 100 });
  checkArchiveMinutes(auto_archive_duration, problems);
  problems.throwIfAny();
  mustBeAbleToChange(call, channel, thread);
  const isArchived = archived === undefined ? thread.isArchived : archived === true;
  if (isArchived !== thread.isArchived) thread.archivedAt = call.discord.world.clock.iso();
  thread.isArchived = isArchived;
  thread.isLocked = locked === undefined ? thread.isLocked : locked === true;
  thread.archiveMinutes = Number(auto_archive_duration ?? thread.archiveMinutes);
  channel.name = stringIn(name) || channel.name;
  call.discord.events.thread("THREAD_UPDATE", channel);
  return answer(call.discord.wire.channel(channel));
}

/** docs.discord.com/developers/topics/threads#editing-&-deleting-threads */
function mustBeAbleToChange(call: Call, channel: DiscordChannel, thread: ThreadState): void {
  const { archived, locked } = call.fields;
  if (thread.isArchived && archived !== false) throw refusal(50083);
  if (call.may(channel, "MANAGE_THREADS")) return;
  if (thread.isLocked) throw refusal(160005);
  const isMember = thread.members.has(call.botId);
  const onlyWakes = archived === false && isMember && Object.keys(call.fields).length === 1;
  if (locked !== undefined || !(onlyWakes || thread.ownerId === call.botId)) throw refusal(50013);
}
