import type { OpenQuestion } from "../../contract/permission/permissions.ts";
import { NAMELESS } from "../../contract/platform/nameless.ts";
import type { View } from "../../contract/platform/view.ts";
import type { EndedTurn } from "../../journal/conversation/state.ts";
import { questionView } from "../../reply/cards.ts";

/** The names under which things are shown. */
export const slots = {
  activity: (turn: string) => `${turn}:activity`,
  reply: (turn: string, step: number) => `${turn}:reply:${step}`,
  notice: (turn: string, what: string) => `${turn}:${what}`,
  approval: (id: string) => `approval:${id}`,
  question: (callId: string) => `question:${callId}`,
  image: (callId: string, path: string) => `image:${callId}:${path}`,
  todos: "todos",
} as const;

/** `addressee` is the name of the person whose answer counts. */
export function questionCard(question: OpenQuestion, addressee?: string): View {
  const { callId, prompt, context, authorizeOperation, answer } = question;
  const asked = {
    callId,
    prompt,
    ...(context === undefined ? {} : { context }),
    ...(authorizeOperation === undefined ? {} : { authorizeOperation }),
  };
  if (!answer) return questionView(asked, addressee === undefined ? {} : { addressee });
  if (answer.meaning === "cancelled") return questionView(asked, { isCancelled: true });
  const { text, name, at } = answer;
  return questionView(asked, { answer: { text, by: name ?? NAMELESS, at } });
}

/** "gpt-5.5 · 3 steps · 12,345 tokens · $0.02 · 14 s", as far as it is known. */
export function footerOf({ turn, endedAt }: EndedTurn): string {
  const { model, steps, usage, startedAt } = turn;
  const seconds = Math.max(0, Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1000));
  const tokens = usage && usage.inputTokens + usage.outputTokens;
  return [
    ...(model === undefined ? [] : [model]),
    ...(steps > 1 ? [`${steps} steps`] : []),
    ...(tokens ? [`${tokens.toLocaleString("en-US")} tokens`] : []),
    ...(usage?.cost === undefined ? [] : [dollars(usage.cost)]),
    `${seconds} s`,
  ].join(" · ");
}

function dollars(cost: number): string {
  return cost < 0.01 ? `$${cost.toFixed(4)}` : `$${cost.toFixed(2)}`;
}
