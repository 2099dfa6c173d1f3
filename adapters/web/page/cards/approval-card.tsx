import {
  isPlainCommand,
  outsideWords,
  reasonLine,
  relativePath,
} from "../../../../src/contract/approval-text.ts";
import type { Decision } from "../../../../src/contract/permission/approval.ts";
import { approves } from "../../../../src/contract/permission/approves.ts";
import type { ThreadId } from "../../../../src/contract/platform/incoming.ts";
import type { View } from "../../../../src/contract/platform/view.ts";
import { Buttons } from "../parts/buttons.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { Icon } from "../parts/icon.tsx";
import type { Actions } from "../state/actions.ts";
import { usePart } from "../state/state.ts";
import { dayAndClock, nameOf } from "../words.ts";
import { Card } from "./card.tsx";
import { Diff, diffCount } from "./diff.tsx";

type ApprovalView = Extract<View, { kind: "approval" }>;
type Effect = ApprovalView["approval"]["effect"];

const ENDED = {
  once: "Approved once",
  timed: "Approved for a limited time",
  thread: "Approved for this thread",
  deny: "Denied",
  cancel: "Cancelled",
  expired: "Expired",
} as const;

/** Everything on it but the agent's explanation comes from the guard, and all of it is shown. */
export function ApprovalCard({
  actions,
  thread,
  view,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly view: ApprovalView;
}) {
  const me = usePart(actions.store, (state) => state.me);
  const people = usePart(actions.store, (state) => state.people);
  const { approval, requester, buttons } = view;
  const { effect, decision, votes } = approval;
  const name = (key: string) => nameOf(key, me, people);
  return (
    <Card
      look={`card approval risk-${effect.risk} ${decision ? "ended" : "waits"}`}
      label={`${decision ? "Decided approval" : "Approval needed"}: ${effect.operation}`}
    >
      <header>
        <Icon name="shield" />
        <h3>{decision ? "Approval" : "Approval needed"}</h3>
        {effect.runsAs === "root" && <span class="badge bad">as root</span>}
      </header>
      <EffectShown effect={effect} />
      <p class="asks">Asked by {name(requester)}.</p>
      {effect.explanation && <p class="faint">The agent's explanation: {effect.explanation}</p>}
      <p class="reasons">{reasonLine(effect)}</p>
      {votes.length > 0 && !decision && (
        <p class="faint">
          {votes.length} of {effect.approversNeeded} have approved:{" "}
          {votes.map((vote) => name(vote.by)).join(", ")}
        </p>
      )}
      {decision ? (
        <Ending decision={decision} by={view.decidedBy ?? decision.by.map(name).join(" and ")} />
      ) : (
        <>
          <GrantWords view={view} />
          <p class={effect.notApprovable ? "problem" : "waiting-words"}>{waitingWords(effect)}</p>
          <Buttons actions={actions} thread={thread} buttons={buttons} label="Your decision" />
        </>
      )}
    </Card>
  );
}

function waitingWords({ notApprovable, approvers = "an approver" }: Effect): string {
  return notApprovable ? `This cannot be approved. ${notApprovable}` : `Waiting for ${approvers}.`;
}

function Ending({ decision, by }: { readonly decision: Decision; readonly by: string }) {
  const isGiven = approves(decision.choice);
  return (
    <p class={`ending ${isGiven ? "good" : "bad"}`}>
      <Icon name={isGiven ? "check" : "close"} />
      <span>
        <strong>
          {decision.until === undefined
            ? ENDED[decision.choice]
            : `Approved until ${dayAndClock(decision.until)}`}
        </strong>
        {by && ` by ${by}`}, {dayAndClock(decision.at)}
        {decision.reason && <q>{decision.reason}</q>}
      </span>
    </p>
  );
}

function EffectShown({ effect }: { readonly effect: Effect }) {
  const { workingDirectory } = effect;
  return (
    <>
      {!isPlainCommand(effect) && <code>{effect.operation}</code>}
      {effect.command !== undefined && <CodeBlock text={effect.command} label="Command" />}
      {workingDirectory !== undefined && workingDirectory !== "/workspace" && (
        <p class="faint">
          in <code>{workingDirectory}</code>
        </p>
      )}
      {effect.paths.length > 0 && (
        <ul class="paths" aria-label="Paths">
          {effect.paths.map(({ path, access, exists, outside, sensitive }) => (
            <li key={`${access} ${path}`}>
              <span class="access">{access}</span> <code>{relativePath(path)}</code>
              {!exists && <span class="badge">new</span>}
              {outside && <span class="badge bad">{outsideWords(path)}</span>}
              {sensitive && <span class="badge bad">programs run or obey this file</span>}
            </li>
          ))}
        </ul>
      )}
      {effect.diffs.map(({ path, diff }) => (
        <div key={path}>
          <p class="diff-title">
            <code>{relativePath(path)}</code> <span class="faint">{diffCount(diff)}</span>
          </p>
          <Diff diff={diff} label={`Changes of ${relativePath(path)}`} />
        </div>
      ))}
      {effect.params.length > 0 && (
        <dl class="params">
          {effect.params.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {effect.notes.map((note) => (
        <p class="faint" key={note}>
          Note: {note}
        </p>
      ))}
    </>
  );
}

/** What a click would permit beyond this one call. */
function GrantWords({ view }: { readonly view: ApprovalView }) {
  const offered = new Set(view.buttons.map(({ label }) => label));
  const wide = view.approval.effect.buttons.filter(
    ({ label, grants }) => grants && offered.has(label),
  );
  return wide.map(({ label, grants }) => (
    <p class="faint small" key={label}>
      {label}: {grants}
    </p>
  ));
}
