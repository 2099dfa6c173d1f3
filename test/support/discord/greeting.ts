import { may } from "./access.ts";
import type { DiscordApp } from "./app.ts";
import { INTENT } from "./events.ts";
import type { Dispatch, Session } from "./session.ts";
import type { Fields } from "./values.ts";
import type { Wire } from "./wire.ts";
import type { DiscordChannel, DiscordGuild, DiscordWorld } from "./world.ts";

interface Surroundings {
  readonly world: DiscordWorld;
  readonly app: DiscordApp;
  readonly wire: Wire;
  readonly origin: string;
}

/** What a new session is told first: who it is, and every guild that it is in. */
export function greeting(discord: Surroundings, session: Session): Dispatch[] {
  const { app, world, wire, origin } = discord;
  const mine = [...world.guilds.values()].filter(
    (one) => one.members.has(app.user.id) && session.isAbout(one.id),
  );
  const ready = {
    v: 10,
    user: { ...wire.user(app.user.id), verified: true, mfa_enabled: true, email: null, flags: 0 },
    guilds: mine.map(({ id }) => ({ id, unavailable: true })),
    session_id: session.id,
    session_type: "normal",
    resume_gateway_url: origin.replace(/^http/, "ws"),
    private_channels: [],
    shard: session.shard,
    application: { id: app.id, flags: app.flags },
  };
  return [
    { type: "READY", intents: 0, data: () => ready },
    ...mine.map((guild) => {
      const data = guildCreate(discord, guild);
      return { type: "GUILD_CREATE", intents: INTENT.guilds, data: () => data };
    }),
  ];
}

function guildCreate({ world, wire, app }: Surroundings, guild: DiscordGuild): Fields {
  const me = guild.members.get(app.user.id);
  if (!me) return {};
  const who = { userId: app.user.id, permission: "VIEW_CHANNEL" } as const;
  // An app is told of channels that it cannot see, too: docs.discord.com/developers/resources/channel#obfuscated-channels
  const channels = [...world.channels.values()].filter(({ guildId }) => guildId === guild.id);
  const isActive = (one: DiscordChannel) => one.thread?.isArchived === false;
  const active = channels.filter((one) => isActive(one) && may(world, one, who));
  return {
    ...wire.guild(guild),
    presences: [],
    voice_states: [],
    soundboard_sounds: [],
    stage_instances: [],
    guild_scheduled_events: [],
    joined_at: me.joinedAt,
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    // Without the intent for members an app is told of itself only.
    members: [{ ...wire.member(me), user: wire.user(app.user.id) }],
    channels: channels.filter(({ thread }) => !thread).map((one) => wire.channel(one)),
    threads: active.map((one) => wire.channel(one)),
  };
}
