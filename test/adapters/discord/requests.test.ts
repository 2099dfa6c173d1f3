import { describe, expect, it } from "vitest";
import { encodeThread } from "../../../adapters/discord/thread.ts";
import type { View } from "../../../src/contract/platform/view.ts";
import { openDiscordRig } from "../../support/discord-rig.ts";
import { until } from "../../support/until.ts";

const notice = (text: string): View => ({ kind: "notice", level: "info", text });

describe("the requests to Discord", () => {
  it("create a thread at a message with one request", async () => {
    await using rig = await openDiscordRig();
    const { discord } = rig;
    await rig.adapter.start(async () => ({ outcome: "accepted" }));
    const channel = discord.channel({ name: "general" });
    const before = discord.calls.length;
    const { message } = discord.human({ username: "ada" }).mentions(channel, "please look");
    await until(() => discord.world.channels.has(message.id), "the thread");
    const place = encodeThread({
      guild: discord.guild.id,
      parent: channel.id,
      channel: message.id,
    });
    await rig.adapter.post(place, notice("Here."), "k");
    expect(discord.calls.slice(before).map(({ route }) => route)).toEqual([
      "POST /channels/:channel/messages/:message/threads",
      "POST /channels/:channel/messages",
    ]);
    expect(discord.world.channels.get(message.id)?.name).toBe("please look");
  });

  it("name a thread by its message after a restart", async () => {
    await using rig = await openDiscordRig();
    const { discord } = rig;
    const channel = discord.channel({ name: "general" });
    const { message } = discord.human({ username: "ada" }).mentions(channel, "please look");
    await rig.adapter.start(async () => ({ outcome: "accepted" }));
    const place = encodeThread({
      guild: discord.guild.id,
      parent: channel.id,
      channel: message.id,
    });
    await rig.adapter.post(place, notice("Here."), "k");
    expect(discord.world.channels.get(message.id)?.name).toBe("please look");
  });

  it.each(["thread", "direct", "whisper without an interaction", "file", "whispered file"])(
    "carry a nonce for every new message: %s",
    async (kind) => {
      await using rig = await openDiscordRig();
      const { discord, adapter } = rig;
      await adapter.start(async () => ({ outcome: "accepted" }));
      const place =
        kind === "direct" ? await rig.people.newThread("direct") : await rig.people.newThread();
      if (place === undefined) throw new Error("There is no place.");
      const ada = discord.human({ username: "ada" });
      const file = { name: "a.txt", mimeType: "text/plain", bytes: new TextEncoder().encode("x") };
      const view = notice("Here.");
      const show: Readonly<Record<string, () => Promise<unknown>>> = {
        "whisper without an interaction": () =>
          adapter.whisper(place, ada.user.id, view, "message:1"),
        "whispered file": async () => adapter.whisperFile?.(place, ada.user.id, file, "message:1"),
        file: () => adapter.upload(place, file, "k"),
      };
      await (show[kind]?.() ?? adapter.post(place, view, "k"));
      // The answer was lost and it is sent again.
      if (kind.startsWith("whisper")) await show[kind]?.();
      const posts = discord.calls.filter(
        ({ route }) => route === "POST /channels/:channel/messages",
      );
      expect(posts.length).toBeGreaterThan(0);
      for (const { body } of posts)
        expect(body).toMatchObject({
          enforce_nonce: true,
          nonce: expect.stringMatching(/^.{1,25}$/),
        });
      if (kind.startsWith("whisper")) expect(ada.sees(ada.direct)).toHaveLength(1);
    },
  );
});
