import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { quantile, rounded } from "./figures.ts";
import { newDataDir, openLab } from "./lab.ts";
import { startModelProcess } from "./model-process.ts";
import { BETWEEN_MENTIONS_MS, CAP, scriptThreads, THREADS } from "./threads-script.ts";

const LOOK_MS = 5;
const LONGEST_MS = 300_000;

/** A double of a platform, as the bot's other end. */
export interface Door {
  /** What makes the bot join it. */
  readonly env: Readonly<Record<string, string>>;
  readonly rates: { isEnforced: boolean };
  /** Somebody new mentions the bot in a channel. */
  mention(words: string, index: number): Mention;
}

interface Mention {
  /** Nobody has to say it again. */
  isAcknowledged(): boolean;
  isAnswered(): boolean;
}

/** The bot as it is started, with a platform's double at the other end: 200 threads that mention it within four seconds. */
export async function benchDoor(openDoor: (dataDir: string) => Door) {
  await using model = await startModelProcess();
  const dataDir = newDataDir();
  // Removes what the bot leaves behind, once that has ended.
  await using _lab = await openLab({}, dataDir);
  const door = openDoor(dataDir);
  await using bot = await startBot({
    ...model.env,
    ...door.env,
    DECKHAND_DATA_DIR: dataDir,
    WORKSPACE_POOL: "0",
    WORKSPACE_CAP: String(CAP),
  });
  const words = await scriptThreads(model.script);
  const began = performance.now();
  const said = await Promise.all(
    words.map(async (text, index) => {
      const plannedAtMs = began + index * BETWEEN_MENTIONS_MS;
      await sleep(index * BETWEEN_MENTIONS_MS);
      const mention = door.mention(text, index);
      await untilAll([() => mention.isAcknowledged()], LOOK_MS);
      return { mention, ackMs: performance.now() - plannedAtMs };
    }),
  );
  // Two hundred threads are more than a platform lets anybody answer in a few minutes. That is not what is measured.
  door.rates.isEnforced = false;
  const answers = said.map(
    ({ mention }) =>
      () =>
        mention.isAnswered(),
  );
  await untilAll(answers, 50 * LOOK_MS);
  const acks = said.map(({ ackMs }) => ackMs);
  const ackP99Ms = quantile(acks, 0.99);
  return {
    ackP99Ms: rounded(ackP99Ms),
    ackP50Ms: rounded(quantile(acks, 0.5)),
    seconds: rounded((performance.now() - began) / 1000),
    threads: acks.length,
    problems: bot.problems.length,
    ok: ackP99Ms <= 1000 && acks.length === THREADS && bot.problems.length === 0,
  };
}

async function untilAll(truths: readonly (() => boolean)[], lookMs: number): Promise<void> {
  let open = truths.filter((isTrue) => !isTrue());
  for (const end = performance.now() + LONGEST_MS; open.length > 0; ) {
    if (performance.now() > end) throw new Error(`${open.length} threads were left waiting.`);
    await sleep(lookMs);
    open = open.filter((isTrue) => !isTrue());
  }
}

/** Disposing of it ends the bot; what it complained about until then is told. */
async function startBot(env: Readonly<Record<string, string>>) {
  const program = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const problems: string[] = [];
  createInterface(child.stderr).on("line", (line) => {
    problems.push(line);
    console.error(line);
  });
  const gone = once(child, "exit");
  const isReady = once(createInterface(child.stdout), "line");
  await Promise.race([isReady, gone.then(() => Promise.reject(new Error(problems.join("\n"))))]);
  return {
    problems,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGINT");
      await gone;
    },
  };
}
