import { setTimeout as sleep } from "node:timers/promises";
import type { Arena, Attempt, Marks } from "./escape.ts";

/** Limits of the attacked workspace. */
export const LIMITS = {
  pids: 96,
  memoryBytes: 192 * 1024 * 1024,
  diskBytes: 48 * 1024 * 1024,
  tmpBytes: 16 * 1024 * 1024,
  openFiles: 256,
};
/** The control's are generous, but finite too, so that the machine never suffers. */
export const CONTROL_LIMITS = ["--pids-limit", "700", "--memory", "600m", "--shm-size", "200m"];

/** The control succeeds sooner or later, however busy the machine is; a limit holds from the beginning. */
const PATIENCE = {
  control: { longestMs: 60_000, napSeconds: 60 },
  workspace: { longestMs: 2_500, napSeconds: 3 },
};

/**
 * Succeeds when the measure, taken from outside again and again while the attack runs, reaches `enough`. In the script NAP
 * stands for the seconds that what was started stays, and LONG for those that the whole attack may take.
 */
export function measured(
  title: string,
  attack: string,
  measure: (arena: Arena, marks: Marks) => Promise<number>,
  enough: number,
): Attempt {
  return {
    title,
    attack: async (arena, marks) => {
      const { longestMs, napSeconds } = PATIENCE[arena.kind];
      const script = attack
        .replaceAll("NAME", marks.name)
        .replaceAll("NAP", String(napSeconds))
        .replaceAll("LONG", String(2 * napSeconds));
      const highest = await peak(arena, script, {
        measure: () => measure(arena, marks),
        enough,
        longestMs,
      });
      return highest >= enough ? marks.secret : "";
    },
    cleanUp: "pkill -KILL -f 'NAM[E]'; rm -rf {/dev/shm,/tmp}/NAM[E]* /workspace/m-NAM[E]; true",
  };
}

interface Peak {
  readonly measure: () => Promise<number>;
  readonly enough: number;
  readonly longestMs: number;
}

async function peak(arena: Arena, script: string, { measure, enough, longestMs }: Peak) {
  const stop = new AbortController();
  let over = false;
  const running = arena.run(script, { signal: stop.signal }).finally(() => {
    over = true;
  });
  let highest = 0;
  for (const until = Date.now() + longestMs; !over && highest < enough && Date.now() < until; ) {
    highest = Math.max(highest, await measure());
    await sleep(50);
  }
  stop.abort();
  await running;
  return highest;
}
