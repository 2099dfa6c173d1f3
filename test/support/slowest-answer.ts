import { setTimeout as sleep } from "node:timers/promises";
import { ownMs } from "./own-clock.ts";

/** How long the slowest of the answers took that were asked for again and again while the work went on. */
export async function slowestAnswer(
  ask: () => Promise<unknown>,
  work: Promise<unknown>,
): Promise<number> {
  let over = false;
  const end = work.finally(() => {
    over = true;
  });
  let slowest = 0;
  while (!over) {
    const asked = ownMs();
    await ask();
    slowest = Math.max(slowest, ownMs() - asked);
    await sleep(50);
  }
  await end;
  return slowest;
}
