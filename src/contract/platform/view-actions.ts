import { createHash } from "node:crypto";
import { Choice } from "../permission/approval.ts";

/** What a click means, read from its button's action. */
export type ViewAction =
  | { readonly kind: "approval"; readonly approval: string; readonly choice: Choice }
  /** `key` is `questionKey` of the question's call id. */
  | { readonly kind: "answer"; readonly key: string; readonly answer: QuestionAnswer }
  /** One of the words that can be said to the bot, e.g. "todos", with what it is about. */
  | { readonly kind: "verb"; readonly verb: string; readonly about?: string };

export type QuestionAnswer =
  | { readonly as: "approve" | "deny" | "typed" }
  /** Counted from 1. */
  | { readonly as: "option"; readonly option: number };

export function approvalAction(
  approval: string,
  choice: Choice,
  { asksReason = false }: { readonly asksReason?: boolean } = {},
): string {
  return `approve:${approval}:${choice}${asksReason ? ":reason" : ""}`;
}

export function answerAction(callId: string, answer: QuestionAnswer): string {
  const said = answer.as === "option" ? `option-${answer.option}` : answer.as;
  return `answer:${questionKey(callId)}:${said}`;
}

export function verbAction(verb: string, about?: string): string {
  return about === undefined ? `verb:${verb}` : `verb:${verb}:${about}`;
}

/** Undefined for what is none of ours. What it says is still to be believed: anybody can send a click. */
export function readAction(action: string): ViewAction | undefined {
  const [kind, name, rest, more] = action.split(":");
  if (!name) return undefined;
  if (kind === "approve" && isChoice(rest) && (more === undefined || more === "reason")) {
    return { kind: "approval", approval: name, choice: rest };
  }
  if (kind === "answer" && more === undefined) {
    const answer = readAnswer(rest ?? "");
    return answer && { kind: "answer", key: name, answer };
  }
  if (kind !== "verb") return undefined;
  const about = action.slice("verb:".length + name.length + 1);
  return { kind: "verb", verb: name, ...(about === "" ? {} : { about }) };
}

/** A question in a button's action: call ids are the model's, and may be long or hold anything. */
export function questionKey(callId: string): string {
  return createHash("sha256").update(callId).digest("base64url").slice(0, 22);
}

function isChoice(text: string | undefined): text is Choice {
  return Choice.safeParse(text).success;
}

function readAnswer(text: string): QuestionAnswer | undefined {
  if (text === "approve" || text === "deny" || text === "typed") return { as: text };
  const option = /^option-([1-9])$/.exec(text)?.[1];
  return option === undefined ? undefined : { as: "option", option: Number(option) };
}
