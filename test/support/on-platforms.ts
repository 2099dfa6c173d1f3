import { render as renderDiscord } from "../../adapters/discord/format.ts";
import { encodeThread } from "../../adapters/discord/thread.ts";
import { render as renderSlack } from "../../adapters/slack/format.ts";
import type { View } from "../../src/contract/platform/view.ts";
import { alarmsIn as discordAlarms } from "./discord/alarms.ts";
import { DiscordClock } from "./discord/clock.ts";
import { EVERYBODY } from "./discord/mentions.ts";
import { addMessage } from "./discord/posting.ts";
import { onScreen } from "./discord/screen.ts";
import type { Fields as DiscordFields } from "./discord/values.ts";
import { CHANNEL, DiscordWorld } from "./discord/world.ts";
import { alarmsIn as slackAlarms } from "./slack/alarms.ts";
import { readableText } from "./slack/screen.ts";
import type { Fields } from "./slack/values.ts";

const world = new DiscordWorld(new DiscordClock());
const channel = world.addChannel({ type: CHANNEL.text });
const thread = encodeThread({ guild: "1".repeat(19), parent: "2".repeat(19), channel: "3" });
const empty = addMessage(world, { channel, authorId: "1", allowed: EVERYBODY, flags: 1 << 15 });

function onDiscord(view: View) {
  const components = renderDiscord(view, { thread }) as object[] as DiscordFields[];
  const message = { ...empty, components };
  return { text: onScreen(message).text, alarms: discordAlarms(message), raw: components };
}

function onSlack(view: View, hasPlans = true) {
  const { text, blocks } = renderSlack(view, { root: "1700000000.000100", hasPlans });
  const message = { ts: "1", channel: "C", text, blocks: blocks as unknown as Fields[] };
  const posted = { ...message, unfurls: { links: false, media: false }, parsesNames: false };
  const seen = { files: [], reactions: new Map(), user: "U" };
  return {
    text: readableText(posted),
    alarms: slackAlarms({ ...seen, ...posted } as never),
    raw: blocks,
  };
}

/** What people read of a view on each platform, and what the platform would do because of it. */
export const ON_PLATFORMS = { Slack: onSlack, Discord: onDiscord } as const;
