import { afterEach, beforeEach, expect, it } from "vitest";
import type { Incoming } from "../../../../src/contract/platform/incoming.ts";
import type { Human } from "../../../support/discord/human.ts";
import { type DiscordRig, openDiscordRig } from "../../../support/discord-rig.ts";
import { until } from "../../../support/until.ts";

let rig: DiscordRig;
let ada: Human;
let heard: Incoming[];
beforeEach(async () => {
  rig = await openDiscordRig();
  heard = [];
  ada = rig.discord.human({ username: "ada" });
});
afterEach(() => rig[Symbol.asyncDispose]());

function ids() {
  const { discord } = rig;
  const bob = discord.human({ username: "bob", globalName: "Bob Builder" });
  const unseen = discord.human({ username: "zoe", globalName: "\u3164\u200b " });
  const role = discord.world.addRole(discord.guild, { name: "sre" });
  const other = discord.world.addGuild("Elsewhere");
  return {
    bob: bob.user.id,
    unseen: unseen.user.id,
    role: role.id,
    ops: discord.channel({ name: "ops" }).id,
    foreignRole: discord.world.addRole(other, { name: "secret" }).id,
  };
}
type Ids = ReturnType<typeof ids>;

const CASES: readonly (readonly [string, (ids: Ids) => string, string])[] = [
  ["a person", ({ bob }) => `ask <@${bob}> now`, "ask @Bob Builder now"],
  ["a person in the old form", ({ bob }) => `ask <@!${bob}>`, "ask @Bob Builder"],
  ["a person whose name is not seen", ({ unseen }) => `ask <@${unseen}>`, "ask @zoe"],
  ["a person whom nobody knows", () => "ask <@123456789012345678>", "ask @someone"],
  ["a role", ({ role }) => `tell <@&${role}>`, "tell @sre"],
  ["a role of another server", ({ foreignRole }) => `tell <@&${foreignRole}>`, "tell @a role"],
  ["a channel", ({ ops }) => `in <#${ops}>`, "in #ops"],
  ["a channel that is gone", () => "in <#123456789012345678>", "in a channel"],
  ["an emoji", () => "<:ship:123456789012345678> <a:go:123456789012345678>", ":ship: :go:"],
  ["a command", () => "use </deckhand ask:123456789012345678>", "use /deckhand ask"],
  ["a time", () => "at <t:1763294400:R>", "at 12:00 UTC on 16 Nov 2025"],
  ["code", ({ bob }) => `\`<@${bob}>\` is code`, "`<@ID>` is code"],
  ["a block of code", ({ bob }) => `see\n\`\`\`\n<@${bob}>\n\`\`\``, "see\n```\n<@ID>\n```"],
];

it.each(CASES)("%s in a message is read by name, never by an id", async (_, said, read) => {
  const known = ids();
  await rig.adapter.start(async (incoming) => {
    heard.push(incoming);
    return { outcome: "accepted" };
  });
  const text = read.replaceAll("ID", known.bob);
  const { message } = ada.mentions(rig.discord.channel(), said(known));
  await until(() => heard.length === 1, "the message");
  expect(heard[0]).toMatchObject({ text });
  const thread = await until(() => rig.discord.world.channels.has(message.id), "the thread").then(
    () => rig.discord.world.channels.get(message.id),
  );
  if (!thread || !heard[0]) throw new Error("There is no thread.");
  const later = ada.says(thread, "and?");
  const earlier = await rig.adapter.earlier(heard[0].thread, later.message.id, 5);
  expect(earlier.map((one) => one.text)).toEqual([text]);
});
