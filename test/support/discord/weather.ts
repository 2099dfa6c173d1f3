import { setTimeout as sleep } from "node:timers/promises";
import { say } from "../model-server/replies.ts";
import { until } from "../until.ts";
import { DiscordBot } from "./bot.ts";

export interface Weather {
  /** How long people go on talking. */
  readonly forMs: number;
  readonly dropEveryMs: number;
  readonly sayEveryMs: number;
  /** For how long the process has hardly any time for anything. */
  readonly busyMs: number;
}

/** What was said while Discord drops its line again and again and refuses every third call, and what became of it. */
export interface Weathered {
  readonly said: number;
  readonly drops: number;
  readonly refused: number;
  /** Mentions without an answer. */
  readonly missing: string[];
  /** Mentions with more than one. */
  readonly doubled: string[];
}

const BUSY_MS = 200;
const BREATH_MS = 30;

export async function weather({
  forMs,
  dropEveryMs,
  sayEveryMs,
  busyMs,
}: Weather): Promise<Weathered> {
  await using bot = await DiscordBot.start();
  const { discord } = bot;
  const ada = discord.human({ username: "ada" });
  bot.model.script(({ users }) => say(`Answer to ${lastNumber(users.join(" "))}.`));
  discord.faults.refuseEvery = 3;
  let drops = 0;
  const dropping = setInterval(() => {
    drops += 1;
    // Of three sessions one cannot be taken up again.
    discord.faults.refusesResume = drops % 3 === 0;
    discord.gateway.drop();
  }, dropEveryMs);
  const busy = sleep(forMs / 4).then(() => keepBusy(busyMs));
  const roots: string[] = [];
  const endsAt = performance.now() + forMs;
  while (performance.now() < endsAt) {
    roots.push(ada.mentions(bot.channel, `number ${roots.length}.`).message.id);
    await sleep(sayEveryMs);
  }
  await busy;
  const answers = (root: string, number: number) => {
    const thread = discord.world.channels.get(root);
    const seen = thread ? bot.sees(ada, thread) : [];
    return seen.filter(({ text }) => text.includes(`Answer to ${number}.`)).length;
  };
  const isAnswered = () => roots.every((root, number) => answers(root, number) > 0);
  await until(isAnswered, "all answers", { withinMs: 60_000 + forMs }).catch(() => undefined);
  clearInterval(dropping);
  const numbered = roots.map((root, number) => ({ number, count: answers(root, number) }));
  return {
    said: roots.length,
    drops,
    refused: discord.calls.filter(({ status }) => status === 429).length,
    missing: numbered.filter(({ count }) => count === 0).map(({ number }) => `number ${number}`),
    doubled: numbered.filter(({ count }) => count > 1).map(({ number }) => `number ${number}`),
  };
}

async function keepBusy(forMs: number): Promise<void> {
  for (const endsAt = performance.now() + forMs; performance.now() < endsAt; ) {
    for (const until = performance.now() + BUSY_MS; performance.now() < until; );
    await sleep(BREATH_MS);
  }
}

function lastNumber(text: string): string {
  return text.match(/(?<=number )\d+(?=\.)/g)?.at(-1) ?? "nothing";
}
