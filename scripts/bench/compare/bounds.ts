import type { Bound } from "./comparison.ts";

const notSlower = { of: "times", atMost: 1.1 } as const;
const notLess = { of: "times", atLeast: 0.9 } as const;

/** How much worse than the earlier revision a figure may be, by benchmark; other figures are only printed. */
export const BOUNDS: Readonly<Record<string, Readonly<Record<string, Bound>>>> = {
  call: { medianMs: { of: "times", atMost: 1.35 }, p95Ms: { of: "times", atMost: 1.5 } },
  start: { warmMs: notSlower, coldMs: notSlower },
  idle: { mb: { of: "value", atMost: 45 } },
  terminal: { megabytesPerSecond: notLess },
  checkpoint: { firstMs: notSlower, secondMs: notSlower },
  turn: { stepMs: notSlower },
  threads: { ackP99Ms: notSlower, mbPerConversation: notSlower },
  prefix: { share: { of: "times", atLeast: 1 } },
};
