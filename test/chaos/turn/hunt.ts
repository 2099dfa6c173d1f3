import { STORIES, type Story } from "./stories.ts";
import type { Fate, Outcome, Stage } from "./world.ts";

/** How often a bot that nobody kills comes by each point, story by story. */
export type Calm = ReadonlyMap<Story, Readonly<Record<string, number>>>;

/** Tells every story once, each on whichever stage is free; the first on all of them, as the words need something to be about. */
export async function calibrate<One extends Stage>(
  stages: readonly One[],
  tell: (outcome: Outcome, stage: One) => void,
): Promise<Calm> {
  const calm = new Map<Story, Readonly<Record<string, number>>>();
  const [first, ...left] = STORIES;
  await Promise.all(
    stages.map(async (stage) => {
      for (let story = first; story; story = left.shift()) {
        const outcome = await stage.play(story, []);
        tell(outcome, stage);
        calm.set(story, outcome.visits);
      }
    }),
  );
  return calm;
}

export interface Hunt {
  readonly stage: Stage;
  readonly calm: Calm;
  readonly random: () => number;
  readonly tell: (outcome: Outcome) => void;
  /** Whether there have been enough. */
  readonly isOver: () => boolean;
}

/** Kills bots at random until there were enough of them. */
export async function hunt({ stage, calm, random, tell, isOver }: Hunt): Promise<void> {
  while (!isOver()) {
    const story = pick(random, STORIES);
    tell(await stage.play(story, fatesFor(calm.get(story) ?? {}, random)));
  }
}

const MOST_FATES = 4;
/** So many of a hundred are killed from outside, in the middle of anything. */
const FROM_OUTSIDE = 0.15;
const LONGEST_LIFE_MS = 3_000;

function fatesFor(visits: Readonly<Record<string, number>>, random: () => number): Fate[] {
  const count = 1 + Math.floor(random() * MOST_FATES);
  return Array.from({ length: count }, () => {
    if (random() < FROM_OUTSIDE) return Math.floor(random() * LONGEST_LIFE_MS);
    const [point, times] = pick(random, Object.entries(visits));
    return { point, hit: 1 + Math.floor(random() * times) };
  });
}

function pick<One>(random: () => number, list: readonly One[]): One {
  return list[Math.floor(random() * list.length)] as One;
}

/** The same numbers for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** "after inbox.take@2, 350 ms" */
export function written(fates: readonly Fate[]): string {
  return fates
    .map((fate) => (typeof fate === "number" ? `${fate} ms` : `${fate.point}@${fate.hit}`))
    .join(", ");
}

export function readFates(text: string): Fate[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map((one) => {
      const ms = /^(\d+) ms$/.exec(one)?.[1];
      if (ms !== undefined) return Number(ms);
      const [point = "", hit = "1"] = one.split("@");
      return { point, hit: Number(hit) };
    });
}
