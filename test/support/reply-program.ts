import type { View } from "../../src/contract/platform/view.ts";
import { Journal } from "../../src/journal/journal.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { createReply } from "../../src/reply/reply.ts";
import { openStore } from "../../src/store/open-store.ts";
import { remoteAdapter } from "./remote-adapter.ts";

// A bot that shows a few things in one thread and ends. Whoever starts it again after a kill gets the same end.
const [file = "", url = "", thread = ""] = process.argv.slice(2);
const limits = { replyChars: 1_000, cardChars: 3_000, editEveryMs: 0, fileBytes: 1_000_000 };
const adapter = remoteAdapter(url, limits);
await using store = await openStore({ kind: "sqlite", file });
await using reply = createReply({
  redactor: createRedactor({ secrets: {} }),
  journal: new Journal(store),
  notices: store.documents("unreadable"),
  adapterOf: () => adapter,
  log: () => {},
  leastEditGapMs: 5,
});

const notice = (text: string): View => ({ kind: "notice", level: "info", text });
const saying = (text: string, isFinal: boolean): View => ({ kind: "reply", text, isFinal });

await reply.restore(thread);
reply.show(thread, "turn-1:activity", notice("working"));
await reply.flush(thread);
reply.show(thread, "turn-1:reply", saying("half an answer", false));
await reply.flush(thread);
reply.show(thread, "turn-1:reply", saying(`${"long answer ".repeat(120)}end`, true));
reply.show(thread, "turn-1:activity", notice("done"));
reply.share(thread, "turn-1:file", {
  name: "out.txt",
  mimeType: "text/plain",
  bytes: new TextEncoder().encode("out"),
});
await reply.flush(thread);
