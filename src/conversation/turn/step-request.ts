import { stepRequest } from "../../agent/prompt.ts";
import type { StepRequest } from "../../contract/model.ts";
import { isExternal, type OpenTurn } from "../../journal/conversation/state.ts";
import { remindersOf } from "../reminders.ts";
import type { TurnScope } from "./turn-scope.ts";

/** What the next step of a turn is asked with. */
export async function requestFor({ parts, run }: TurnScope, turn: OpenTurn): Promise<StepRequest> {
  const { conversation, stop, leave } = run;
  const settings = await parts.settings.load(conversation);
  const briefing = await parts.briefings.of(conversation, turn.briefing);
  const { transcript, hasStored } = await run.state();
  const isExternalCall = isExternal(turn);
  return stepRequest({
    system: briefing.system,
    transcript,
    reminders: await remindersOf(parts, { ...briefing, conversation, turn, hasStored }),
    tools: parts.toolbox.offer({ conversation, settings, isExternalCall }).tools,
    signal: AbortSignal.any([stop.signal, leave.signal]),
    conversation,
  });
}
