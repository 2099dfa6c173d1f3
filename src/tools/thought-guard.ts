/** Counts how often in a row a conversation has only thought. */
export interface ThoughtGuard {
  /** It thinks now. How many times in a row that makes. */
  thought(conversation: string): number;
  /** Another tool was called, with whatever success, or a new turn began. */
  acted(conversation: string): void;
}

/** Kept in memory only: after a restart a model may think a few times more, which does no harm. */
export function createThoughtGuard(): ThoughtGuard {
  const inARow = new Map<string, number>();
  return {
    thought(conversation) {
      const times = (inARow.get(conversation) ?? 0) + 1;
      inARow.set(conversation, times);
      return times;
    },
    acted(conversation) {
      inARow.delete(conversation);
    },
  };
}
