import { stepRequest } from "../agent/prompt.ts";
import { modelStep } from "../agent/step.ts";
import { ModelError, type ModelErrorKind } from "../contract/model.ts";
import { slots } from "./cards.ts";
import type { Driving } from "./driving.ts";
import { REPEATS_TOLD, repeats } from "./next.ts";
import type { OpenTurn } from "./state.ts";

/** At this share of its steps a turn tells people how far it is. */
const WARNED_AT = 0.8;

/** Asks the model what to do next, and writes down what it says. A step that was cut off is made again. */
export async function makeStep(driving: Driving, turn: OpenTurn): Promise<void> {
  const { parts, run, card } = driving;
  const { conversation } = run;
  if (!parts.model) return fail(driving, turn, NO_MODEL);
  await warnOfLimit(driving, turn);
  card.status("working");
  const { steps } = turn;
  const step = steps + 1;
  const settings = await parts.settings.load(conversation);
  const { transcript } = await run.state();
  const request = stepRequest({
    system: parts.system,
    transcript,
    reminders: remindersOf(turn),
    tools: parts.toolbox.offer({ conversation, settings }).tools,
    signal: AbortSignal.any([run.stop.signal, run.leave.signal]),
    conversation,
  });
  const maker = { model: parts.model, redactor: parts.redactor };
  try {
    const made = await modelStep(maker, request, (text) => card.text(step, text));
    const { items, reason, usage, ms } = made;
    const isMore = items.some(({ type }) => type === "call");
    await run.write(({ open }) => {
      if (open?.id !== turn.id || open.steps !== steps) return [];
      const model = parts.model?.name ?? "";
      const data = { turn: turn.id, step, items: [...items], reason, model, ms };
      return [{ kind: "step.finished", data: usage ? { ...data, usage } : data }];
    });
    const { open } = await run.state();
    if (isMore && open?.said) card.text(step, open.said, { isFinal: true });
  } catch (error) {
    // Stopped or let go of: the journal knows what comes next.
    if (request.signal.aborted) return;
    if (!(error instanceof ModelError)) throw error;
    parts.log("warn", error.message, { conversation, kind: error.kind });
    await fail(driving, turn, SENTENCES[error.kind]);
  }
}

async function fail({ run }: Driving, { id }: OpenTurn, why: string): Promise<void> {
  await run.write(({ open }) =>
    open?.id === id ? [{ kind: "step.failed", data: { turn: id, why } }] : [],
  );
}

async function warnOfLimit({ parts, run }: Driving, turn: OpenTurn): Promise<void> {
  const { id, steps, maximum, hasWarned } = turn;
  if (hasWarned || steps === 0 || steps < Math.ceil(WARNED_AT * maximum)) return;
  const text =
    `I have taken ${steps} of ${maximum} steps and go on. ` +
    "Say stop if you do not want that, or what you would have me do instead.";
  parts.reply.show(run.conversation, slots.notice(id, "limit"), {
    kind: "notice",
    level: "info",
    text,
  });
  await run.write(({ open }) =>
    open?.id === id && !open.hasWarned ? [{ kind: "steps.warned", data: { turn: id } }] : [],
  );
}

/** What is true of this step alone. */
function remindersOf({ ended, calls, steps, maximum, hasWarned }: OpenTurn): string[] {
  const times = repeats(ended);
  const wasAnswered = calls.some(({ name, result }) => name === ASKING && result?.success);
  return [
    ...(wasAnswered
      ? [
          "The user has answered your question. Use the answer and go on with the task; do not end here.",
        ]
      : []),
    ...(times >= REPEATS_TOLD
      ? [
          `You have made the same call ${times} times with the same result. ` +
            "Do something else, or say what keeps you from going on.",
        ]
      : []),
    ...(hasWarned
      ? [`${steps} of ${maximum} steps are used. Finish within those left, or say what remains.`]
      : []),
  ];
}

const ASKING = "user_collaboration";

const NO_MODEL =
  "No model is set up here, so I can only do what you command directly, such as `$ npm test`. Say help to see what " +
  "there is. The operator can set OPENAI_API_KEY.";

const SAFE = "Nothing is lost: mention me again and I go on.";
const OPERATOR = "The operator has to look at it; the log says what is wrong.";

/** For the thread; the log has the operator's part. */
const SENTENCES: Readonly<Record<ModelErrorKind, string>> = {
  refusedKey: `The model does not accept our key. ${OPERATOR} ${SAFE}`,
  unknownModel: `The model that was set up does not exist. ${OPERATOR} ${SAFE}`,
  wrongAddress: `There is no model at the address that was set up. ${OPERATOR} ${SAFE}`,
  outOfQuota: `The account of the model has nothing left. ${OPERATOR} ${SAFE}`,
  contextTooLong:
    "This conversation has become too long for the model. Begin a new thread, or ask for less at once.",
  rateLimited: `The model has too much to do and turns us away. Give it a few minutes. ${SAFE}`,
  unavailable: `The model cannot be reached. ${SAFE}`,
  cutStream: `The model's answer broke off, more than once. ${SAFE}`,
  emptyReply: `The model answered with nothing, more than once. ${SAFE}`,
  badRequest: `The model refused what we sent. ${OPERATOR} ${SAFE}`,
};
