import type { Fields } from "./values.ts";
import type { DiscordGuild } from "./world.ts";

/** What a guild has where nobody has set anything. */
export const PLAIN_GUILD: Fields = {
  icon: null,
  emojis: [],
  stickers: [],
  features: [],
  premium_subscription_count: 0,
  preferred_locale: "en-US",
  verification_level: 0,
  default_message_notifications: 0,
  explicit_content_filter: 0,
  mfa_level: 0,
  nsfw_level: 0,
  system_channel_flags: 0,
  afk_timeout: 300,
  afk_channel_id: null,
  system_channel_id: null,
  rules_channel_id: null,
  public_updates_channel_id: null,
  premium_progress_bar_enabled: false,
  max_members: 500_000,
  vanity_url_code: null,
  description: null,
  banner: null,
};

export function guildFields({ id, name, ownerId, tier }: DiscordGuild): Fields {
  return { id, name, owner_id: ownerId, premium_tier: tier };
}
