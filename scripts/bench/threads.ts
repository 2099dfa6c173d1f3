import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Room } from "../../test/support/room.ts";
import { WholeBot } from "../../test/support/whole-bot.ts";
import { quantile, rounded } from "./figures.ts";
import { openLab } from "./lab.ts";
import { startModelProcess } from "./model-process.ts";
import {
  BETWEEN_MENTIONS_MS,
  CAP,
  DONE,
  type Scripting,
  scriptThreads,
  THREADS,
  talking,
} from "./threads-script.ts";

const LOOP_RESOLUTION_MS = 10;
const LOOK_MS = 250;
const LONGEST_MS = 300_000;
const MB = 1024 * 1024;

/** One process, 200 threads that mention it within four seconds, a turn each, and eight workspaces. */
export async function benchThreads() {
  await using lab = await openLab({ poolSize: 0, cap: CAP });
  await using model = await startModelProcess();
  const plannedAtMs = new Map<string, number>();
  const acks: number[] = [];
  await using bot = await WholeBot.start({
    env: model.env,
    workspaces: lab.workspaces,
    onReceived: ({ thread }) => acks.push(performance.now() - (plannedAtMs.get(thread) ?? 0)),
  });
  await warmUp(bot, model.script);
  acks.length = 0;
  const rooms = await openRooms(bot, model.script);

  const idleBytes = process.memoryUsage.rss();
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loop.enable();
  const began = performance.now();
  const mentions = rooms.map(async ({ room, words }, index) => {
    plannedAtMs.set(room.thread, began + index * BETWEEN_MENTIONS_MS);
    await sleep(index * BETWEEN_MENTIONS_MS);
    await room.say(words);
  });
  await Promise.all(mentions);
  const mostBytes = await untilAllAnswered(rooms);
  const seconds = (performance.now() - began) / 1000;
  loop.disable();
  const endBytes = process.memoryUsage.rss();

  const live = (await lab.workspaces.list()).filter(({ state }) => state === "running").length;
  const queued = rooms.filter(({ room }) => room.texts().some(isInQueue)).length;
  const ackP99Ms = quantile(acks, 0.99);
  return {
    ackP99Ms: rounded(ackP99Ms),
    loopP99Ms: rounded(loop.percentile(99) / 1e6 - LOOP_RESOLUTION_MS),
    mbPerConversation: rounded((endBytes - idleBytes) / THREADS / MB),
    peakMb: rounded(mostBytes / MB),
    seconds: rounded(seconds),
    conversations: acks.length,
    live,
    queued,
    ok: ackP99Ms <= 1000 && acks.length === THREADS && live === CAP,
  };
}

interface BenchRoom {
  readonly room: Room;
  readonly words: string;
}

/** What only the first turn of a process costs is not what a conversation costs. */
async function warmUp(bot: WholeBot, script: Scripting): Promise<void> {
  const room = await bot.room();
  await script("warm-up.", talking());
  await room.say("warm-up.");
  await room.sees(DONE, LONGEST_MS);
}

async function openRooms(bot: WholeBot, script: Scripting): Promise<BenchRoom[]> {
  const rooms: BenchRoom[] = [];
  for (const words of await scriptThreads(script)) rooms.push({ room: await bot.room(), words });
  return rooms;
}

/** Resolves with the most memory that was in use. */
async function untilAllAnswered(rooms: readonly BenchRoom[]): Promise<number> {
  let mostBytes = 0;
  const isAnswered = ({ room }: BenchRoom) => room.texts().some((text) => text.includes(DONE));
  for (const end = performance.now() + LONGEST_MS; ; await sleep(LOOK_MS)) {
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
    const open = rooms.filter((one) => !isAnswered(one));
    if (open.length === 0) return mostBytes;
    if (performance.now() > end) {
      throw new Error(
        `${open.length} conversations were not answered. One shows:\n${open[0]?.room.texts().join("\n")}`,
      );
    }
  }
}

const isInQueue = (text: string) => text.includes("in the queue");
