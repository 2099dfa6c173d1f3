import { setImmediate as nextTurnOfTheLoop } from "node:timers/promises";
import type { Archive, ArchiveChunk } from "../../contract/conversation/archive.ts";
import type { Redactor } from "../../contract/redactor.ts";
import type { JournalLine, Store } from "../../contract/store.ts";
import { takenOut } from "../../journal/conversation/cut.ts";
import { applyLine } from "../../journal/conversation/fold.ts";
import { type ConversationState, noState } from "../../journal/conversation/state.ts";
import { ConversationLine } from "../../journal/conversation-lines.ts";
import { messagesOf } from "./messages.ts";

const PAGE_LINES = 200;

interface ArchiveParts {
  readonly store: Pick<Store, "read" | "last">;
  readonly redactor: Pick<Redactor, "redact">;
}

/**
 * Gives back what was taken out of transcripts. It is kept nowhere but in the journals, which are added up once more:
 * so there is nothing that could be lost, or be there twice.
 */
export function createArchive({ store, redactor }: ArchiveParts): Archive {
  return {
    async chunks(conversation) {
      const last = await store.last(conversation, "archived");
      if (!last) return [];
      const chunks: ArchiveChunk[] = [];
      const state = noState();
      while (state.seq < last.seq) {
        const after = { after: state.seq, limit: PAGE_LINES };
        const lines = await store.read(conversation, after);
        if (lines.length === 0) break;
        // Others want to get on, too.
        await nextTurnOfTheLoop();
        for (const line of lines) {
          chunks.push(...chunkIn(redactor, conversation, state, line));
          applyLine(state, line);
        }
      }
      return chunks;
    },
  };
}

function chunkIn(
  redactor: Pick<Redactor, "redact">,
  conversation: string,
  state: ConversationState,
  line: JournalLine,
): ArchiveChunk[] {
  if (line.kind !== "archived") return [];
  const { kind, data } = ConversationLine.parse(line);
  if (kind !== "archived") return [];
  const { from, to, summary, topics } = data;
  const items = takenOut(state, data);
  const messages = messagesOf(redactor, items, (item) => state.times.get(item) ?? from).map(
    ({ at, author, text }) => ({ at, author, text }),
  );
  return [{ conversation, from, to, summary: redactor.redact(summary), topics, messages }];
}
