import { shareOf } from "../../support/thorough.ts";
import type { Calm } from "./hunt.ts";
import type { CrashPlan } from "./messages.ts";
import { STORIES, type Story } from "./stories.ts";
import type { Fate, Outcome, Stage } from "./world.ts";

interface Target extends CrashPlan {
  readonly story: Story;
  /** How often it was not met. */
  misses: number;
}

/**
 * What people and models depend on: these are hit at their first, a middle and their last visit. With every change each
 * is hit at one of them, in turns.
 */
const CRITICAL =
  /(append|put|take|finish|receive|lease|step|call|post|record|documents\.(set|delete))$/;
const [work] = STORIES;
const MOST_FATES = 4;
const MOST_MISSES = 6;
const EARLY_MS = 200;

/** Every crash point that a story comes by, with the visits at which the bot shall die. */
export function targetsOf(calm: Calm): Target[] {
  const best = new Map<string, { story: Story; times: number }>();
  for (const [story, visits] of calm) {
    for (const [point, times] of Object.entries(visits)) {
      if (times > (best.get(point)?.times ?? 0)) best.set(point, { story, times });
    }
  }
  return [...best].flatMap(([point, { story, times }], index) => {
    const middle = Math.ceil(times / 2);
    const hits = CRITICAL.test(point) ? shareOf([1, middle, times], { index, step: 3 }) : [middle];
    return hits.map((hit) => ({ point, hit, story, misses: 0 }));
  });
}

/** Meets every target, several in one telling of a story, each in the life of another bot. Answers those never met. */
export async function campaign(
  stage: Stage,
  targets: Target[],
  tell: (outcome: Outcome) => void,
): Promise<Target[]> {
  const unmet: Target[] = [];
  for (let chosen = choose(targets); chosen[0]; chosen = choose(targets)) {
    const [{ story, misses }] = chosen;
    const isAgain = misses > 0;
    // Some things happen only at the beginning of a thread; and a word needs something to be about.
    const isWord = story.verb !== undefined;
    if (isAgain && isWord && work) tell(await stage.play(work, [], true));
    // And some only at a bot's birth: those need another that has died before.
    const before: Fate[] = misses % 2 === 1 ? [EARLY_MS] : [];
    const fates = new Map(chosen.map((target) => [target, fateOf(target)]));
    const all = [...before, ...fates.values()];
    const outcome = await stage.play(story, all, isAgain && !isWord);
    tell(outcome);
    for (const target of missed(fates, outcome)) {
      target.misses += 1;
      if (target.misses < MOST_MISSES) targets.push(target);
      else unmet.push(target);
    }
  }
  return unmet;
}

/** Takes what comes next in one story: as many as fit, or a single one that was missed before. */
function choose(targets: Target[]): Target[] {
  const [first] = targets;
  const own = targets.filter(({ story }) => story === first?.story);
  const chosen = own.slice(0, first && first.misses > 0 ? 1 : MOST_FATES);
  for (const one of chosen) targets.splice(targets.indexOf(one), 1);
  return chosen;
}

function missed(fates: ReadonlyMap<Target, Fate>, { kills }: Outcome): Target[] {
  return [...fates].filter(([, fate]) => !kills.includes(fate)).map(([target]) => target);
}

/** Later bots have less of the story before them, and a story is never told twice in quite the same way. */
function fateOf({ point, hit, misses }: Target): CrashPlan {
  return { point, hit: Math.max(1, Math.floor(hit / 2 ** misses)) };
}
