const BEAT_MS = 5;

/** The processor time that this thread has used: what others do on this machine does not count. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** What a thread works in one piece, keeping others from their turn. */
export interface Beat {
  /** Of processor time: what others on this machine do meanwhile does not count. */
  readonly longestMs: number;
  stop(): void;
}

/** Listens from now on to how long this thread works between two beats. */
export function listenToWork(): Beat {
  const workedMs = () => process.threadCpuUsage().user / 1000;
  let longestMs = 0;
  let lastMs = workedMs();
  const look = () => {
    longestMs = Math.max(longestMs, workedMs() - lastMs);
    lastMs = workedMs();
  };
  const beat = setInterval(look, BEAT_MS);
  return {
    get longestMs() {
      return longestMs;
    },
    stop() {
      look();
      clearInterval(beat);
    },
  };
}
