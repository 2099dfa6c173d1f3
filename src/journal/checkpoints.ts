import type { LineData } from "./lines.ts";
import { addBy, type Projection } from "./projection.ts";

interface KeptCheckpoint extends LineData<"checkpoint"> {
  /** Number of its line. */
  readonly seq: number;
}

/** The states of the workspace before the first change of each turn, oldest first. */
export const checkpoints: Projection<KeptCheckpoint[]> = {
  initial: () => [],
  add: addBy<KeptCheckpoint[]>({
    checkpoint: (kept, checkpoint, { seq }) => {
      kept.push({ ...checkpoint, seq });
    },
  }),
};
