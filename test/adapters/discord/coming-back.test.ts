import { describe, expect, it } from "vitest";
import type { Incoming } from "../../../src/contract/platform/incoming.ts";
import { discordAdapter, openDiscordRig } from "../../support/discord-rig.ts";
import { until } from "../../support/until.ts";

function hearing() {
  const heard: string[] = [];
  const receive = async (incoming: Incoming) => {
    if (incoming.type === "message") heard.push(incoming.text);
    return { outcome: "accepted" } as const;
  };
  return { heard, receive };
}

describe("P-C4 up to where everything is kept", () => {
  it("what was said in a channel that is gone holds nothing up", async () => {
    await using rig = await openDiscordRig();
    const { discord } = rig;
    const { heard, receive } = hearing();
    await rig.adapter.start(receive);
    const ada = discord.human({ username: "ada" });
    const channel = discord.channel();
    const { message: gone } = ada.says(ada.direct, "first");
    await until(() => heard.length === 1, "the first");
    const id = discord.world.clock.nextId();
    const data = { ...discord.wire.message(gone), id, channel_id: id, guild_id: discord.guild.id };
    discord.gateway.dispatch({ type: "MESSAGE_CREATE", intents: 1 << 9, data: () => data });
    const { message } = ada.mentions(channel, "second");
    await until(() => heard.length === 2, "the second");
    await until(() => rig.adapter.hasKept(id), "the end of what is gone");
    await rig.adapter[Symbol.asyncDispose]();
    expect(await rig.documents.get("cursor")).toBe(message.id);
    expect(rig.problems).toEqual([]);
  });

  it("whoever comes back does not ask for what it cannot see", async () => {
    await using rig = await openDiscordRig();
    const { discord, documents } = rig;
    const { heard, receive } = hearing();
    await rig.adapter.start(receive);
    const ada = discord.human({ username: "ada" });
    const [open, hidden] = [discord.channel(), discord.channel()];
    discord.deny(hidden, "VIEW_CHANNEL");
    ada.mentions(open, "before");
    await until(() => heard.length === 1, "what was said before");
    await rig.adapter[Symbol.asyncDispose]();
    ada.mentions(hidden, "hidden");
    ada.mentions(open, "meanwhile");
    await using again = discordAdapter(discord, { documents, log: () => undefined });
    await again.start(receive);
    await until(() => heard.includes("meanwhile"), "what was said meanwhile");
    expect(heard).not.toContain("hidden");
    expect(discord.calls.filter(({ status }) => status === 403)).toEqual([]);
  });
});
