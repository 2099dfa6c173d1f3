import { isForOperators, OperatorError } from "../lib/operator-error.ts";

/** One thing that the bot needs, and how it is looked at. */
export interface Probe {
  readonly name: string;
  readonly everyMs: number;
  /** Throws where it does not work. */
  readonly check: (signal: AbortSignal) => unknown;
}

export interface PartHealth {
  readonly ok: boolean;
  /** Since it worked the last time; null: it never has. */
  readonly lastSuccessSeconds: number | null;
  /** Why it does not work. */
  readonly problem?: string;
}

export interface Health {
  readonly ready: boolean;
  /** True: it is being ended, and takes on nothing new. */
  readonly draining: boolean;
  readonly parts: Readonly<Record<string, PartHealth>>;
}

interface State {
  succeededAt: number | undefined;
  problem: string | undefined;
}

export interface MonitorOptions {
  readonly redact: (text: string) => string;
  /** In milliseconds; for tests. */
  readonly now?: () => number;
}

const CHECK_WITHIN_MS = 5_000;
/** A success this many intervals ago no longer counts: the look itself hangs. */
const STALE_AFTER = 3;

/** Looks at everything the bot needs, again and again, and remembers when each of it worked the last time. */
export class HealthMonitor implements Disposable {
  readonly #probes: readonly Probe[];
  readonly #states = new Map<string, State>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #redact: (text: string) => string;
  readonly #now: () => number;
  #isDraining = false;

  constructor(probes: readonly Probe[], { redact, now = () => performance.now() }: MonitorOptions) {
    this.#probes = probes;
    this.#redact = redact;
    this.#now = now;
  }

  start(): void {
    for (const probe of this.#probes) {
      void this.look(probe);
      this.#timers.push(setInterval(() => void this.look(probe), probe.everyMs).unref());
    }
  }

  /** From here on it is not ready. */
  drain(): void {
    this.#isDraining = true;
  }

  report(): Health {
    const parts = Object.fromEntries(this.#probes.map((probe) => [probe.name, this.#of(probe)]));
    const ready = !this.#isDraining && Object.values(parts).every(({ ok }) => ok);
    return { ready, draining: this.#isDraining, parts };
  }

  async look({ name, check }: Probe): Promise<void> {
    const state = this.#states.get(name) ?? { succeededAt: undefined, problem: undefined };
    this.#states.set(name, state);
    try {
      const signal = AbortSignal.timeout(CHECK_WITHIN_MS);
      await Promise.race([check(signal), aborted(signal)]);
      state.succeededAt = this.#now();
      state.problem = undefined;
    } catch (error) {
      state.problem = this.#redact(reasonOf(error));
    }
  }

  #of({ name, everyMs }: Probe): PartHealth {
    const { succeededAt, problem } = this.#states.get(name) ?? {};
    if (succeededAt === undefined) {
      return { ok: false, lastSuccessSeconds: null, problem: problem ?? "not checked yet" };
    }
    const ageMs = this.#now() - succeededAt;
    const isStale = ageMs > STALE_AFTER * everyMs + CHECK_WITHIN_MS;
    const why = problem ?? (isStale ? "the last check has not finished" : undefined);
    const lastSuccessSeconds = Math.round(ageMs / 1000);
    return { ok: why === undefined, lastSuccessSeconds, ...(why ? { problem: why } : {}) };
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}

/** Only what is written for operators: other errors may hold anything. */
function reasonOf(error: unknown): string {
  if (isForOperators(error) && error instanceof Error) return error.message;
  return "the check failed; see the log";
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const late = () => reject(new OperatorError("no answer within 5 seconds"));
    signal.addEventListener("abort", late, { once: true });
  });
}
