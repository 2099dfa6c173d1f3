import { describe, expect, it } from "vitest";
import { bitsOf } from "./permissions.ts";
import { DiscordLab } from "./test-lab.ts";
import type { Fields } from "./values.ts";

const words = (seen: readonly { text: string }[]) => seen.map(({ text }) => text);
const display = (content: string) => ({ type: 10, content });
const button = (custom_id: string, more: Fields = {}) => ({
  type: 2,
  style: 1,
  label: custom_id,
  custom_id,
  ...more,
});
const row = (...components: readonly Fields[]) => ({ type: 1, components });
const V2 = 1 << 15;

describe("people in front of Discord", () => {
  it("see a thread apart from its channel, and nothing where they may not look", async () => {
    await using lab = await DiscordLab.start();
    const { message } = lab.ada.says(lab.channel, "root");
    const thread = lab.ada.startsThread(lab.channel, "Topic", message);
    expect(thread.id).toBe(message.id);
    await lab.posted({ content: "in it" }, thread);
    expect(words(lab.ada.sees(thread))).toEqual(["", "in it"]);
    expect(words(lab.ada.sees(lab.channel))).toEqual(["root"]);
    expect(lab.discord.human({}, "outside").sees(thread)).toEqual([]);
    const bob = lab.discord.human();
    const deny = bitsOf(["VIEW_CHANNEL"]);
    lab.channel.overwrites.push({ id: bob.user.id, kind: "member", allow: 0n, deny });
    expect(bob.sees(thread)).toEqual([]);
    expect(() => bob.says(thread, "x")).toThrow("may not");
  });

  it("read texts and embeds in their order, buttons apart from them, and code as it stands", async () => {
    await using lab = await DiscordLab.start();
    const options = [{ label: "One", value: "1" }];
    await lab.posted({
      flags: V2,
      components: [
        { type: 17, components: [display("a \\*b\\* [link](https://a.b)"), row(button("yes"))] },
        { type: 9, components: [display("`\\*code\\*`")], accessory: button("no") },
        row({ type: 3, custom_id: "list", options }),
      ],
    });
    await lab.posted({
      content: "c",
      embeds: [{ title: "t", fields: [{ name: "n", value: "v" }] }],
    });
    const [first, second] = lab.ada.sees(lab.channel);
    expect(first?.text).toBe("a *b* link\n`\\*code\\*`");
    expect(first?.buttons.map(({ value }) => value)).toEqual(["yes", "no", "1"]);
    expect(second?.text).toBe("c\nt\nn\nv");
  });

  it("do not see a file that no component shows", async () => {
    await using lab = await DiscordLab.start();
    const files = ["a.txt", "b.txt"].map((name) => ({ name, bytes: new Uint8Array(1) }));
    const shown = { type: 13, file: { url: "attachment://a.txt" } };
    const path = `POST /channels/${lab.channel.id}/messages`;
    await lab.call(path, { flags: V2, components: [shown] }, { files });
    const [seen] = lab.ada.sees(lab.channel);
    expect(seen?.files.map(({ filename }) => filename)).toEqual(["a.txt"]);
  });

  it("click what is there and not switched off, choose from lists, and nothing else", async () => {
    await using lab = await DiscordLab.start();
    using client = await lab.identified();
    const options = [{ label: "One", value: "1" }];
    const off = button("off", { disabled: true });
    const list = { type: 3, custom_id: "list", options };
    await lab.posted({ flags: V2, components: [row(button("yes"), off), row(list)] });
    const [seen] = lab.ada.sees(lab.channel);
    const message = seen?.message;
    if (!message) throw new Error("there is no message");
    await expect(lab.ada.clicks(message, "maybe")).rejects.toThrow("sees no button maybe");
    await expect(lab.ada.clicks(message, "off")).rejects.toThrow("sees no button off");
    void lab.ada.clicks(message, "1");
    const told = await client.event("INTERACTION_CREATE");
    expect(told).toMatchObject({
      type: 3,
      data: { component_type: 3, custom_id: "list", values: ["1"] },
      member: { user: { id: lab.ada.user.id } },
      message: { id: message.id },
      attachment_size_limit: 10 * 1024 * 1024,
    });
  });

  it("are told when the app did not respond within three seconds", async () => {
    await using lab = await DiscordLab.start();
    const interaction = await lab.clicked();
    expect(lab.ada.failures).toEqual([]);
    lab.discord.world.clock.advance(3_100);
    expect(lab.ada.failures).toEqual([interaction.id]);
    expect(await lab.discord.interactions.settled(interaction)).toBe(false);
  });

  it("fill in windows within their limits, and can close them", async () => {
    await using lab = await DiscordLab.start();
    const component = { type: 4, custom_id: "why", style: 1, max_length: 5 };
    const components = [{ type: 18, label: "Why", component }];
    const open = async () =>
      lab.respond(await lab.clicked(), {
        type: 9,
        data: { custom_id: "m", title: "t", components },
      });
    await open();
    await expect(lab.ada.submits({ why: "too long" })).rejects.toThrow("takes 5");
    await expect(lab.ada.submits({})).rejects.toThrow("must be filled in");
    lab.ada.closes();
    expect(lab.ada.window).toBeUndefined();
    await open();
    void lab.ada.submits({ why: "so" });
    expect(lab.lastInteraction()).toMatchObject({ type: 5, userId: lab.ada.user.id });
  });

  it("use the commands of their place: a guild's own, those for all, and few in private", async () => {
    await using lab = await DiscordLab.start();
    const { commands, guild } = lab.discord;
    commands.put(guild.id, { name: "own", description: "Own." });
    commands.put(undefined, { name: "all", description: "All." });
    commands.put(undefined, { name: "guilds", description: "Guilds.", contexts: [0] });
    await expect(lab.ada.runs(lab.ada.direct, "own")).rejects.toThrow("no command own");
    await expect(lab.ada.runs(lab.ada.direct, "guilds")).rejects.toThrow("no command guilds");
    void lab.ada.runs(lab.ada.direct, "all");
    expect(lab.lastInteraction().channel).toBe(lab.ada.direct);
    for (const name of ["own", "all", "guilds"]) void lab.ada.runs(lab.channel, name);
    expect(lab.discord.interactions.all).toHaveLength(4);
    const thread = lab.ada.startsThread(lab.channel, "Topic");
    lab.ada.archives(thread);
    await expect(lab.ada.runs(thread, "all")).rejects.toThrow("archived");
  });

  it("get suggestions while they type", async () => {
    await using lab = await DiscordLab.start();
    const options = [{ type: 3, name: "what", description: "What.", autocomplete: true }];
    lab.discord.commands.put(undefined, { name: "go", description: "Goes.", options });
    const typing = lab.ada.completes(lab.channel, "go", "what", "te");
    const choices = [{ name: "tests", value: "tests" }];
    await lab.respond(lab.lastInteraction(), { type: 8, data: { choices } });
    expect(await typing).toEqual(choices);
  });

  it("click what only they see", async () => {
    await using lab = await DiscordLab.start();
    const interaction = await lab.ran();
    const components = [row(button("yes"))];
    await lab.respond(interaction, { type: 4, data: { content: "?", components, flags: 64 } });
    const whisper = interaction.original;
    if (!whisper) throw new Error("no answer");
    await expect(lab.discord.human().clicks(whisper, "yes")).rejects.toThrow("sees no button");
    void lab.ada.clicks(whisper, "yes");
    await lab.respond(lab.lastInteraction(), { type: 7, data: { content: "ok", components: [] } });
    expect(words(lab.ada.sees(lab.channel))).toEqual(["ok"]);
  });

  it("see a deferred answer think, and the first further message in its place", async () => {
    await using lab = await DiscordLab.start();
    const interaction = await lab.ran();
    await lab.respond(interaction, { type: 5, data: { flags: 64 } });
    expect(lab.ada.sees(lab.channel)).toMatchObject([{ isLoading: true, isWhisper: true }]);
    await lab.call(`POST ${lab.webhook(interaction)}`, { content: "done" });
    await lab.call(`POST ${lab.webhook(interaction)}`, { content: "more" });
    const seen = lab.ada.sees(lab.channel);
    expect(words(seen)).toEqual(["done", "more"]);
    // Whether it is a whisper was decided when the answer was deferred.
    expect(seen.map(({ isWhisper }) => isWhisper)).toEqual([true, false]);
    expect(words(lab.discord.human().sees(lab.channel))).toEqual(["more"]);
  });
});

describe("what Discord makes of a message", () => {
  const alarms = async (body: Fields) => {
    await using lab = await DiscordLab.start();
    await lab.posted(body);
    return lab.ada.sees(lab.channel)[0]?.alarms;
  };
  const quiet = { allowed_mentions: { parse: [] } };

  it("calls whom the text names outside of code, unless no one may be called", async () => {
    const content = "`<@1>` <@&2> @everyone";
    expect(await alarms({ content })).toEqual(["called role 2", "called everyone"]);
    expect(await alarms({ content, ...quiet })).toEqual([]);
    expect(await alarms({ flags: V2, components: [display(content)] })).toHaveLength(2);
    expect(await alarms({ flags: V2, components: [display(content)], ...quiet })).toEqual([]);
  });

  it("fetches addresses, unless it is told not to or they stand in code or brackets", async () => {
    expect(await alarms({ content: "https://evil.example/" })).toHaveLength(1);
    expect(await alarms({ content: "https://evil.example/", flags: 4 })).toEqual([]);
    expect(await alarms({ content: "<https://a.b> `https://a.b`" })).toEqual([]);
    expect(await alarms({ flags: V2, components: [display("https://a.b")] })).toEqual([]);
  });

  it("hides addresses behind words, fetches pictures, and shows no hidden characters", async () => {
    const masked = "[bank](https://evil.example)";
    expect(await alarms({ flags: V2, components: [display(masked)] })).toHaveLength(1);
    expect(await alarms({ flags: V2, components: [display(`\\${masked}`)] })).toEqual([]);
    const gallery = { type: 12, items: [{ media: { url: "https://a.b/c.png" } }] };
    expect(await alarms({ flags: V2, components: [gallery] })).toHaveLength(1);
    expect(await alarms({ content: "a\u202eb" })).toContain("hidden characters");
    const label = "a\u200bb";
    const hidden = { content: "x", components: [row(button("x", { label }))] };
    expect(await alarms(hidden)).toContain("hidden characters");
  });

  it("an edit without a word about mentions calls again", async () => {
    await using lab = await DiscordLab.start();
    const id = await lab.posted({ content: "<@1>", ...quiet });
    const path = `PATCH /channels/${lab.channel.id}/messages/${id}`;
    await lab.call(path, { content: "<@1>" });
    expect(lab.ada.sees(lab.channel)[0]?.alarms).toEqual(["called user 1"]);
  });
});
