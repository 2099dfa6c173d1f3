import type { TranscriptItem } from "../contract/model.ts";
import { takenOut } from "./conversation/cut.ts";
import { conversationState } from "./conversation/fold.ts";
import type { StateDraft } from "./conversation/state.ts";
import { dataOf, type LineData } from "./lines.ts";
import type { Projection } from "./projection.ts";

interface ArchivedPart {
  readonly archived: LineData<"archived">;
  readonly items: readonly { readonly item: TranscriptItem; readonly at: string }[];
}

interface ArchiveDraft {
  readonly state: StateDraft;
  readonly parts: ArchivedPart[];
}

/**
 * What was taken out of the transcript, oldest first. It is kept nowhere but in the journal, which is added up once more: so
 * there is nothing that could be lost, or be there twice.
 */
export const archivedParts: Projection<ArchiveDraft> = {
  initial: () => ({ state: conversationState.initial(), parts: [] }),
  add({ state, parts }, line, version) {
    if (line.kind === "archived") {
      const archived = dataOf(line.kind, line, version);
      const items = takenOut(state, archived);
      const timeOf = (item: TranscriptItem) => state.times.get(item) ?? archived.from;
      parts.push({ archived, items: items.map((item) => ({ item, at: timeOf(item) })) });
    }
    conversationState.add(state, line, version);
  },
};
