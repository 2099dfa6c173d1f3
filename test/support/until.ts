import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { ownMs } from "./own-clock.ts";

const FIRST_PAUSE_MS = 5;
/** Each pause is longer than the one before it: what does not come at once is not asked for two hundred times a second. */
const GROWTH = 1.5;
const USUAL_PAUSE_MS = 50;
/** A pause is at least that many times as long as the check before it. */
const PAUSES_PER_CHECK = 3;
const LONGEST_PAUSE_MS = 400;
const PATIENCE_MS = 60_000;
const STATE_PATIENCE_MS = 5_000;

export interface Waiting {
  /** Of the time that this process had for itself: a busy machine makes no wait fail. */
  readonly withinMs?: number;
  /** The state that a failing wait prints. */
  readonly seen?: () => unknown;
}

interface Wait {
  readonly what: string;
  readonly startedMs: number;
  readonly describeState: () => Promise<string>;
  isAbandoned: boolean;
}

const waits = new Set<Wait>();

/** Waits until the condition holds. Fails with what it waited for and the last state that it saw. */
export async function until(
  condition: () => unknown,
  what: string,
  { withinMs = PATIENCE_MS, seen }: Waiting = {},
): Promise<void> {
  let last: unknown = "no answer yet";
  const describeState = async () => {
    const state = seen ? await seen() : `${condition} gave ${inspect(last)}`;
    return typeof state === "string" ? state : inspect(state, { depth: 5 });
  };
  const wait: Wait = { what, startedMs: ownMs(), describeState, isAbandoned: false };
  waits.add(wait);
  try {
    const endMs = wait.startedMs + withinMs;
    let leastPauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const startedMs = performance.now();
      last = await condition();
      if (last) return;
      if (wait.isAbandoned || ownMs() > endMs) throw new Error(await report(wait));
      // A check that starts a program or reads much would keep a core busy that the awaited work needs.
      const pauseMs = Math.max(PAUSES_PER_CHECK * (performance.now() - startedMs), leastPauseMs);
      await sleep(Math.min(pauseMs, LONGEST_PAUSE_MS));
      leastPauseMs = Math.min(leastPauseMs * GROWTH, USUAL_PAUSE_MS);
    }
  } finally {
    waits.delete(wait);
  }
}

async function report({ what, startedMs, describeState }: Wait): Promise<string> {
  const waitedMs = Math.round(ownMs() - startedMs);
  // The state may hang for the same reason as the condition does.
  const state = Promise.race([describeState(), sleep(STATE_PATIENCE_MS, "no answer")]);
  const text = await state.catch((error: unknown) => inspect(error));
  return `Waited ${waitedMs} ms for: ${what}\nLast seen: ${text}`;
}

/** What each wait that is under way waits for, and what it sees. `abandon` also makes them fail. */
export async function reportWaits({ abandon }: { readonly abandon: boolean }): Promise<string[]> {
  const open = [...waits];
  if (abandon) {
    for (const wait of open) wait.isAbandoned = true;
    waits.clear();
  }
  return Promise.all(open.map(report));
}

/** Waits until the check no longer throws. Its last error tells what it saw. */
export async function eventually(
  check: () => Promise<void>,
  withinMs = 1.5 * PATIENCE_MS,
): Promise<void> {
  let problem: unknown;
  const isFine = () =>
    check().then(
      () => true,
      (error: unknown) => {
        problem = error;
        return false;
      },
    );
  await until(isFine, "the check", { withinMs }).catch(() => {
    throw problem;
  });
}
