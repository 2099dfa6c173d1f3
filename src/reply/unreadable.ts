import { createHash } from "node:crypto";
import { threadOf } from "../contract/conversation/subagent.ts";
import type { Adapter } from "../contract/platform/adapter.ts";
import type { ThreadId } from "../contract/platform/incoming.ts";
import type { View } from "../contract/platform/view.ts";
import type { Redactor } from "../contract/redactor.ts";
import { type Documents, UnreadableError } from "../contract/store.ts";
import type { Log } from "../lib/log.ts";
import { maskedView } from "./masked.ts";

interface UnreadableParts {
  /** Which notices were posted. */
  readonly notices: Documents;
  readonly adapterOf: (thread: ThreadId) => Pick<Adapter, "post">;
  readonly redactor: Redactor;
  readonly log: Log;
}

/**
 * Says in a thread that its record cannot be read, once for each thing that is wrong. It is posted without the record,
 * which is left as it is. Any other error is not its concern; it never rejects.
 */
export function createUnreadable({ notices, adapterOf, redactor, log }: UnreadableParts) {
  const telling = new Set<string>();
  return async (conversation: string, error: unknown): Promise<void> => {
    if (!(error instanceof UnreadableError)) return;
    const thread = threadOf(conversation);
    const key = createHash("sha256")
      .update(JSON.stringify([thread, error.message]))
      .digest("hex");
    if (telling.has(key)) return;
    telling.add(key);
    try {
      if ((await notices.get(key)) !== undefined) return;
      const view = maskedView(redactor, noticeOf(error));
      await adapterOf(thread).post(thread, view, `${thread}/unreadable/${key}`);
      await notices.set(key, true);
    } catch (cause) {
      // Whoever meets the same again tries again.
      log("warn", "Failed to post the notice that a journal cannot be read.", {
        thread,
        error: cause,
      });
    } finally {
      telling.delete(key);
    }
  };
}

function noticeOf({ message }: UnreadableError): View {
  const text =
    "I cannot read my record of this thread, so I cannot continue here yet. Nothing is lost: I keep your messages and " +
    `continue once the record can be read. For the operator: ${message}`;
  return { kind: "notice", level: "error", text };
}
