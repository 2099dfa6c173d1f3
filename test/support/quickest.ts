import { ownMs } from "./own-clock.ts";

/**
 * The shortest time of a few rounds, by this process's own clock. What is timed waits for other processes, and a busy
 * machine may keep those waiting: one round without that shows how long it takes.
 */
export async function quickestMs(rounds: number, work: () => Promise<unknown>): Promise<number> {
  let quickest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const began = ownMs();
    await work();
    quickest = Math.min(quickest, ownMs() - began);
  }
  return quickest;
}
