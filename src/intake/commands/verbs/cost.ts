import type { TurnUsage } from "../../../contract/conversation/turn-usage.ts";
import { count } from "../../../contract/display.ts";
import type { JournalLine } from "../../../contract/store.ts";
import { ConversationLine } from "../../../journal/conversation-lines.ts";
import type { CommandDeps } from "../deps.ts";
import { saying, type Verb } from "../verb.ts";

const PAGE_LINES = 1_000;

export const cost: Verb = {
  name: "cost",
  forms: [
    {
      usage: "cost",
      summary: "tokens and dollars that this thread has used",
      act: "readThread",
      run: async (deps, { conversation }) => saying(costText(await usages(deps, conversation))),
    },
  ],
};

/** Of each turn that has asked a model. */
async function usages({ store }: CommandDeps, conversation: string): Promise<TurnUsage[]> {
  const found: TurnUsage[] = [];
  for (let after = 0; ; ) {
    const lines = await store.read(conversation, { after, limit: PAGE_LINES });
    found.push(...lines.flatMap(usageIn));
    const last = lines.at(-1);
    if (!last || lines.length < PAGE_LINES) return found;
    after = last.seq;
  }
}

function usageIn({ kind, data }: JournalLine): TurnUsage[] {
  if (kind !== "turn.finished") return [];
  const line = ConversationLine.parse({ kind, data });
  return line.kind === "turn.finished" && line.data.usage ? [line.data.usage] : [];
}

function costText(turns: readonly TurnUsage[]): string {
  if (turns.length === 0)
    return "No turn of this thread has asked a model yet, so it has cost nothing.";
  const sum = (of: (usage: TurnUsage) => number) =>
    turns.reduce((total, usage) => total + of(usage), 0).toLocaleString("en-US");
  const priced = turns.flatMap((usage) => usage.cost ?? []);
  const dollars = priced.reduce((total, price) => total + price, 0).toFixed(4);
  const unknown = turns.length - priced.length;
  return [
    `${count(turns.length, "turn")}: ${sum((usage) => usage.inputTokens)} tokens in`,
    ` (${sum((usage) => usage.cachedTokens)} of them cached), ${sum((usage) => usage.outputTokens)} out.`,
    priced.length > 0 ? ` Cost: $${dollars}.` : "",
    unknown > 0 ? ` The price of ${count(unknown, "turn")} is not known.` : "",
  ].join("");
}
