import { PERMISSIONS, type Permission } from "./permissions.ts";
import { CHANNEL, type DiscordChannel, type DiscordGuild, type DiscordWorld } from "./world.ts";

const EVERYTHING = (1n << 50n) - 1n;

/** What somebody may in a channel; a thread asks its parent. Nothing at all where they cannot see it. */
export function permissionsIn(
  world: DiscordWorld,
  channel: DiscordChannel,
  userId: string,
): bigint {
  const guild = world.guildOf(channel);
  const parent = channel.thread && world.channels.get(channel.parentId ?? "");
  const bits = guild ? bitsIn(guild, parent ?? channel, userId) : 0n;
  const isShut = channel.type === CHANNEL.privateThread && !channel.thread?.members.has(userId);
  return isShut && !(bits & PERMISSIONS.MANAGE_THREADS) ? 0n : bits;
}

/** In direct messages both sides may what is not about a guild. */
export function may(
  world: DiscordWorld,
  channel: DiscordChannel,
  who: { readonly userId: string; readonly permission: Permission },
): boolean {
  const { userId, permission } = who;
  if (channel.guildId === undefined)
    return channel.recipients.includes(userId) && !permission.startsWith("MANAGE");
  return (permissionsIn(world, channel, userId) & PERMISSIONS[permission]) !== 0n;
}

function bitsIn(guild: DiscordGuild, channel: DiscordChannel, userId: string): bigint {
  const member = guild.members.get(userId);
  if (!member) return 0n;
  if (guild.ownerId === userId) return EVERYTHING;
  const roles = [guild.id, ...member.roles];
  let bits = roles.reduce((sum, id) => sum | (guild.roles.get(id)?.permissions ?? 0n), 0n);
  if (bits & PERMISSIONS.ADMINISTRATOR) return EVERYTHING;
  for (const ids of [[guild.id], [...member.roles], [userId]]) {
    const overwrites = channel.overwrites.filter(({ id }) => ids.includes(id));
    for (const { deny } of overwrites) bits &= ~deny;
    for (const { allow } of overwrites) bits |= allow;
  }
  return bits & PERMISSIONS.VIEW_CHANNEL ? bits : 0n;
}
