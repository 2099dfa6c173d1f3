import { ApplicationCommandOptionType } from "discord.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DiscordConfig } from "../../../../adapters/discord/config.ts";
import {
  commandDefinitions,
  readCommand,
  typedCommand,
} from "../../../../adapters/discord/entry-points/commands.ts";
import { registerByHand } from "../../../../adapters/discord/entry-points/register.ts";
import { verbs } from "../../../../src/intake/commands/verbs.ts";
import { type BegunThread, DiscordBot } from "../../../support/discord/bot.ts";
import type { Human } from "../../../support/discord/human.ts";
import { DiscordServer } from "../../../support/discord/server.ts";
import { fieldsOfModal } from "../../../support/discord/slash.ts";
import { say } from "../../../support/model-server/replies.ts";
import { until } from "../../../support/until.ts";

let bot: DiscordBot;
let ada: Human;
let begun: BegunThread;
beforeAll(async () => {
  bot = await DiscordBot.start();
  ada = bot.discord.human({ username: "ada" });
  bot.model.script(({ users }) =>
    say(
      `I heard: ${
        users
          .join()
          .match(/begin|what is that\?|by command/g)
          ?.at(-1) ?? ""
      }`,
    ),
  );
  begun = await bot.begins(ada, "begin");
  await bot.shows(ada, begun.channel, "I heard");
});
afterAll(() => bot[Symbol.asyncDispose]());

const alone = (human: Human, channel = begun.channel) =>
  bot.whispers(human, channel).map(({ text }) => text);

describe("15.20 slash commands", () => {
  it.each([{ isOld: false }, { isOld: true }])(
    "can be registered by hand, without a bot that runs, for an app that is old ($isOld)",
    async ({ isOld }) => {
      await using discord = await DiscordServer.start({ isOld });
      const config = DiscordConfig.parse({
        DISCORD_BOT_TOKEN: discord.app.token,
        DISCORD_API_URL: discord.apiUrl,
      });
      if (!config) throw new Error("Discord is not set up.");
      expect(await registerByHand(config)).toBe(commandDefinitions().length);
      expect(discord.commands.in(undefined)).toHaveLength(commandDefinitions().length);
    },
  );

  it("every verb is among those that Discord is told of, and nothing else", () => {
    const [all] = commandDefinitions();
    const top = all && "options" in all ? (all.options ?? []) : [];
    const names = top.flatMap((option) =>
      option.type === ApplicationCommandOptionType.SubcommandGroup
        ? (option.options ?? []).map(({ name }) => name)
        : [option.name],
    );
    expect(names.toSorted()).toEqual([...verbs.map(({ name }) => name), "ask"].toSorted());
    // New verbs have room in every place.
    expect(top.length).toBeLessThanOrEqual(20);
    const offered = bot.discord.commands.in(undefined).map(({ name }) => name);
    expect(offered).toEqual(expect.arrayContaining(["deckhand", "todos", "terminal"]));
  });

  it("15.7 /terminal knows every word of the verb", () => {
    const terminal = verbs.find(({ name }) => name === "terminal");
    const words = terminal?.forms.flatMap(({ usage }) => usage.split(" ")[1] ?? []);
    const defined = commandDefinitions().find(({ name }) => name === "terminal");
    const names = defined && "options" in defined ? defined.options?.map(({ name }) => name) : [];
    expect(new Set(names)).toEqual(new Set(words));
  });

  it.each(verbs.map(({ name }) => name))("/deckhand %s is answered in time", async (name) => {
    const human = bot.discord.human({ username: `p${name}` });
    const { response } = await human.runs(begun.channel, typedCommand(name));
    expect(response).toBeDefined();
    expect(human.failures).toEqual([]);
  });

  it("what a command finds out is shown to whoever asked alone, in the place of the thinking", async () => {
    const human = bot.discord.human({ username: "bob" });
    await human.runs(begun.channel, "todos");
    await until(() => alone(human).some((text) => /todo/i.test(text)), "the todos");
    expect(bot.whispers(human, begun.channel).some(({ isLoading }) => isLoading)).toBe(false);
    expect(alone(ada)).toEqual([]);
  });

  it("several at once are all answered: nobody is left thinking", async () => {
    const human = bot.discord.human({ username: "frank" });
    const words = ["help", "todos", "status"];
    await Promise.all(words.map((word) => human.runs(begun.channel, `deckhand ${word}`)));
    const answered = () => bot.whispers(human, begun.channel).filter(({ isLoading }) => !isLoading);
    await until(() => answered().length === words.length, "the answers");
    expect(bot.whispers(human, begun.channel)).toHaveLength(words.length);
    expect(bot.sees(human, human.direct)).toEqual([]);
  });

  it("15.7 /terminal history is for whoever asked alone; what is too long comes as a file, without secrets", async () => {
    const key = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const lines = Array.from({ length: 3_000 }, (_, number) => `line ${number} of the output`);
    const history = ["$ env", `GITHUB_TOKEN=${key}`, ...lines, "$ echo the end"].join("\n");
    const { port } = bot.workspaces;
    const open = port.open.bind(port);
    port.open = async (conversation, options) => ({
      ...(await open(conversation, options)),
      call: async () => ({ success: true, history }),
    });
    const { channel, thread } = await bot.begins(ada, "begin");
    await bot.shows(ada, channel, "I heard");
    await port.open(thread, { fence: 0 });
    const human = bot.discord.human({ username: "grace" });
    await human.runs(channel, "terminal history");
    await until(
      () => alone(human, channel).some((text) => text.includes("the end")),
      "the history",
    );
    const files = () => bot.whispers(human, channel).flatMap((seen) => seen.files);
    await until(() => files().length > 0, "the file");
    expect(bot.sees(ada, channel).flatMap((seen) => seen.files)).toEqual([]);
    port.open = open;
    const [file] = files();
    const text = new TextDecoder().decode(file?.bytes);
    expect(text).toContain("line 2999 of the output");
    expect(text).not.toContain(key);
    expect(alone(ada, channel)).toEqual([]);
  });

  it("words after a verb are handed on, and suggested while somebody types", async () => {
    const suggested = await ada.completes(begun.channel, "deckhand permissions auth", "words", "a");
    expect(suggested.map(({ value }) => value)).toEqual(["auto on", "auto off"]);
    const human = bot.discord.human({ username: "carol" });
    await human.runs(begun.channel, "deckhand help", { words: "todos" });
    await until(() => alone(human).some((text) => text.includes("todos")), "help");
  });

  it("in a channel the only thread is meant, and of several the one that is chosen", async () => {
    const human = bot.discord.human({ username: "dave" });
    await human.runs(bot.channel, "deckhand status");
    await until(() => alone(human, bot.channel).length > 0, "the status");
    const second = await bot.begins(ada, "another one");
    await bot.shows(ada, second.channel, "I heard");
    const chooser = bot.discord.human({ username: "erin" });
    await chooser.runs(bot.channel, "deckhand status");
    const [asked] = bot.whispers(chooser, bot.channel);
    expect(asked?.text).toContain("Which thread?");
    if (asked) await chooser.clicks(asked.message, second.channel.id);
    await until(() => alone(chooser, bot.channel).length > 1, "the status of the chosen one");
  });

  it("in a channel without a thread it says what to do", async () => {
    const empty = bot.discord.channel({ name: "empty" });
    await ada.runs(empty, "todos");
    expect(alone(ada, empty).join()).toContain("Mention me");
  });

  it("15.3 the menu of a message asks about it in a window, in the thread that begins there", async () => {
    const { message } = ada.says(bot.channel, "exit code 137");
    await ada.uses("Ask about this", message);
    const [field = ""] = fieldsOfModal(ada.window ?? {});
    await ada.submits({ [field]: "what is that?" });
    await until(() => bot.discord.world.channels.has(message.id), "the thread");
    const channel = bot.discord.world.channels.get(message.id);
    if (channel) await bot.shows(ada, channel, "I heard: what is that?");
    expect(JSON.stringify(await bot.store.read(bot.threadAt(message.id)))).toContain(
      "exit code 137",
    );
  });

  it("the verbs of a group are understood with and without it, as apps that know the old commands send them", () => {
    const words = { type: ApplicationCommandOptionType.String as const, name: "words", value: "x" };
    for (const { name } of verbs) {
      const [, ...path] = typedCommand(name).split(" ");
      const verb = {
        type: ApplicationCommandOptionType.Subcommand as const,
        name,
        options: [words],
      };
      const type = ApplicationCommandOptionType.SubcommandGroup as const;
      const grouped = path.length > 1 ? { type, name: path[0] ?? "", options: [verb] } : verb;
      for (const option of [verb, grouped])
        expect(readCommand({ name: "deckhand", options: [option] }).text).toBe(`${name} x`);
    }
  });

  it("/deckhand ask in a channel goes to its only thread, and of several to the one that is chosen", async () => {
    const channel = bot.discord.channel({ name: "asking" });
    const threads = [await bot.begins(ada, "begin", {}, channel)];
    const [only] = threads;
    if (!only) throw new Error("There is no thread.");
    await bot.shows(ada, only.channel, "I heard: begin");
    await ada.runs(channel, "deckhand ask", { text: "something by command" });
    await bot.shows(ada, only.channel, "I heard: by command");
    const second = await bot.begins(ada, "begin", {}, channel);
    await bot.shows(ada, second.channel, "I heard: begin");
    const long = `${"long words ".repeat(60)} by command`;
    const human = bot.discord.human({ username: "asker" });
    await human.runs(channel, "deckhand ask", { text: long });
    const [asked] = bot.whispers(human, channel);
    if (asked) await human.clicks(asked.message, second.channel.id);
    await bot.shows(ada, second.channel, "I heard: by command");
  });

  it("what was asked by command has no message, so nothing reacts to it", async () => {
    const { channel } = await bot.begins(ada, "begin");
    await bot.shows(ada, channel, "I heard: begin");
    const before = bot.discord.calls.length;
    await ada.runs(channel, "deckhand ask", { text: "something by command" });
    await bot.shows(ada, channel, "I heard: by command");
    const calls = bot.discord.calls.slice(before);
    const asked = bot.discord.interactions.all.at(-1)?.id ?? "";
    expect(calls.filter(({ path }) => path.includes(`/messages/`) && path.includes(asked))).toEqual(
      [],
    );
    expect(calls.filter(({ status }) => status >= 400)).toEqual([]);
  });

  it("/deckhand ask is the same as saying it", async () => {
    const { channel } = await bot.begins(ada, "begin");
    await bot.shows(ada, channel, "I heard: begin");
    await ada.runs(channel, "deckhand ask", { text: "something by command" });
    await bot.shows(ada, channel, "I heard: by command");
  });
});
