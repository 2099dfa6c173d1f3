import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  type ChatInputCommandInteraction,
  ContainerBuilder,
  Events,
  FileBuilder,
  type Interaction,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  ModalBuilder,
  TextDisplayBuilder,
  TextInputBuilder,
  TextInputStyle,
} from "discord.js";
import { describe, expect, it } from "vitest";
import { ClientLab } from "./discord-lab.ts";

const words = (seen: readonly { text: string }[]) => seen.map(({ text }) => text);
const button = () =>
  new ActionRowBuilder<ButtonBuilder>().addComponents(
    new ButtonBuilder().setCustomId("yes").setLabel("Yes").setStyle(ButtonStyle.Success),
  );

/** What somebody does next, as discord.js tells it. */
function next(lab: ClientLab): Promise<Interaction> {
  return new Promise((resolve) => lab.client.once(Events.InteractionCreate, resolve));
}

describe("the real discord.js on the double", () => {
  it("logs in, knows its guild, and hears a mention and a whisper", async () => {
    await using lab = await ClientLab.start();
    expect(lab.client.user?.id).toBe(lab.discord.app.user.id);
    expect(lab.client.guilds.cache.get(lab.discord.guild.id)?.name).toBe("A guild");
    const heard: string[] = [];
    lab.client.on(Events.MessageCreate, (message) => {
      const isMention = message.mentions.users.has(lab.discord.app.user.id);
      heard.push(`${message.author.username} ${isMention} ${message.channel.isDMBased()}`);
    });
    lab.ada.mentions(lab.channel, "run the tests");
    lab.ada.says(lab.channel, "just talking");
    lab.ada.says(lab.ada.direct, "psst");
    await expect.poll(() => heard).toEqual(["ada true false", "ada false false", "ada false true"]);
  });

  it("posts, edits, reacts, types and deletes", async () => {
    await using lab = await ClientLab.start();
    const channel = await lab.text();
    await channel.sendTyping();
    expect(lab.ada.seesTyping(lab.channel)).toEqual([lab.discord.app.user.id]);
    const message = await channel.send("one");
    expect(lab.ada.seesTyping(lab.channel)).toEqual([]);
    await message.edit("two");
    await message.react("👀");
    expect(words(lab.ada.sees(lab.channel))).toEqual(["two"]);
    const [seen] = lab.ada.sees(lab.channel);
    expect([...(seen?.message.reactions.keys() ?? [])]).toEqual(["👀"]);
    await message.delete();
    expect(lab.ada.sees(lab.channel)).toEqual([]);
    await expect(message.edit("gone")).rejects.toMatchObject({ code: 10008 });
  });

  it("sends the same nonce twice and there is one message", async () => {
    await using lab = await ClientLab.start();
    const channel = await lab.text();
    const payload = { content: "once", nonce: "k1", enforceNonce: true };
    const first = await channel.send(payload);
    expect((await channel.send({ ...payload, content: "twice" })).id).toBe(first.id);
    expect(words(lab.ada.sees(lab.channel))).toEqual(["once"]);
    const other = await lab.text(lab.discord.channel());
    expect((await other.send(payload)).id).toBe(first.id);
    lab.discord.world.clock.advance(10 * 60_000);
    expect((await channel.send(payload)).id).not.toBe(first.id);
  });

  it("starts threads at a message and without one, renames and archives them", async () => {
    await using lab = await ClientLab.start();
    const channel = await lab.text();
    if (!("threads" in channel)) throw new Error("not a text channel");
    const { message } = lab.ada.mentions(lab.channel, "begin");
    const root = await channel.messages.fetch(message.id);
    const thread = await root.startThread({ name: "Topic", autoArchiveDuration: 60 });
    expect(thread.id).toBe(message.id);
    await thread.send("in the thread");
    const place = lab.discord.world.channels.get(thread.id);
    if (!place) throw new Error("no thread");
    expect(words(lab.ada.sees(place))).toEqual(["", "in the thread"]);
    await thread.setName("Better");
    await thread.setArchived(true);
    expect(place).toMatchObject({ name: "Better", thread: { isArchived: true } });
    await thread.send("awake again");
    expect(place.thread?.isArchived).toBe(false);
    const other = await channel.threads.create({ name: "Other", autoArchiveDuration: 1_440 });
    expect((await other.messages.fetch()).size).toBe(0);
  });

  it("hears of threads, edits, deletions and reactions of people", async () => {
    await using lab = await ClientLab.start();
    const told: string[] = [];
    lab.client.on(Events.ThreadCreate, ({ name }) => told.push(`thread ${name}`));
    lab.client.on(Events.ThreadUpdate, (_, { archived }) => told.push(`archived ${archived}`));
    lab.client.on(Events.MessageUpdate, (_, { content }) => told.push(`edit ${content}`));
    lab.client.on(Events.MessageDelete, ({ id }) => told.push(`deletion ${id}`));
    lab.client.on(Events.MessageReactionAdd, ({ emoji }) => told.push(`reaction ${emoji.name}`));
    const thread = lab.ada.startsThread(lab.channel, "Topic");
    const { message } = lab.ada.says(thread, "tpyo");
    lab.ada.edits(message, "typo");
    lab.ada.reacts(message, "👍");
    lab.ada.deletes(message);
    lab.ada.archives(thread);
    await expect
      .poll(() => told)
      .toEqual([
        "thread Topic",
        "edit typo",
        "reaction 👍",
        `deletion ${message.id}`,
        "archived true",
      ]);
  });

  it("shows the new components, with a file among them, and takes a click on them", async () => {
    await using lab = await ClientLab.start();
    const channel = await lab.text();
    const container = new ContainerBuilder()
      .addTextDisplayComponents(new TextDisplayBuilder().setContent("## Head\n2 \\* 3"))
      .addFileComponents(new FileBuilder().setURL("attachment://log.txt"))
      .addActionRowComponents(button());
    await channel.send({
      components: [container],
      files: [{ attachment: Buffer.from("log"), name: "log.txt" }],
      flags: MessageFlags.IsComponentsV2,
    });
    const [seen] = lab.ada.sees(lab.channel);
    expect(seen?.text).toBe("## Head\n2 * 3");
    expect(seen?.files.map(({ filename }) => filename)).toEqual(["log.txt"]);
    expect(seen?.buttons.map(({ value, label }) => [value, label])).toEqual([["yes", "Yes"]]);
    const happens = next(lab);
    const clicking = lab.ada.clicks(seen?.message ?? fail(), "yes");
    const interaction = await happens;
    if (!interaction.isButton()) throw new Error("not a button");
    expect(interaction.customId).toBe("yes");
    await interaction.deferUpdate();
    expect((await clicking).response).toBe(6);
    await interaction.editReply({ components: [new TextDisplayBuilder().setContent("Done")] });
    expect(words(lab.ada.sees(lab.channel))).toEqual(["Done"]);
    await interaction.followUp({ content: "only you", flags: MessageFlags.Ephemeral });
    expect(words(lab.ada.sees(lab.channel))).toEqual(["Done", "only you"]);
    expect(words(lab.discord.human().sees(lab.channel))).toEqual(["Done"]);
  });

  it("opens a window at a click, and gets what was typed", async () => {
    await using lab = await ClientLab.start();
    const channel = await lab.text();
    await channel.send({ content: "Why?", components: [button()] });
    const clicked = next(lab);
    const clicking = lab.ada.clicks(lab.ada.sees(lab.channel)[0]?.message ?? fail(), "yes");
    const click = await clicked;
    if (!click.isButton()) throw new Error("not a button");
    const input = new TextInputBuilder()
      .setCustomId("why")
      .setLabel("Reason")
      .setStyle(TextInputStyle.Paragraph);
    const row = new ActionRowBuilder<TextInputBuilder>().addComponents(input);
    await click.showModal(new ModalBuilder().setCustomId("m").setTitle("Why?").addComponents(row));
    await clicking;
    const submitted = next(lab);
    const submitting = lab.ada.submits({ why: "two\nlines" });
    const submission = await submitted;
    if (!submission.isModalSubmit()) throw new Error("not a submission");
    expect(submission.fields.getTextInputValue("why")).toBe("two\nlines");
    await submission.deferUpdate();
    await submitting;
    expect(lab.ada.window).toBeUndefined();
  });

  it("registers commands, and runs one in a thread with a deferred answer", async () => {
    await using lab = await ClientLab.start();
    const options = [{ type: 3, name: "what", description: "What.", required: true }];
    const run = { type: 1, name: "run", description: "Runs.", options };
    await lab.client.application?.commands.set([
      { name: "deckhand", description: "Works.", options: [run] } as never,
      { type: 3, name: "Explain this" } as never,
    ]);
    expect((await lab.client.application?.commands.fetch())?.size).toBe(2);
    const thread = lab.ada.startsThread(lab.channel, "Topic");
    const happens = next(lab);
    const running = lab.ada.runs(thread, "deckhand run", { what: "tests" });
    const command = (await happens) as ChatInputCommandInteraction;
    expect(command.channel?.isThread()).toBe(true);
    expect(command.options.getString("what")).toBe("tests");
    await command.deferReply();
    await running;
    expect(lab.ada.sees(thread).map(({ isLoading }) => isLoading)).toEqual([true]);
    await command.editReply("ran");
    expect(words(lab.ada.sees(thread))).toEqual(["ran"]);
  });

  it("takes a command from a message's menu, and answers one person alone", async () => {
    await using lab = await ClientLab.start();
    await lab.client.application?.commands.create({ type: 3, name: "Explain this" } as never);
    const { message } = lab.ada.says(lab.channel, "exit code 137");
    const happens = next(lab);
    const using = lab.ada.uses("Explain this", message);
    const command = (await happens) as MessageContextMenuCommandInteraction;
    expect(command.targetMessage.content).toBe("exit code 137");
    await command.reply({ content: "out of memory", flags: MessageFlags.Ephemeral });
    await using;
    expect(lab.ada.sees(lab.channel).at(-1)).toMatchObject({ isWhisper: true });
  });

  it("uploads and downloads", async () => {
    await using lab = await ClientLab.start();
    const channel = await lab.text();
    const bytes = Uint8Array.from({ length: 5_000 }, (_, index) => index % 256);
    await channel.send({ files: [{ attachment: Buffer.from(bytes), name: "out.bin" }] });
    expect(lab.ada.sees(lab.channel)[0]?.files).toMatchObject([{ filename: "out.bin", bytes }]);
    const { message } = lab.ada.uploads(lab.channel, "my data.bin", bytes);
    const attachment = (await channel.messages.fetch(message.id)).attachments.first();
    expect(attachment).toMatchObject({ name: "my_data.bin", size: 5_000 });
    const url = attachment?.url ?? "";
    expect(new Uint8Array(await (await fetch(url)).arrayBuffer())).toEqual(bytes);
    lab.discord.world.clock.advance(25 * 3_600_000);
    expect((await fetch(url)).status).toBe(404);
  });
});

function fail(): never {
  throw new Error("there is nothing to see");
}
