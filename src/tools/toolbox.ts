import { ToolError } from "../contract/operation.ts";
import type { ToolResult } from "../contract/tool-call.ts";
import type { Toolbox } from "../contract/toolbox.ts";
import { boundResult } from "./bound-result.ts";
import type { DispatchDeps } from "./call-progress.ts";
import { Dispatcher } from "./dispatch.ts";
import { makeOffer } from "./offer.ts";
import { prepareCall } from "./prepare-call.ts";
import { TurnRequests } from "./requested-tools.ts";
import { runStep } from "./run-step.ts";
import type { StoredResults } from "./stored-results.ts";

export interface ToolboxDeps extends DispatchDeps {
  /** Where results go that are too long for a model. */
  readonly stored: StoredResults;
}

/** Puts the registry, the guard and the store together into what a turn works with. */
export function createToolbox(deps: ToolboxDeps): Toolbox {
  const dispatcher = new Dispatcher(deps);
  const requests = new TurnRequests(deps.registry);
  return {
    offer: (request) => makeOffer(deps.registry, request, requests.noteOffer(request)),
    requestTools: (conversation, names) => requests.request(conversation, names),
    endTurn: (conversation) => requests.forget(conversation),
    runCall: (call, turn, decision) =>
      dispatcher.run(prepareCall(deps, call, turn), turn, decision),
    runStep: (calls, turn, soFar) => {
      const bound = (result: ToolResult) =>
        boundResult(deps.stored, turn.conversation, result, deps.warn);
      return runStep(
        {
          prepare: (call) => prepareCall(deps, call, turn),
          run: async (call, _turn, decision) => {
            const outcome = await dispatcher.run(call, turn, decision);
            if (outcome.outcome === "waiting") return outcome;
            const result = await bound(outcome.result);
            await turn.onResult?.(result);
            return { outcome: "finished", result };
          },
          refuse: async (call, why) => {
            const refused = new ToolError("invalidParameters", why);
            const { result } = await dispatcher.run({ ...call, plan: { refused } }, turn);
            return result;
          },
        },
        calls,
        turn,
        soFar,
      );
    },
  };
}
