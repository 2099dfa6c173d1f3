import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeThread } from "../../../adapters/discord/thread.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";
import { DiscordServer } from "../../support/discord/server.ts";
import { discordEnv } from "../../support/discord-rig.ts";

const PROGRAM = fileURLToPath(new URL("../../support/discord-program.ts", import.meta.url));

let folder: string;
beforeAll(() => {
  folder = makeDataDirectory("discord-kill");
});
afterAll(() => rmSync(folder, { recursive: true }));

const POST = "POST /channels/:channel/messages";
const EDIT = "PATCH /channels/:channel/messages/:message";
const BEGIN = "POST /channels/:channel/messages/:message/threads";

/** Everything by which something becomes visible or is changed in an undisturbed life; the file may overtake the words. */
const CALLS = [BEGIN, POST, POST, EDIT, POST, EDIT];
const SHOWING = new Set(CALLS);

const EXPECTED = [expect.stringMatching(/done$/), "half an answer\nand the other half", "out.txt"];

describe("kill -9 of the bot while it shows things on Discord", () => {
  it("takes the calls that are tried below", { timeout: 60_000 }, async () => {
    const { calls, shown } = await runKilledAt(0, "unanswered");
    expect(calls.toSorted()).toEqual(CALLS.toSorted());
    expect(shown).toEqual(EXPECTED);
  });

  const moments = CALLS.map((_, index) => [index + 1]);

  it.each(moments)(
    "P-C5 between call %i and its record: every message is there once",
    { timeout: 60_000 },
    async (call = 0) => {
      expect((await runKilledAt(call, "unanswered")).shown).toEqual(EXPECTED);
    },
  );

  it.each(moments)(
    "P-C5 right after the answer to call %i: the same",
    { timeout: 60_000 },
    async (call = 0) => {
      expect((await runKilledAt(call, "answered")).shown).toEqual(EXPECTED);
    },
  );

  it("P-C5 and when it comes back after Discord has forgotten all nonces: the same", {
    timeout: 60_000,
  }, async () => {
    const { shown } = await runKilledAt(2, "unanswered", { awayMs: 20 * 60_000 });
    expect(shown).toEqual(EXPECTED);
  });
});

/** Runs the bot, kills it at one call of its first life (0: never), and lets it live on to its end. */
async function runKilledAt(call: number, how: "answered" | "unanswered", { awayMs = 0 } = {}) {
  await using discord = await DiscordServer.start({ rateSpeed: 100 });
  const ada = discord.human({ username: "ada" });
  const parent = discord.channel();
  const { message } = ada.says(parent, "hello");
  const place = { guild: discord.guild.id, parent: parent.id, channel: message.id };
  const file = join(folder, `${crypto.randomUUID()}.sqlite`);
  const calls: string[] = [];

  const live = async (killAt: number) => {
    const bot = spawn(
      process.execPath,
      [PROGRAM, file, JSON.stringify(discordEnv(discord)), encodeThread(place)],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    let problems = "";
    bot.stderr.on("data", (chunk) => {
      problems += chunk;
    });
    discord.faults.onDone = (route) => {
      if (!SHOWING.has(route)) return true;
      calls.push(route);
      if (killAt === 0 || calls.length !== killAt) return true;
      if (how === "unanswered") bot.kill("SIGKILL");
      else setImmediate(() => bot.kill("SIGKILL"));
      return how === "answered";
    };
    const [code, signal] = await once(bot, "exit");
    if (code !== 0 && signal !== "SIGKILL") throw new Error(`The bot failed: ${problems}`);
    return signal;
  };

  if (call > 0) expect(await live(call)).toBe("SIGKILL");
  discord.world.clock.advance(awayMs);
  expect(await live(0)).toBeNull();
  const thread = discord.world.channels.get(message.id);
  if (!thread) throw new Error("There is no thread.");
  const ours = ada.sees(thread).filter((seen) => seen.message.authorId === discord.app.user.id);
  const shown = ours.map(({ text, files }) => files[0]?.filename ?? text);
  expect(discord.problems).toEqual([]);
  return { calls, shown };
}
