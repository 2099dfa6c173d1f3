import { z } from "zod";

/** What a turn has used of models. */
export const TurnUsage = z.object({
  inputTokens: z.number(),
  cachedTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
  /** Absent when any part of it has no known price. */
  cost: z.number().exactOptional(),
});
export type TurnUsage = z.infer<typeof TurnUsage>;
