import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDataDirectory } from "../../support/data-directory.ts";
import { openMemoryAdapter } from "../../support/memory-adapter.ts";
import { MemoryPlatform } from "../../support/memory-platform.ts";
import { serveAdapter } from "../../support/remote-adapter.ts";
import { sampleOf } from "../../support/thorough.ts";

const PROGRAM = fileURLToPath(new URL("../../support/reply-program.ts", import.meta.url));
const THREAD = "memory:C1:t1";

let folder: string;
beforeAll(() => {
  folder = makeDataDirectory("kill");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** How often an undisturbed bot calls the platform; the kills below go through all of these calls. */
const CALLS = 6;

describe("kill -9 of the bot while it shows things", () => {
  it("takes as many calls as are tried below", async () => {
    const { calls, shown } = await runKilledAt(0, "unanswered");
    expect(calls).toBe(CALLS);
    expect(shown).toEqual(EXPECTED);
  });

  const moments = Array.from({ length: CALLS }, (_, index) => index + 1);

  it.each(moments)(
    "P-C5 between call %i and its answer: every message is there once",
    async (call) => {
      expect((await runKilledAt(call, "unanswered")).shown).toEqual(EXPECTED);
    },
  );

  it.each(sampleOf(moments, 3))(
    "P-C5 right after the answer to call %i: the same",
    async (call) => {
      expect((await runKilledAt(call, "answered")).shown).toEqual(EXPECTED);
    },
  );
});

const EXPECTED = [
  expect.stringMatching(/done$/),
  expect.stringMatching(/^long answer/),
  expect.stringMatching(/^long answer[\s\S]*end$/),
  "out.txt",
];

/** Runs the bot, kills it at one call of its first life (0: never), and lets it live on to its end. */
async function runKilledAt(call: number, how: "answered" | "unanswered") {
  const platform = new MemoryPlatform({ replyChars: 1_000 });
  const { adapter } = openMemoryAdapter(platform);
  const file = join(folder, `${how}-${call}.sqlite`);
  let kill = () => {};
  await using server = await serveAdapter(adapter, (_, number) => {
    if (number !== call) return true;
    if (how === "unanswered") kill();
    else setImmediate(kill);
    return how === "answered";
  });
  const live = async () => {
    const bot = spawn(process.execPath, [PROGRAM, file, server.url, THREAD], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    kill = () => bot.kill("SIGKILL");
    let problems = "";
    bot.stderr.on("data", (chunk) => {
      problems += chunk;
    });
    const [code, signal] = await once(bot, "exit");
    if (code !== 0 && signal !== "SIGKILL") throw new Error(`The bot failed: ${problems}`);
    return signal;
  };
  if (call > 0) expect(await live()).toBe("SIGKILL");
  expect(await live()).toBeNull();
  const shown = platform.posts(THREAD).map(({ text, files }) => files[0]?.name ?? text);
  return { calls: server.calls(), shown };
}
