import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeThread } from "../../../adapters/slack/thread.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";
import { SlackServer } from "../../support/slack/server.ts";
import { fromManifest, slackEnv } from "../../support/slack-rig.ts";

const PROGRAM = fileURLToPath(new URL("../../support/slack-program.ts", import.meta.url));

let folder: string;
beforeAll(() => {
  folder = makeDataDirectory("slack-kill");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Everything by which something becomes visible or is changed, in the order of an undisturbed life. */
const CALLS = [
  ...["chat.postMessage", "chat.startStream", "files.getUploadURLExternal"],
  ...["files.completeUploadExternal", "chat.stopStream", "chat.update"],
];
const SHOWING = new Set(CALLS);

const EXPECTED = [expect.stringMatching(/done$/), "half an answer\nand the other half", "out.txt"];

describe("kill -9 of the bot while it shows things on Slack", () => {
  it("takes the calls that are tried below", { timeout: 60_000 }, async () => {
    const { calls, shown } = await runKilledAt(0, "unanswered");
    expect(calls).toEqual(CALLS);
    expect(shown).toEqual(EXPECTED);
  });

  const moments = CALLS.map((method, index) => [index + 1, method] as const);

  it.each(moments)(
    "P-C5 between call %i, %s, and its record: every message is there once",
    {
      timeout: 60_000,
    },
    async (call) => {
      expect((await runKilledAt(call, "unanswered")).shown).toEqual(EXPECTED);
    },
  );

  it.each(moments)(
    "P-C5 right after the answer to call %i, %s: the same",
    {
      timeout: 60_000,
    },
    async (call) => {
      expect((await runKilledAt(call, "answered")).shown).toEqual(EXPECTED);
    },
  );
});

/** Runs the bot, kills it at one call of its first life (0: never), and lets it live on to its end. */
async function runKilledAt(call: number, how: "answered" | "unanswered") {
  await using slack = await SlackServer.start(fromManifest());
  const ada = slack.human();
  const channel = slack.channel([ada]);
  const { message } = ada.says(channel, "hello");
  const thread = encodeThread({
    team: slack.world.team.id,
    channel: channel.id,
    root: message.ts,
  });
  const file = join(folder, `${how}-${call}.sqlite`);
  const env = JSON.stringify(slackEnv(slack));
  const showing = () => slack.calls.filter(({ method }) => SHOWING.has(method));

  const live = async (killAt: number) => {
    const bot = spawn(process.execPath, [PROGRAM, file, env, thread], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let problems = "";
    bot.stderr.on("data", (chunk) => {
      problems += chunk;
    });
    slack.onCall = ({ method }) => {
      if (!SHOWING.has(method) || killAt === 0 || showing().length !== killAt) return true;
      if (how === "unanswered") bot.kill("SIGKILL");
      else setImmediate(() => bot.kill("SIGKILL"));
      return how === "answered";
    };
    const [code, signal] = await once(bot, "exit");
    if (code !== 0 && signal !== "SIGKILL") throw new Error(`The bot failed: ${problems}`);
    return signal;
  };

  if (call > 0) expect(await live(call)).toBe("SIGKILL");
  expect(await live(0)).toBeNull();
  const posts = ada
    .sees(channel, message.ts)
    .filter((seen) => seen.message.user === slack.app.user.id);
  const shown = posts.map(({ text, files }) => files[0]?.name ?? text);
  return { calls: showing().map(({ method }) => method), shown };
}
