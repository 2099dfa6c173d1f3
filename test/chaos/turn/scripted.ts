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
  const { id = "", part } = idIn(items[start]) ?? {};
  const run = runs.get(id);
  if (!run) return { text: "I do not know what this is about." };
  const done = items.slice(start).filter(isSaid).length;
  const steps = stepsOf(run, part);
  let before = 0;
  for (const [index, step] of steps.entries()) {
    if (before >= done) {
      const planned = part === undefined ? run.story.steer : undefined;
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

function stepsOf({ id, story }: Run, part: string | undefined): readonly Reply[] {
  if (part === undefined) return story.steps(id);
  return story.subagents?.(id)[part] ?? [];
}

/** The mention that an item is, if it is one, or what a subagent was told for it. */
function idIn(item: { role?: unknown } | undefined): { id: string; part?: string } | undefined {
  if (item?.role !== "user") return undefined;
  const [, id, part] = /\[(r\d+)(?::(\w+))?\]/.exec(JSON.stringify(item)) ?? [];
  return id === undefined ? undefined : { id, ...(part === undefined ? {} : { part }) };
}

/** What the model has said or asked for itself. */
function isSaid({ type, role }: { type?: unknown; role?: unknown }): boolean {
  return type === "function_call" || role === "assistant";
}
