import type { TurnUsage } from "../../../contract/conversation/turn-usage.ts";
import { count } from "../../../contract/display.ts";
import { costs } from "../../../journal/costs.ts";
import { saying, type Verb } from "../verb.ts";

export const cost: Verb = {
  name: "cost",
  forms: [
    {
      usage: "cost",
      summary: "tokens and dollars that this thread has used",
      act: "readThread",
      run: async ({ journal }, { conversation }) =>
        saying(costText(await journal.fold(conversation, costs))),
    },
  ],
};

function costText(turns: readonly TurnUsage[]): string {
  if (turns.length === 0)
    return "No turn in this thread has used a model yet, so it has cost nothing.";
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
