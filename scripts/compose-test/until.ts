import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 180_000;

/** A signal ends the next wait, so that everything that was made is removed on the way out. */
const ended = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => ended.abort(new Error(`Ended by ${signal}.`)));

/** Waits until the check gives something and does not throw. `seen` says what there was instead. */
export async function until<T>(
  what: string,
  check: () => Promise<T>,
  seen: () => string = () => "",
): Promise<NonNullable<T>> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    ended.signal.throwIfAborted();
    const found = await check().catch(() => undefined);
    if (found) return found;
    if (performance.now() > endMs) throw new Error(`Waited for: ${what}. ${seen()}`);
    await sleep(300);
  }
}
