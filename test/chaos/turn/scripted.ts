import type { Reply } from "../../support/model-server/replies.ts";
import type { SeenRequest } from "../../support/model-server/seen.ts";
import type { Run } from "./world.ts";

const steered = new WeakSet<Run>();

/**
 * What the model says next, from nothing but what it is shown: however often a bot dies and asks again, the same
 * conversation gets the same answer.
 */
export async function replyTo(
  { body }: SeenRequest,
  runs: ReadonlyMap<string, Run>,
  steer: (run: Run, text: string) => Promise<void>,
): Promise<Reply> {
  const items = Array.isArray(body.input) ? body.input : [];
  const start = items.findLastIndex((item) => idIn(item) !== undefined);
  const run = runs.get(idIn(items[start]) ?? "");
  if (!run) return { text: "I do not know what this is about." };
  const done = items.slice(start).filter(isSaid).length;
  const steps = run.story.steps(run.id);
  let before = 0;
  for (const [index, step] of steps.entries()) {
    if (before >= done) {
      const planned = run.story.steer;
      if (planned?.beforeStep === index + 1 && !steered.has(run)) {
        steered.add(run);
        await steer(run, planned.text(run.id));
      }
      return step;
    }
    before += (step.text === undefined ? 0 : 1) + (step.calls?.length ?? 0);
  }
  return { text: `Noted, ${run.id}.` };
}

/** The mention that an item is, if it is one. */
function idIn(item: { role?: unknown } | undefined): string | undefined {
  if (item?.role !== "user") return undefined;
  return /\[(r\d+)\]/.exec(JSON.stringify(item))?.[1];
}

/** What the model has said or asked for itself. */
function isSaid({ type, role }: { type?: unknown; role?: unknown }): boolean {
  return type === "function_call" || role === "assistant";
}
