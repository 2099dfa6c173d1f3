import type { OpenTurn } from "../../journal/conversation/state.ts";
import type { TurnScope } from "./turn-scope.ts";

/** How long a turn that ends waits for a place among the workspaces that run. */
const OPENING_MS = 30_000;

/**
 * Ends what a turn has begun in its workspace. Nobody else may have done so: a bot that was killed has left it running, and
 * one that heard the stop before it had the workspace open could not say so there. What has ended by itself stays as it is.
 * False: that could not be done, and something may run on.
 */
export async function cancelCalls({ parts, run }: TurnScope, turn: OpenTurn): Promise<boolean> {
  const { conversation, lease, leave } = run;
  const begun = turn.calls.flatMap(({ started, result }) =>
    started?.repeat === "adopted" && (!result || turn.stoppedBy !== undefined) ? [started] : [],
  );
  if (begun.length === 0 || !parts.workspaces) return true;
  const signal = AbortSignal.any([leave.signal, AbortSignal.timeout(OPENING_MS)]);
  try {
    // Not the turn's own: that one is not opened any more once somebody has said stop.
    const workspace = await parts.workspaces.open(conversation, {
      fence: lease.fence,
      signal,
      requester: turn.requester,
    });
    const ends = begun.map(({ callId, as }) => workspace.cancel({ id: callId, ...(as && { as }) }));
    await Promise.all(ends);
    return true;
  } catch (error) {
    run.throwIfLeft();
    parts.log("error", "Failed to cancel a turn's running calls.", { conversation, error });
    return false;
  }
}
