import type { EventHub, Posted } from "../../contract/conversation/event.ts";
import { SUBAGENT_TOOL, type SubagentOrder } from "../../contract/conversation/subagent.ts";
import type { Journal } from "../../journal/journal.ts";

export interface ProgressParts {
  readonly hub: Pick<EventHub, "observe">;
  readonly journal: Pick<Journal, "read">;
}

/** Shows on the parent's card how far a subagent is: its step, and what it does there. */
export function tellProgress(
  { hub, journal }: ProgressParts,
  child: string,
  { maxIterations, progress }: Pick<SubagentOrder, "maxIterations" | "progress">,
): Disposable {
  const tell = async (doing?: string) => {
    const { open } = await journal.read(child);
    const step = Math.max(1, open?.steps ?? 1);
    const most = open?.maximum ?? maxIterations;
    const text = `Step ${step} of ${most}${doing === undefined ? "" : `: ${doing}`}`;
    progress(text, Math.min(1, (step - 1) / most));
  };
  const end = hub.observe((event) => {
    const doing = doingOf(event);
    return doing === undefined ? undefined : tell(doing);
  }, child);
  tell().catch(() => {
    // Whoever works on it meets the same trouble and tells of it.
  });
  return { [Symbol.dispose]: end };
}

function doingOf(posted: Posted): string | undefined {
  if (posted.type !== "tool") return undefined;
  const { kind, display, message, toolName } = posted.event;
  const title = display?.actionDisplayName ?? toolName;
  if (display?.status === "userInputRequired") return `${title} (waiting for an answer)`;
  if (kind === "toolStarted") return title;
  // Its own subagents tell how far they are.
  return toolName === SUBAGENT_TOOL && kind === "progress" ? `${title}, ${message}` : undefined;
}
