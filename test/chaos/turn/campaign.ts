import type { Arena, Fate, Outcome } from "./arena.ts";
import type { Calm } from "./hunt.ts";
import type { CrashPlan } from "./messages.ts";
import type { Story } from "./stories.ts";

interface Target extends CrashPlan {
  readonly story: Story;
  /** How often it was not met. */
  misses: number;
}

/** What people and models depend on: these are hit at their first, a middle and their last visit. */
const CRITICAL =
  /(append|put|take|finish|receive|lease|step|call|post|record|documents\.(set|delete))$/;
const MOST_FATES = 4;
const MOST_MISSES = 6;

/** Every crash point that a story comes by, with the visits at which the bot shall die. */
export function targetsOf(calm: Calm): Target[] {
  const best = new Map<string, { story: Story; times: number }>();
  for (const [story, visits] of calm) {
    for (const [point, times] of Object.entries(visits)) {
      if (times > (best.get(point)?.times ?? 0)) best.set(point, { story, times });
    }
  }
  return [...best].flatMap(([point, { story, times }]) => {
    const hits = CRITICAL.test(point) ? [1, Math.ceil(times / 2), times] : [Math.ceil(times / 2)];
    return hits.map((hit) => ({ point, hit, story, misses: 0 }));
  });
}

/** Meets every target, several in one telling of a story, each in the life of another bot. Answers those never met. */
export async function campaign(
  arena: Arena,
  targets: Target[],
  tell: (outcome: Outcome) => void,
): Promise<Target[]> {
  const unmet: Target[] = [];
  for (;;) {
    const [first] = targets;
    if (!first) return unmet;
    // What was missed comes first, and in a new thread: some things happen only at its beginning.
    const isAgain = first.misses > 0;
    const own = targets.filter(({ story }) => story === first.story);
    const chosen = own.slice(0, isAgain ? 1 : MOST_FATES);
    for (const one of chosen) targets.splice(targets.indexOf(one), 1);
    const fates: Fate[] = chosen.map(fateOf);
    const outcome = await arena.play(first.story, fates, isAgain);
    tell(outcome);
    for (const [index, fate] of fates.entries()) {
      const target = chosen[index];
      if (!target || outcome.kills.includes(fate)) continue;
      target.misses += 1;
      if (target.misses < MOST_MISSES) targets.push(target);
      else unmet.push(target);
    }
  }
}

/** Later bots have less of the story before them, and a story is never told twice in quite the same way. */
function fateOf({ point, hit, misses }: Target): CrashPlan {
  return { point, hit: Math.max(1, Math.floor(hit / 2 ** misses)) };
}
