import { Arena, type Fate, type Outcome } from "./arena.ts";
import { STORIES, type Story } from "./stories.ts";

/** How often a bot that nobody kills comes by each point, story by story. */
export type Calm = ReadonlyMap<Story, Readonly<Record<string, number>>>;

export async function calibrate(
  arena: Arena,
  tell: (outcome: Outcome) => void,
  stories: readonly Story[] = STORIES,
): Promise<Calm> {
  const calm = new Map<Story, Readonly<Record<string, number>>>();
  for (const story of stories) {
    const outcome = await arena.play(story, []);
    tell(outcome);
    calm.set(story, outcome.visits);
  }
  return calm;
}

export interface Hunt {
  readonly kind: "sqlite" | "redis";
  readonly kills: number;
  readonly random: () => number;
  readonly tell: (outcome: Outcome) => void;
  /** Where an arena is found that has to be closed in a hurry. */
  readonly arenas: Set<AsyncDisposable>;
}

/** Kills bots at random until it has killed enough of them. */
export async function hunt({ kind, kills, random, tell, arenas }: Hunt): Promise<string[]> {
  await using arena = await Arena.open(kind);
  arenas.add(arena);
  const calm = await calibrate(arena, tell);
  let done = 0;
  while (done < kills) {
    const story = pick(random, STORIES);
    const visits = calm.get(story) ?? {};
    const outcome = await arena.play(story, fatesFor(visits, random));
    done += outcome.kills.length;
    tell(outcome);
  }
  const problems = await arena.end();
  return problems.map(({ text }) => text);
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
