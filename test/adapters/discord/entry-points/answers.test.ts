import { REST } from "discord.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiscordConfig } from "../../../../adapters/discord/config.ts";
import { DiscordCalls } from "../../../../adapters/discord/connection/calls.ts";
import { makeRequest } from "../../../../adapters/discord/connection/connection.ts";
import { Answers, RESPONSE } from "../../../../adapters/discord/entry-points/answers.ts";
import { registerByHand } from "../../../../adapters/discord/entry-points/register.ts";
import { render } from "../../../../adapters/discord/format.ts";
import { encodeThread } from "../../../../adapters/discord/thread.ts";
import type { Human } from "../../../support/discord/human.ts";
import { DiscordServer } from "../../../support/discord/server.ts";
import type { DiscordChannel } from "../../../support/discord/world.ts";
import { discordEnv } from "../../../support/discord-rig.ts";
import { MemoryDocuments } from "../../../support/slack-rig.ts";

let discord: DiscordServer;
let ada: Human;
let channel: DiscordChannel;
const ephemeral = { flags: 64 };

beforeEach(async () => {
  discord = await DiscordServer.start({ rateSpeed: 100 });
  ada = discord.human({ username: "ada" });
  channel = ada.startsThread(discord.channel(), "A thread");
  const config = DiscordConfig.parse(discordEnv(discord));
  if (config) await registerByHand(config);
});
afterEach(() => discord[Symbol.asyncDispose]());

/** Two processes of the same bot: one is told of the deed, the other works on it. */
function twoProcesses() {
  const documents = new MemoryDocuments();
  const rest = new REST({ api: discord.apiUrl, makeRequest }).setToken(discord.app.token);
  const calls = new DiscordCalls(
    () => rest,
    () => [],
  );
  const process = () => new Answers({ calls, documents, application: () => discord.app.id });
  return { hears: process(), works: process() };
}

function command() {
  const done = ada.runs(channel, "todos");
  const interaction = discord.interactions.all.at(-1);
  if (!interaction) throw new Error("Nothing was done.");
  return { done, interaction };
}

const thread = () => {
  const { id, parentId = "" } = channel;
  return encodeThread({ guild: discord.guild.id, parent: parentId, channel: id });
};
const words = (text: string) => ({
  components: render({ kind: "notice", level: "info", text }, { thread: thread() }),
});
const to = (event: string) => ({
  thread: thread(),
  person: ada.user.id,
  about: `command:${event}`,
});
const alone = () => ada.sees(channel).filter(({ isWhisper }) => isWhisper);

describe("what is for one person alone, where one process hears and another works", () => {
  it("stands below what they typed, in the place of the thinking, and stays", async () => {
    const { hears, works } = twoProcesses();
    const { done, interaction } = command();
    const answered = hears.respond(interaction, RESPONSE.thinking, ephemeral);
    await hears.opened(to(interaction.id), interaction, answered, { isThinking: true });
    await done;
    expect(await works.whisper(to(interaction.id), words("By the other."))).toBe(true);
    await hears.settle(interaction);
    expect(alone().map(({ text, isLoading }) => ({ text, isLoading }))).toEqual([
      { text: expect.stringContaining("By the other."), isLoading: false },
    ]);
  });

  it("waits for the first answer, which the other process gives", async () => {
    const { hears, works } = twoProcesses();
    const { done, interaction } = command();
    const { promise: answered, resolve } = Promise.withResolvers<boolean>();
    await hears.opened(to(interaction.id), interaction, answered, { isThinking: true });
    const whispered = works.whisper(to(interaction.id), words("Quick."));
    await new Promise((wait) => setTimeout(wait, 150));
    resolve(await hears.respond(interaction, RESPONSE.thinking, ephemeral));
    await done;
    expect(await whispered).toBe(true);
    expect(alone()).toHaveLength(1);
  });

  it("nobody is left thinking where nothing is said", async () => {
    const { hears } = twoProcesses();
    const { done, interaction } = command();
    const answered = hears.respond(interaction, RESPONSE.thinking, ephemeral);
    await hears.opened(to(interaction.id), interaction, answered, { isThinking: true });
    await done;
    await hears.settle(interaction);
    expect(alone()).toEqual([]);
  });

  it("is not said there once Discord takes no more answers", async () => {
    const { hears, works } = twoProcesses();
    const { done, interaction } = command();
    const answered = hears.respond(interaction, RESPONSE.thinking, ephemeral);
    await hears.opened(to(interaction.id), interaction, answered, { isThinking: true });
    await done;
    discord.world.clock.advance(16 * 60_000);
    expect(await works.whisper(to(interaction.id), words("Late."))).toBe(false);
  });
});

describe("an answer to one of several pending interactions of the same person", () => {
  async function pending(answers: Answers) {
    const { done, interaction } = command();
    const answered = answers.respond(interaction, RESPONSE.thinking, ephemeral);
    await answers.opened(to(interaction.id), interaction, answered, { isThinking: true });
    await done;
    return interaction;
  }
  const originals = () =>
    discord.interactions.all.map(({ original }) =>
      original
        ? ada.sees(channel).find(({ message }) => message.id === original.id)?.text
        : undefined,
    );

  it.each([
    { order: [0, 1, 2], by: "hears" },
    { order: [2, 1, 0], by: "hears" },
    { order: [1, 2, 0], by: "hears" },
    { order: [2, 0, 1], by: "works" },
    { order: [1, 0, 2], by: "works" },
  ] as const)(
    "stands at its own, answered in the order $order by the process that $by",
    async ({ order, by }) => {
      const { [by]: answering, hears } = twoProcesses();
      const asked = [await pending(hears), await pending(hears), await pending(hears)];
      for (const index of order)
        expect(await answering.whisper(to(asked[index]?.id ?? ""), words(`Answer ${index}.`))).toBe(
          true,
        );
      expect(originals()).toEqual(
        [0, 1, 2].map((index) => expect.stringContaining(`Answer ${index}.`)),
      );
    },
  );

  it("does not end another's waiting when it belongs to none", async () => {
    const { hears } = twoProcesses();
    await pending(hears);
    expect(await hears.whisper({ ...to(""), about: "message:1" }, words("By the way."))).toBe(
      false,
    );
    expect(alone().map(({ isLoading }) => isLoading)).toEqual([true]);
  });

  it("can be a file, which nobody else sees", async () => {
    const { hears } = twoProcesses();
    const interaction = await pending(hears);
    await hears.whisper(to(interaction.id), words("See the file."));
    const file = {
      data: new TextEncoder().encode("secret"),
      name: "a.txt",
      contentType: "text/plain",
    };
    const components = [{ type: 13 as const, file: { url: "attachment://a.txt" } }];
    expect(await hears.whisper(to(interaction.id), { components, files: [file] })).toBe(true);
    expect(alone().flatMap(({ files }) => files)).toHaveLength(1);
    const bob = discord.human({ username: "bob" });
    expect(bob.sees(channel).flatMap(({ files }) => files)).toEqual([]);
  });
});
