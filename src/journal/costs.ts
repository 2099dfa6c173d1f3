import type { TurnUsage } from "../contract/conversation/turn-usage.ts";
import { addBy, type Projection } from "./projection.ts";

/** What each turn that has asked a model has used of it. */
export const costs: Projection<TurnUsage[]> = {
  initial: () => [],
  add: addBy<TurnUsage[]>({
    "turn.finished": (usages, { usage }) => {
      if (usage) usages.push(usage);
    },
  }),
};
