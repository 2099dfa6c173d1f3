import { describe, expect, it } from "vitest";
import { encodeThread } from "../../../../adapters/discord/thread.ts";
import type { Incoming } from "../../../../src/contract/platform/incoming.ts";
import { startThread } from "../../../support/discord/routes/threads.ts";
import { CHANNEL } from "../../../support/discord/world.ts";
import { openDiscordRig } from "../../../support/discord-rig.ts";
import { until } from "../../../support/until.ts";

describe("who belongs to a thread", () => {
  it.each([false, true])(
    "that is closed: those who were let in, and those who manage it; put away: %s",
    async (isArchived) => {
      await using rig = await openDiscordRig();
      const { discord } = rig;
      const [ada, bob] = ["ada", "bob"].map((username) => discord.human({ username }));
      if (!ada || !bob) throw new Error("There is nobody.");
      const parent = discord.channel();
      const thread = startThread(discord, parent, {
        ...{
          name: "Closed",
          archiveMinutes: 60,
          ownerId: ada.user.id,
          type: CHANNEL.privateThread,
        },
      });
      for (const { id } of [ada.user, discord.app.user]) thread.thread?.members.add(id);
      if (isArchived) ada.archives(thread);
      await rig.adapter.start(async () => ({ outcome: "accepted" }));
      const place = { guild: discord.guild.id, parent: parent.id, channel: thread.id };
      const belongs = async (id: string) =>
        (await rig.adapter.presence(encodeThread(place), id))?.place.isChannelMember;
      expect(await belongs(ada.user.id)).toBe(true);
      expect(await belongs(bob.user.id)).toBe(false);
      expect(await belongs(discord.guild.ownerId)).not.toBe(false);
    },
  );

  it("P-A4 what is said in a group, which is no conversation of two, is none of the bot's business", async () => {
    await using rig = await openDiscordRig();
    const heard: Incoming[] = [];
    await rig.adapter.start(async (incoming) => {
      heard.push(incoming);
      return { outcome: "accepted" };
    });
    const { discord } = rig;
    const [ada, bob] = ["ada", "bob"].map((username) => discord.human({ username }));
    if (!ada || !bob) throw new Error("There is nobody.");
    const { direct } = ada;
    const recipients = [ada, bob].map(({ user }) => user.id);
    const group = discord.world.addChannel({
      ...{ type: 3, recipients: [...recipients, discord.app.user.id] },
    });
    ada.says(group, "yes");
    ada.says(direct, "alone");
    await until(() => heard.length > 0, "what was said alone");
    expect(heard).toMatchObject([{ text: "alone", isDirect: true }]);
  });
});
