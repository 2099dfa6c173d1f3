import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { readMetadata } from "../../adapters/slack/posts/metadata.ts";
import { say } from "./model-server/replies.ts";
import { SlackBot } from "./slack-bot.ts";
import { until } from "./until.ts";

export interface Weather {
  /** How long people go on talking. */
  readonly forMs: number;
  readonly dropEveryMs: number;
  readonly sayEveryMs: number;
  /** For so long, in the middle of it, the process has hardly a moment for anything else. */
  readonly busyMs: number;
}

/** What was said while Slack drops its line again and again and refuses every third call, and what became of it. */
export interface Weathered {
  readonly said: number;
  readonly drops: number;
  readonly refused: number;
  /** Pieces of work that kept the process busy. */
  readonly slices: number;
  /** Mentions without an answer. */
  readonly missing: string[];
  /** Mentions with more than one, and whatever else stands there twice. */
  readonly doubled: string[];
  readonly problems: readonly string[];
}

const RETRIES = Array.from({ length: 200 }, () => 250);

export async function weather(asked: Weather): Promise<Weathered> {
  const { forMs, dropEveryMs, sayEveryMs, busyMs } = asked;
  await using bot = await SlackBot.start({ retryMs: RETRIES });
  const { slack } = bot;
  const ada = bot.human();
  bot.model.script(({ users }) => say(`Answer to ${lastNumber(users.join(" "))}.`));
  slack.faults.refuseEvery = 3;
  let drops = 0;
  const dropping = setInterval(() => {
    drops += 1;
    slack.socketMode.drop();
  }, dropEveryMs);
  const roots: string[] = [];
  const endsAt = performance.now() + forMs;
  const load = sleep((forMs - busyMs) / 2).then(() => busyFor(busyMs));
  while (performance.now() < endsAt) {
    roots.push(ada.says(bot.channel, `number ${roots.length}.`, { mention: true }).message.ts);
    await sleep(sayEveryMs);
  }
  const slices = await load;
  const answers = (root: string, number: number) =>
    bot.sees(ada, root).filter(({ text }) => text.includes(`Answer to ${number}.`)).length;
  const isAnswered = () => roots.every((root, number) => answers(root, number) > 0);
  await until(isAnswered, "all answers", { withinMs: 60_000 + forMs }).catch(() => undefined);
  clearInterval(dropping);
  const numbered = roots.map((root, number) => ({ root, number, count: answers(root, number) }));
  return {
    said: roots.length,
    drops,
    refused: slack.calls.filter(({ outcome }) => outcome === "ratelimited").length,
    missing: numbered.filter(({ count }) => count === 0).map(({ number }) => `number ${number}`),
    doubled: [
      ...numbered.filter(({ count }) => count > 1).map(({ number }) => `number ${number}`),
      ...twice(
        slack.world.messages(bot.channel.id).map(({ metadata }) => readMetadata(metadata)?.key),
      ),
    ],
    slices,
    problems: bot.problems,
  };
}

const SLICE_MS = 400;

/** All that waits gets one turn between two slices of work. How many slices there were. */
async function busyFor(ms: number): Promise<number> {
  let slices = 0;
  for (const end = performance.now() + ms; performance.now() < end; slices += 1) {
    for (const pause = performance.now() + SLICE_MS; performance.now() < pause; ) hash(WORK);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return slices;
}

const WORK = Buffer.alloc(100_000);
const hash = (bytes: Buffer) => createHash("sha256").update(bytes).digest();

function twice(keys: readonly (string | undefined)[]): string[] {
  const some = keys.filter((key) => key !== undefined);
  return some.filter((key, index) => some.indexOf(key) !== index);
}

function lastNumber(text: string): string {
  return text.match(/(?<=number )\d+(?=\.)/g)?.at(-1) ?? "nothing";
}
