import { setTimeout as sleep } from "node:timers/promises";
import { SUBAGENT_TOOL } from "../../contract/conversation/subagent.ts";
import { boardLines } from "../../contract/todo-board.ts";
import { plus } from "../../journal/conversation/fold-turn.ts";
import type { EndedTurn, OpenTurn } from "../../journal/conversation/state.ts";
import type { TurnOutcome } from "../../journal/conversation-lines.ts";
import type { ConversationLine } from "../../journal/lines.ts";
import { plainLine } from "../../lib/text/write-markdown.ts";
import type { ConversationParts } from "../parts.ts";
import { footerOf, slots } from "../shown/cards.ts";
import { showTodoBoard } from "../shown/todo-board.ts";
import { cardOf, linesOf } from "../shown/turn-card.ts";
import { showApproval, showDecided, showQuestion } from "../shown/waits.ts";
import { cancelCalls } from "./cancel-calls.ts";
import { directResult } from "./direct-result.ts";
import { givenResult } from "./given-result.ts";
import type { Ending } from "./next.ts";
import type { Run } from "./run.ts";
import type { TurnScope } from "./turn-scope.ts";

/** The platform does not take it now. It is tried again later. */
export class RetryLaterError extends Error {
  override readonly name = "RetryLaterError";
}

/** Ends a turn: nothing of it runs on, nobody is asked any more, and its last words are written down. */
export async function finishTurn(scope: TurnScope, turn: OpenTurn, because: Ending): Promise<void> {
  const { parts, run, card } = scope;
  const { conversation } = run;
  if (turn.calls.some(({ result }) => !result)) {
    await cancelWaits(parts, conversation, turn);
  }
  const children = await endChildren(scope, turn);
  const hasEnded = (await cancelCalls(scope, turn)) && children !== undefined;
  const outcome = OUTCOMES[because];
  const words = await lastWords(parts, conversation, turn, because);
  const text = hasEnded ? words : `${words}\n\n${RUNS_ON}`.trim();
  await run.write(({ open }) => {
    if (open?.id !== turn.id) return [];
    const usage = children?.reduce(plus, open.usage) ?? open.usage;
    const data = { turn: turn.id, outcome, text, ...(usage ? { usage } : {}) };
    return [...endCalls(open, because), { kind: "turn.finished", data }];
  });
  parts.toolbox.endTurn(conversation);
  if (outcome !== "done") card.cutOff();
  // The result of a human's own command takes the place of its card.
  if (card.isShown && !(turn.mode === "direct" && outcome === "done")) card.status(SIGNS[outcome]);
}

/** What was given to subagents ends with the turn; undefined where that could not be had. */
async function endChildren({ parts, run }: TurnScope, turn: OpenTurn) {
  const { stoppedBy = "bot" } = turn;
  const begun = turn.calls.filter(
    ({ started, result }) =>
      started?.operationKey === SUBAGENT_TOOL && (!result || turn.stoppedBy !== undefined),
  );
  try {
    return await parts.subagents.end(run, begun, stoppedBy);
  } catch (error) {
    run.throwIfLeft();
    const { conversation } = run;
    parts.log("error", "Failed to end a turn's subagents.", { conversation, error });
    return undefined;
  }
}

const OUTCOMES: Readonly<Record<Ending, TurnOutcome>> = {
  answered: "done",
  cut: "done",
  withheld: "failed",
  stopped: "stopped",
  failed: "failed",
  limit: "limit",
  loop: "limit",
};

/** Every call has its one result, also when nothing has become of it. */
function endCalls(open: OpenTurn, because: Ending): ConversationLine[] {
  const why =
    because === "stopped"
      ? "The turn was stopped before this call ended."
      : "The turn ended before this call did.";
  return open.calls
    .filter(({ result }) => !result)
    .map((call) => ({
      kind: "call.finished",
      data: {
        turn: open.id,
        callId: call.callId,
        result: givenResult(
          call,
          call.started ? `${why} Changes it made until then remain.` : `${why} It had not started.`,
        ),
      },
    }));
}

async function cancelWaits(
  parts: ConversationParts,
  conversation: string,
  turn: OpenTurn,
): Promise<void> {
  const { stoppedBy = "bot", stopperName } = turn;
  const name = stoppedBy === "bot" ? "the bot" : stopperName;
  for (const approval of await parts.approvals.cancelAll(conversation, stoppedBy, name)) {
    showApproval(parts, conversation, approval, turn);
  }
  for (const question of await parts.questions.cancelAll(conversation, stoppedBy)) {
    const at = new Date().toISOString();
    const answer = { by: stoppedBy, at, text: "", meaning: "cancelled" as const };
    showQuestion(parts, conversation, { ...question, answer });
  }
}

async function lastWords(
  { todos }: ConversationParts,
  conversation: string,
  turn: OpenTurn,
  because: Ending,
): Promise<string> {
  switch (because) {
    case "answered":
      return turn.mode === "direct" ? directWords(turn) : turn.said;
    case "cut":
      return `${turn.said}\n\n(The answer was cut off here because it was too long.)`.trim();
    case "withheld":
      return "The model's provider withheld the answer.";
    case "stopped":
      return turn.stopperName === undefined
        ? "Stopped."
        : `Stopped by ${plainLine(turn.stopperName)}.`;
    case "failed":
      return turn.failure ?? "";
    case "limit":
    case "loop": {
      const list = await todos.read(conversation);
      const board = list ? `\n\n${boardLines(list, BOARD_CHARS).join("\n")}` : "";
      return `${because === "limit" ? limitWords(turn) : LOOP}${board}`;
    }
  }
}

const BOARD_CHARS = 2_000;

const RUNS_ON =
  "The workspace could not be reached, so its commands may still be running. Say `terminal kill` to end them.";

const LOOP =
  "I stopped because I kept making the same call with the same result. Tell me what to do differently.";

function limitWords({ maximum }: OpenTurn): string {
  const used = maximum === 1 ? "the only step" : `all ${maximum} steps`;
  return (
    `I have used ${used} of this turn and am not finished. ` +
    "Mention me to continue, or raise the setting maxIterations."
  );
}

function directWords({ calls }: OpenTurn): string {
  const [result] = calls.flatMap((call) => call.result ?? []);
  const output = result?.output.additionalData.output;
  return typeof output === "string" && result?.success ? output : (result?.output.content ?? "");
}

/** How long the platform may take for the last words before something else is done. */
const SHOW_MS = 10_000;

/** Shows how the last turn ended. Until that is done, it is not over. */
export async function showEnd(parts: ConversationParts, run: Run): Promise<void> {
  const { conversation } = run;
  const { last, posted } = await run.state();
  if (!last) return;
  await showDecided(parts, run, last.turn);
  showLastViews(parts, conversation, last, posted);
  await showTodoBoard(parts, conversation, { isTurnOpen: false });
  await shownInTime(parts, run);
  await run.write((state) =>
    state.last && !state.last.isShown
      ? [{ kind: "turn.shown", data: { turn: state.last.turn.id } }]
      : [],
  );
  for (const { messageId } of last.turn.messages) {
    await parts
      .adapterOf(conversation)
      .mark(conversation, messageId, SIGNS[last.outcome])
      // A sign is a courtesy.
      .catch((error: unknown) =>
        parts.log("debug", "Failed to add a reaction to a message.", { error }),
      );
  }
}

const SIGNS = { done: "done", stopped: "stopped", failed: "failed", limit: "failed" } as const;

function showLastViews(
  parts: ConversationParts,
  conversation: string,
  last: EndedTurn,
  posted: ReadonlySet<string>,
): void {
  const { reply } = parts;
  const { turn, outcome } = last;
  const lines = linesOf(turn);
  const card = slots.activity(turn.id);
  if (outcome === "done" && turn.mode === "direct") {
    showDirect(parts, conversation, turn, posted);
    return;
  }
  if (lines.length > 0 || posted.has(card)) {
    reply.show(conversation, card, cardOf(lines, SIGNS[outcome]));
  }
  const { text } = last;
  if (outcome === "done") {
    const view = { kind: "reply", text, isFinal: true, footer: footerOf(last) } as const;
    reply.show(conversation, slots.reply(turn.id, turn.steps), view);
    return;
  }
  const level = outcome === "failed" ? "error" : "warning";
  reply.show(conversation, slots.notice(turn.id, "end"), { kind: "notice", level, text });
}

/**
 * What a human's own call has brought, in the message that said it was running; the whole as a file where that is long. A
 * todo list that was changed stands on its board.
 */
function showDirect(
  { reply, redactor }: ConversationParts,
  conversation: string,
  turn: OpenTurn,
  posted: ReadonlySet<string>,
): void {
  const { id, calls } = turn;
  for (const call of calls) {
    if (!call.result) continue;
    if (call.result.success && call.hasTodos) {
      const card = slots.activity(id);
      if (posted.has(card)) reply.show(conversation, card, cardOf(linesOf(turn), "done"));
      continue;
    }
    const { views, files } = directResult(redactor, call, call.result);
    reply.show(conversation, slots.activity(id), views[0]);
    for (const file of files) reply.share(conversation, slots.notice(id, "output"), file);
  }
}

async function shownInTime({ reply }: ConversationParts, run: Run): Promise<void> {
  const { conversation, leave } = run;
  const waiting = new AbortController();
  const signal = AbortSignal.any([waiting.signal, leave.signal]);
  const late = sleep(SHOW_MS, "late" as const, { signal }).catch(() => "left" as const);
  const first = await Promise.race([reply.flush(conversation).then(() => "shown" as const), late]);
  waiting.abort();
  run.throwIfLeft();
  if (first === "late")
    throw new RetryLaterError("The platform did not accept the end of the turn.");
}
