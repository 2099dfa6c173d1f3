import { modelStep } from "../../agent/step.ts";
import { count } from "../../contract/display.ts";
import { ModelError, type ModelErrorKind } from "../../contract/model.ts";
import type { OpenTurn } from "../../journal/conversation/state.ts";
import { archiveRefused, fittedRequest } from "../context/fit.ts";
import type { ConversationParts } from "../parts.ts";
import { slots } from "../shown/cards.ts";
import { requestFor } from "./step-request.ts";
import type { TurnScope } from "./turn-scope.ts";

/** At this share of its steps a turn tells people how far it is. */
const WARNED_AT = 0.8;

/** Asks the model what to do next, and writes down what it says. A step that was cut off is made again. */
export async function makeStep(scope: TurnScope, turn: OpenTurn): Promise<void> {
  const { parts, run, card } = scope;
  const { conversation } = run;
  const { redactor } = parts;
  const model = await modelFor(parts, conversation);
  if (!model) return fail(scope, turn, NO_MODEL);
  await warnOfLimit(scope, turn);
  card.status("working");
  const { steps } = turn;
  const step = steps + 1;
  const ask = () => requestFor(scope, turn);
  const { request, countedTokens } = await fittedRequest(scope, turn, { model, ask });
  try {
    const made = await modelStep({ model, redactor }, request, {
      onText: (text) => card.text(step, text),
      onRetry: (because) =>
        card.retries(
          because in RETRIES ? RETRIES[because as keyof typeof RETRIES] : RETRIES.unavailable,
        ),
    });
    const { items, reason, usage, ms } = made;
    const isMore = items.some(({ type }) => type === "call");
    await run.write(({ open }) => {
      if (open?.id !== turn.id || open.steps !== steps) return [];
      const counted = countedTokens === undefined ? {} : { countedTokens };
      const data = { turn: turn.id, step, items: [...items], reason, model: model.name, ms };
      return [
        { kind: "step.finished", data: { ...data, ...counted, ...(usage ? { usage } : {}) } },
      ];
    });
    const { open } = await run.state();
    if (isMore && open?.said) card.text(step, open.said, { isFinal: true });
    card.retriesEnd();
  } catch (error) {
    card.retriesEnd();
    // Stopped or let go of: the journal knows what comes next.
    if (request.signal.aborted) return;
    if (!(error instanceof ModelError)) throw error;
    parts.log("warn", "The model request failed.", { conversation, kind: error.kind, error });
    const mayTryAgain = error.kind === "contextTooLong" && turn.refusedAfter !== steps;
    // The journal knows that it was refused once: the next time it ends here.
    if (mayTryAgain && (await archiveRefused(scope, turn, { model, request }))) return;
    await fail(scope, turn, SENTENCES[error.kind]);
  }
}

async function modelFor(parts: ConversationParts, conversation: string) {
  return parts.modelFor ? await parts.modelFor(conversation) : parts.model;
}

async function fail({ run }: TurnScope, { id }: OpenTurn, why: string): Promise<void> {
  await run.write(({ open }) =>
    open?.id === id ? [{ kind: "step.failed", data: { turn: id, why } }] : [],
  );
}

async function warnOfLimit({ parts, run }: TurnScope, turn: OpenTurn): Promise<void> {
  const { id, steps, maximum, hasWarned } = turn;
  if (hasWarned || steps === 0 || steps < Math.ceil(WARNED_AT * maximum)) return;
  const text =
    `I have used ${steps} of ${count(maximum, "step")} and continue. ` +
    "Say `stop` to end the turn, or tell me what to do instead.";
  parts.reply.show(run.conversation, slots.notice(id, "limit"), {
    kind: "notice",
    level: "info",
    text,
  });
  await run.write(({ open }) =>
    open?.id === id && !open.hasWarned ? [{ kind: "steps.warned", data: { turn: id } }] : [],
  );
}

/** For the card, while it goes on. */
const RETRIES = {
  rateLimited: "The model is overloaded. Trying again.",
  unavailable: "The model does not respond. Trying again.",
  cutStream: "The model's answer broke off. Trying again.",
  emptyReply: "The model's answer was empty. Trying again.",
} as const satisfies Partial<Record<ModelErrorKind, string>>;

const NO_MODEL =
  "No model is configured, so I only run explicit commands such as `$ npm test`. `help` lists them; the operator can set " +
  "OPENAI_API_KEY.";

/** For the thread; the log has the operator's part. */
const SENTENCES: Readonly<Record<ModelErrorKind, string>> = {
  refusedKey:
    "The model's provider rejects the API key. The operator has to set another one; nothing was lost.",
  unknownModel:
    "The configured model does not exist. The operator has to choose another one; nothing was lost.",
  wrongAddress:
    "There is no model at the configured address. The operator has to correct it; nothing was lost.",
  outOfQuota: "The model account is out of credit. The operator has to add some; nothing was lost.",
  contextTooLong:
    "This conversation is too long for the model. Start a new thread, or ask for less at once.",
  rateLimited: "The model is overloaded. Try again in a few minutes; nothing was lost.",
  unavailable: "The model cannot be reached. Try again in a few minutes; nothing was lost.",
  cutStream: "The model's answer broke off more than once. Try again; nothing was lost.",
  emptyReply: "The model's answer was empty more than once. Try again; nothing was lost.",
  badRequest:
    "The model rejected the request. The operator finds the reason in the log; nothing was lost.",
};
