import { createAudit } from "../../src/audit/audit.ts";
import { JournalCommits } from "../../src/audit/journal-commits.ts";
import type { Store } from "../../src/contract/store.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";

export const CONVERSATIONS = ["web:one", "web:two", "slack:three"] as const;

/** Three journals of `lines` lines each, and an audit that mentions two of them. */
export async function fillJournals(store: Store, lines: number): Promise<void> {
  const audit = createAudit({ store, redactor: createRedactor({ secrets: {} }) });
  for (const conversation of CONVERSATIONS) {
    for (let seq = 0; seq < lines; seq += 1) {
      const data = { text: `größe ${seq} 😀`, author: "web:ada", deep: [seq, null, { x: "y" }] };
      await store.append(conversation, seq, [{ kind: seq % 2 ? "message" : "step", data }]);
    }
    if (conversation !== "slack:three")
      await audit.record({ kind: "security.notice", actor: "bot", conversation, message: "noted" });
  }
  await new JournalCommits({ store, audit, warn: refuse })[Symbol.asyncDispose]();
  await audit[Symbol.asyncDispose]();
}

function refuse(message: string): never {
  throw new Error(message);
}

/** Always the same numbers. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** Another text that differs in one bit of one byte; undefined where the bytes would be no UTF-8. */
export function flipBit(text: string, random: (below: number) => number): string | undefined {
  const bytes = Buffer.from(text);
  const at = random(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
  const flipped = bytes.toString();
  return Buffer.from(flipped).equals(bytes) && flipped !== text ? flipped : undefined;
}
