import type { JournalLine, Store } from "../../../src/contract/store.ts";
import { dataOf, isKnown, type Line } from "../../../src/journal/lines.ts";
import type { Run } from "./world.ts";

export interface SeenTurn {
  readonly id: string;
  /** Events of the messages that it is about. */
  readonly messages: string[];
  /** Ids of the calls that have begun. */
  readonly started: string[];
  outcome?: string;
  isShown: boolean;
}

/** What the journal says about the turns of a run. */
export async function readTurns(store: Store, { thread, since }: Run): Promise<SeenTurn[]> {
  return turnsOf(await store.read(thread, { after: since }));
}

function turnsOf(lines: readonly JournalLine[]): SeenTurn[] {
  const turns = new Map<string, SeenTurn>();
  for (const one of lines) {
    if (!isKnown(one.kind)) continue;
    const line = { kind: one.kind, data: dataOf(one.kind, one) } as Line;
    if (!("turn" in line.data)) continue;
    const id = line.data.turn;
    const turn = turns.get(id) ?? { id, messages: [], started: [], isShown: false };
    if (line.kind === "turn.started") turns.set(id, turn);
    if (line.kind === "turn.started" || line.kind === "turn.steered")
      turn.messages.push(...line.data.messages);
    if (line.kind === "call.started") turn.started.push(line.data.callId);
    if (line.kind === "turn.finished") turn.outcome = line.data.outcome;
    if (line.kind === "turn.shown") turn.isShown = true;
  }
  return [...turns.values()];
}
