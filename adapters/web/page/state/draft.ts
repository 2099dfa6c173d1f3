import { useState } from "preact/hooks";
import type { ThreadId } from "../../../../src/contract/platform/incoming.ts";

const keyOf = (thread: ThreadId | undefined) => `deckhand.draft.${thread ?? "new"}`;

/** Text that was typed in a thread and not sent is still there on the next visit. */
export function useDraft(thread: ThreadId | undefined) {
  const key = keyOf(thread);
  const [draft, setDraft] = useState({ key: "", text: "" });
  const text = draft.key === key ? draft.text : (sessionStorage.getItem(key) ?? "");
  const setText = (next: string) => {
    sessionStorage.setItem(key, next);
    setDraft({ key, text: next });
  };
  return { text, setText };
}

/** The empty thread became this one, for example by an upload: its draft goes along. */
export function moveDraftTo(thread: ThreadId): void {
  const draft = sessionStorage.getItem(keyOf(undefined));
  if (!draft) return;
  sessionStorage.setItem(keyOf(thread), draft);
  sessionStorage.removeItem(keyOf(undefined));
}
