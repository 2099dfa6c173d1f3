import type { TranscriptItem } from "../../contract/model.ts";
import type { LineData } from "../lines.ts";
import type { ConversationState, StateDraft } from "./state.ts";

type Archived = LineData<"archived">;

type Before = Pick<ConversationState, "transcript" | "remnants">;

/** Takes the oldest part out of the transcript. The same line makes the same transcript, whoever reads it. */
export function archive(state: StateDraft, archived: Archived): void {
  const { transcript, times, remnants, open } = state;
  for (const { item: place, text } of archived.shortened) {
    const item = transcript[place];
    if (!item) continue;
    const left = shortened(item, text);
    transcript[place] = left;
    times.set(left, times.get(item) ?? archived.to);
    remnants.add(left);
    if (open) open.about = open.about.map((one) => (one === item ? left : one));
  }
  const kept = archived.kept.flatMap((place) => transcript[place] ?? []);
  transcript.splice(0, archived.items, ...kept);
  state.archived.push(archived);
  if (open && archived.refused) open.refusedAfter = open.steps;
}

/** What a line takes out of a transcript, and the whole of what it shortens. To be asked before it is folded. */
export function takenOut(
  { transcript, remnants }: Before,
  { items, kept, shortened: cut }: Pick<Archived, "items" | "kept" | "shortened">,
): TranscriptItem[] {
  const stays = new Set(kept);
  const isCut = new Set(cut.map(({ item }) => item));
  return transcript.filter((item, place) => {
    const isOut = isCut.has(place) || (place < items && !stays.has(place));
    return isOut && !remnants.has(item);
  });
}

/** Without its origin, for it is not any more what the model once gave. */
function shortened(item: TranscriptItem, text: string): TranscriptItem {
  switch (item.type) {
    case "call": {
      const { callId, name } = item;
      return { type: "call", callId, name, arguments: JSON.stringify({ shortened: text }) };
    }
    case "assistant":
      return { type: "assistant", text };
    default:
      return { ...item, text };
  }
}
