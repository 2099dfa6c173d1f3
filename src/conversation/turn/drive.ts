import { StoreError } from "../../contract/store.ts";
import type { OpenTurn } from "../../journal/conversation/state.ts";
import { LeaseLostError } from "../../journal/journal.ts";
import type { ConversationLine } from "../../journal/lines.ts";
import type { ConversationParts } from "../parts.ts";
import { showTodoBoard } from "../shown/todo-board.ts";
import { showDecided, showWaits } from "../shown/waits.ts";
import { finishTurn, RetryLaterError, showEnd } from "./finish.ts";
import { makeStep } from "./make-step.ts";
import { type Next, type NextInTurn, nextOf, steering } from "./next.ts";
import type { Run } from "./run.ts";
import { runCalls } from "./run-calls.ts";
import { startTurn } from "./start-turn.ts";
import { type TurnScope, TurnScopes } from "./turn-scope.ts";
import { saveUploads } from "./uploads.ts";

/** Does one thing. Whatever it had done when it is cut off, doing it again from the journal comes out the same. */
async function act(scope: TurnScope, next: NextInTurn): Promise<void> {
  const { run } = scope;
  switch (next.kind) {
    case "uploads":
      return saveUploads(scope, next.turn);
    case "steer":
      await run.write((state) => steeringLine(next.turn.id, steering(state)));
      return;
    case "model":
      return makeStep(scope, next.turn);
    case "calls":
      return runCalls(scope, next.turn);
    case "finish":
      return finishTurn(scope, next.turn, next.because);
  }
}

function steeringLine(turn: string, messages: string[]): ConversationLine[] {
  return messages.length === 0 ? [] : [{ kind: "turn.steered", data: { turn, messages } }];
}

/** Works on a conversation until there is nothing to do, or until somebody has to decide. */
export async function drive(
  parts: ConversationParts,
  newRun: () => Run,
  isOver: (next: Next) => Promise<boolean>,
): Promise<void> {
  using scopes = new TurnScopes(parts, newRun);
  const { open } = await scopes.run.state();
  if (open) await takeUp(parts, scopes.run, open);
  for (;;) {
    scopes.run.throwIfLeft();
    const next = nextOf(await scopes.run.state());
    if (next.kind === "wait") await showWaits(parts, scopes.run, next.turn);
    if (await isOver(next)) return;
    await advance(scopes, next);
  }
}

/** Another may have begun the turn, and may have been cut off before it could show what it did. */
async function takeUp(parts: ConversationParts, run: Run, open: OpenTurn): Promise<void> {
  await showDecided(parts, run, open);
  await showTodoBoard(parts, run.conversation, { isTurnOpen: true });
}

async function advance(scopes: TurnScopes, next: Next): Promise<void> {
  if (next.kind === "idle" || next.kind === "wait") return;
  if (next.kind === "show") return showEnd(scopes.parts, scopes.empty());
  if (next.kind === "start") return startTurn(scopes.parts, scopes.empty());
  await guarded(scopes.inTurn(next.turn), next);
}

/** What nobody has foreseen ends the turn with a word to people, and not the bot. */
async function guarded(scope: TurnScope, next: NextInTurn): Promise<void> {
  const { parts, run } = scope;
  try {
    await act(scope, next);
  } catch (error) {
    if (isForOthers(error) || next.kind === "finish") throw error;
    const reference = `T-${Math.random().toString(16).slice(2, 8)}`;
    parts.log("error", "A turn failed.", { reference, conversation: run.conversation, error });
    const why = `An internal error ended the turn. The operator finds it in the log as ${reference}.`;
    await run.write(({ open }) =>
      open?.id === next.turn.id ? [{ kind: "step.failed", data: { turn: open.id, why } }] : [],
    );
  }
}

/** The conversation is somebody else's now, or the store cannot be used: then nothing can be written, either. */
function isForOthers(error: unknown): boolean {
  return (
    error instanceof LeaseLostError ||
    error instanceof RetryLaterError ||
    error instanceof StoreError
  );
}
