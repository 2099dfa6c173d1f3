import type { QueueWait } from "../../contract/workspace/workspace.ts";

/** Why a thread has no workspace yet, for the people in it. */
export function queueText({ place, cap, person, channel }: QueueWait): string {
  const position = `This thread is number ${place} in the queue.`;
  if (person !== undefined)
    return `You already use ${person} of ${cap} workspaces; waiting for one of them to finish. ${position}`;
  if (channel !== undefined)
    return `This channel already uses ${channel} of ${cap} workspaces; waiting for one of them to finish. ${position}`;
  return `All workspaces are in use. ${position}`;
}
