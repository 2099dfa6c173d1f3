import type { Archive } from "../../contract/conversation/archive.ts";
import type { Redactor } from "../../contract/redactor.ts";
import { archivedParts } from "../../journal/archived-parts.ts";
import type { Journal } from "../../journal/journal.ts";
import { messagesOf } from "./messages.ts";

interface ArchiveParts {
  readonly journal: Pick<Journal, "fold" | "last">;
  readonly redactor: Pick<Redactor, "redact">;
}

/** Gives back what was taken out of transcripts. */
export function createArchive({ journal, redactor }: ArchiveParts): Archive {
  return {
    async chunks(conversation) {
      if (!(await journal.last(conversation, "archived"))) return [];
      const { parts } = await journal.fold(conversation, archivedParts);
      return parts.map(({ archived: { from, to, summary, topics }, items }) => {
        const times = new Map(items.map(({ item, at }) => [item, at]));
        const messages = messagesOf(redactor, [...times.keys()], (item) => times.get(item) ?? from);
        return {
          conversation,
          from,
          to,
          summary: redactor.redact(summary),
          topics,
          messages: messages.map(({ at, author, text }) => ({ at, author, text })),
        };
      });
    },
  };
}
