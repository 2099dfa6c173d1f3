import { NOT_JOURNALED } from "../contract/tools/call-journal.ts";
import { ToolError } from "../contract/tools/operation.ts";
import type { Toolbox } from "../contract/tools/toolbox.ts";
import { prepareCall } from "./call/prepare-call.ts";
import { runStep } from "./call/run-step.ts";
import { Serial } from "./call/serial.ts";
import { makeOffer } from "./catalogue/offer.ts";
import { TurnRequests } from "./catalogue/requested-tools.ts";
import { type CallDeps, performCall } from "./perform-call.ts";
import { boundResult } from "./results/bound-result.ts";
import type { StoredResults } from "./results/stored-results.ts";

export interface ToolboxDeps extends Omit<CallDeps, "serial" | "bound"> {
  /** Where results go that are too long for a model. */
  readonly stored: StoredResults;
}

/** Puts the registry, the guard and the store together into what a turn works with. */
export function createToolbox(deps: ToolboxDeps): Toolbox {
  const requests = new TurnRequests(deps.registry);
  const whole: CallDeps = { ...deps, serial: new Serial(), bound: async (_, result) => result };
  const bounded: CallDeps = {
    ...whole,
    bound: (conversation, result) => boundResult(deps.stored, conversation, result, deps.warn),
  };
  return {
    offer: (request) => makeOffer(deps.registry, request, requests.noteOffer(request)),
    requestTools: (conversation, names) => requests.request(conversation, names),
    endTurn: (conversation) => requests.forget(conversation),
    runCall: (call, turn, decision) =>
      performCall(whole, prepareCall(deps, call, turn), turn, decision),
    runStep: (calls, turn, soFar) =>
      runStep(
        {
          prepare: (call) => prepareCall(deps, call, turn),
          run: (call, _turn, decision) => performCall(bounded, call, turn, decision),
          refuse: (call, why) => {
            const plan = { refused: new ToolError("invalidParameters", why) };
            // Its id is another call's, whose lines the journal has.
            return performCall(whole, { ...call, plan }, { ...turn, journal: NOT_JOURNALED });
          },
        },
        calls,
        turn,
        soFar,
      ),
  };
}
