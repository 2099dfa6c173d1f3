import type { Adapter } from "../../src/contract/platform/adapter.ts";
import type { View } from "../../src/contract/platform/view.ts";
import type { Store } from "../../src/contract/store.ts";
import { Journal } from "../../src/journal/journal.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { createReply } from "../../src/reply/reply.ts";

export interface Showing {
  readonly adapter: Adapter;
  readonly store: Store;
  readonly thread: string;
}

const notice = (text: string): View => ({ kind: "notice", level: "info", text });
const saying = (text: string, isFinal: boolean): View => ({ kind: "reply", text, isFinal });

/** Shows a card, an answer that grows and a file, and changes the card. Whoever is killed meanwhile and does it again gets the same end. */
export async function showSomeThings({ adapter, store, thread }: Showing): Promise<void> {
  await using reply = createReply({
    redactor: createRedactor({ secrets: {} }),
    journal: new Journal(store),
    notices: store.documents("unreadable"),
    adapterOf: () => adapter,
    log: () => undefined,
    leastEditGapMs: 5,
  });
  await reply.restore(thread);
  reply.show(thread, "turn-1:activity", notice("working"));
  await reply.flush(thread);
  reply.show(thread, "turn-1:reply", saying("half an answer\nand", false));
  await reply.flush(thread);
  reply.show(thread, "turn-1:reply", saying("half an answer\nand the other half", true));
  reply.share(thread, "turn-1:file", {
    name: "out.txt",
    mimeType: "text/plain",
    bytes: new TextEncoder().encode("out"),
  });
  await reply.flush(thread);
  reply.show(thread, "turn-1:activity", notice("done"));
  await reply.flush(thread);
}
