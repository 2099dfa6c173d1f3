import type { ActivityLine } from "../../../../src/contract/platform/view.ts";
import { Buttons } from "../parts/buttons.tsx";
import { Scrolling } from "../parts/scrolling.tsx";
import { counted } from "../words.ts";
import { Card, type CardProps } from "./card.tsx";

const ACTIVITY_WORDS = {
  working: "Working",
  waiting: "Waiting for you",
  done: "Done",
  stopped: "Stopped",
  failed: "Failed",
} as const;

export function ActivityCard({ actions, thread, view }: CardProps<"activity">) {
  const isOver = view.status === "done" || view.status === "stopped" || view.status === "failed";
  const latest = view.lines.findLast(({ status }) => status === "running") ?? view.lines.at(-1);
  return (
    <Card look={`card activity ${view.status}`} label={`Activity: ${ACTIVITY_WORDS[view.status]}`}>
      <details open={!isOver}>
        <summary>
          <StatusDot status={view.status} />
          <strong>{ACTIVITY_WORDS[view.status]}</strong>
          {isOver || view.note !== undefined ? (
            <span class="faint ellipsis">{isOver ? callsInWords(view.lines) : view.note}</span>
          ) : (
            <span class="faint ellipsis gist">{latest?.title}</span>
          )}
        </summary>
        <ol class="lines">
          {view.lines.map((line) => (
            <ActivityLineShown key={line.callId} line={line} />
          ))}
        </ol>
      </details>
      <Buttons actions={actions} thread={thread} buttons={view.buttons} label="Activity" />
    </Card>
  );
}

/** A card that is over is folded: it still says that something failed. */
function callsInWords(lines: readonly ActivityLine[]): string {
  const failed = lines.filter(({ status }) => status === "error").length;
  const all = counted(lines.length, "call");
  return failed === 0 || failed === lines.length ? all : `${all}, ${failed} failed`;
}

const LINE_WORDS: Record<ActivityLine["status"], string> = {
  queued: "queued",
  running: "running",
  success: "done",
  error: "failed",
  userInputRequired: "waiting for your response",
};

function ActivityLineShown({ line }: { readonly line: ActivityLine }) {
  return (
    <li class={line.status}>
      <StatusDot status={line.status} />
      <div>
        <p>
          {line.parent && <span class="faint">{line.parent}: </span>}
          {line.title}
          <span class={line.status === "userInputRequired" ? "badge" : "hidden"}>
            {" "}
            {LINE_WORDS[line.status]}
          </span>
        </p>
        {line.details.length > 0 && (
          <ul>
            {line.details.map((detail) => (
              <li key={detail}>{detail}</li>
            ))}
          </ul>
        )}
        {line.folded && (
          <details class="folded">
            <summary>Read it all</summary>
            <Scrolling look="output" label={`All of ${line.title}`}>
              {line.folded}
            </Scrolling>
          </details>
        )}
        {line.output && (
          <Scrolling look="output" label={`Output of ${line.title}`}>
            {line.output}
          </Scrolling>
        )}
      </div>
    </li>
  );
}

function StatusDot({ status }: { readonly status: string }) {
  return <span class={`dot ${status}`} aria-hidden="true" />;
}
