import { z } from "zod";
import type { PostId } from "../contract/platform/adapter.ts";
import { type JournalLine, type Json, type Store, UnreadableError } from "../contract/store.ts";

/** What is known of one part of a slot. */
export interface Posted {
  readonly slot: string;
  readonly part: string;
  /** Its message; undefined once it was taken back. */
  readonly post?: PostId;
  /** How many before this one, or in all, were deleted or taken back. */
  readonly copy: number;
}

/** Another replica has the conversation now, and shows what there is to show. */
export class TakenOverError extends Error {
  override readonly name = "TakenOverError";
}

const POSTED = "view.posted";
const REMOVED = "view.removed";
const PAGE_LINES = 1000;

/** Which messages show what, in the journal of one conversation. */
export class PostJournal {
  readonly #store: Store;
  readonly #conversation: string;
  readonly #fence: () => number | undefined;
  #seq = 0;

  constructor(store: Store, conversation: string, fence: () => number | undefined) {
    this.#store = store;
    this.#conversation = conversation;
    this.#fence = fence;
  }

  /** Everything that was posted, in its order. */
  async load(): Promise<Posted[]> {
    const posted = new Map<string, Posted>();
    let after = 0;
    for (;;) {
      const lines = await this.#store.read(this.#conversation, { after, limit: PAGE_LINES });
      for (const line of lines) fold(posted, line);
      after = lines.at(-1)?.seq ?? after;
      if (lines.length < PAGE_LINES) break;
    }
    this.#seq = after;
    return [...posted.values()];
  }

  posted({ slot, part, post, copy }: Required<Posted>): Promise<void> {
    return this.#append(POSTED, { slot, part, post, copy });
  }

  removed({ slot, part, copy }: Posted): Promise<void> {
    return this.#append(REMOVED, { slot, part, copy });
  }

  async #append(kind: string, data: Json): Promise<void> {
    for (;;) {
      const fence = this.#fence();
      const appended = await this.#store.append(this.#conversation, this.#seq, [{ kind, data }], {
        ...(fence === undefined ? {} : { fence }),
      });
      if (appended.outcome === "fenced") {
        throw new TakenOverError(`Another replica has taken over ${this.#conversation}.`);
      }
      // Other lines came in between. They change nothing about this one.
      if (appended.outcome !== "claimed") this.#seq = appended.seq;
      if (appended.outcome === "written") return;
    }
  }
}

const Line = z.object({
  slot: z.string(),
  part: z.string(),
  post: z.string().exactOptional(),
  copy: z.int(),
});

/** The last line of a part counts. */
function fold(posted: Map<string, Posted>, { seq, kind, data }: JournalLine): void {
  if (kind !== POSTED && kind !== REMOVED) return;
  const line = Line.safeParse(data);
  if (!line.success) throw unreadable(seq, line.error);
  const key = JSON.stringify([line.data.slot, line.data.part]);
  posted.delete(key);
  posted.set(key, line.data);
}

function unreadable(seq: number, cause: Error): UnreadableError {
  return new UnreadableError(
    `Line ${seq} of a journal should hold a message id, but cannot be read. ` +
      "Restore the store from a backup.",
    { cause },
  );
}
