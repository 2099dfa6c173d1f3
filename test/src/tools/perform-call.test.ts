import { describe, expect, it } from "vitest";
import type { Verdict } from "../../../src/contract/permission/gate.ts";
import { StillWaitingError } from "../../../src/contract/permission/question.ts";
import { type CallJournal, NOT_JOURNALED } from "../../../src/contract/tools/call-journal.ts";
import type { CallState } from "../../../src/contract/tools/call-state.ts";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import type { ToolResult } from "../../../src/contract/tools/tool-call.ts";
import type { CallOutcome, Decision } from "../../../src/contract/tools/toolbox.ts";
import { auditLab } from "../../support/audit.ts";
import { until } from "../../support/until.ts";
import { type LabOptions, lab, single } from "./support/lab.ts";

const ALLOWED = { outcome: "allowed", reason: "a test" } as const satisfies Verdict;
const ASK = { outcome: "ask", reason: "outside the workspace" } as const satisfies Verdict;

/** What has to happen before something runs, and after it, in this order. */
const ORDER = [
  "journal.begun",
  "guard.preview",
  "guard.decide",
  "journal.withUsedApproval",
  "journal.checkpoint",
  "journal.started",
  "audit before it runs",
  "run",
  "journal.finished",
  "audit at its end",
] as const;
type Point = (typeof ORDER)[number];

interface Pipeline {
  readonly failsAt?: Point;
  readonly error?: () => Error;
  readonly verdict?: Verdict;
  readonly decision?: Decision;
}

/** One call of a step through ports that note what they were asked, one of which may fail. */
async function perform({ failsAt, verdict = ALLOWED, decision, ...given }: Pipeline = {}) {
  const done: Point[] = [];
  const finished: ToolResult[] = [];
  /** Also those of an entry that could not be recorded. */
  const states: CallState[] = [];
  const { error = () => new Error("disk full") } = given;
  const reach = (point: Point) => {
    if (point === failsAt) throw error();
    done.push(point);
  };
  const journal: CallJournal = {
    begun: async () => void reach("journal.begun"),
    withUsedApproval: async (_callId, decided) => {
      reach("journal.withUsedApproval");
      return decided;
    },
    checkpoint: async () => reach("journal.checkpoint"),
    started: async () => reach("journal.started"),
    finished: async (result) => {
      reach("journal.finished");
      finished.push(result);
    },
    throwIfLeft: () => {},
  };
  const tool = single("launch", async () => {
    reach("run");
    return { text: "launched" };
  });
  const box = lab({
    tools: [tool],
    journal,
    onPreview: () => reach("guard.preview"),
    verdict: async () => {
      reach("guard.decide");
      return verdict;
    },
    onAudit: (entry) => {
      states.push(...entry.states);
      reach(entry.states.includes("AddEvents") ? "audit at its end" : "audit before it runs");
    },
  });
  const call = { callId: "c", name: "launch", arguments: {} };
  const soFar = decision ? { decisions: new Map([["c", decision]]) } : {};
  const running = box.toolbox.runStep([call], box.turn({ asks: true }), soFar);
  const outcome = await running.catch((thrown: unknown) => ({
    outcome: "thrown" as const,
    thrown,
  }));
  await new Promise(setImmediate);
  return { ...box, done, finished, states, outcome };
}

describe("the order of safety", () => {
  it("is parse, preview, decide, checkpoint, journal, audit, run, journal, audit", async () => {
    const { done, entries, finished } = await perform();
    expect(done).toEqual(ORDER);
    expect(finished).toMatchObject([{ success: true, output: { content: "launched" } }]);
    expect(entries.map(({ outcome }) => outcome)).toEqual([undefined, "success"]);
  });

  it.each(ORDER)(
    "runs nothing unrecorded and records no run that was none, when %s fails",
    async (failsAt) => {
      const { done, entries, finished, outcome, warnings } = await perform({ failsAt });
      const at = ORDER.indexOf(failsAt);
      // Before the run nothing goes on behind the fault but to write down that it failed.
      expect(done.slice(0, at)).toEqual(ORDER.slice(0, at));
      expect(done.includes("run")).toBe(at > ORDER.indexOf("run"));
      const hasRun = done.includes("run");
      for (const entry of entries) if (entry.outcome === "success") expect(hasRun).toBe(true);
      for (const result of finished) expect(result.success).toBe(hasRun);
      if (failsAt === "journal.finished") {
        // The journal decides what comes next, so a result that it does not have may not be shown to the model.
        expect(outcome).toMatchObject({ outcome: "thrown", thrown: new Error("disk full") });
        expect(entries.map((entry) => entry.outcome)).toEqual([undefined]);
      } else {
        expect(outcome).toMatchObject({ outcome: "finished", results: [{ success: hasRun }] });
        expect(finished).toHaveLength(1);
        expect(warnings.join()).toContain("disk full");
      }
    },
  );

  it.each(ORDER.slice(0, 4))("takes a failure of %s for a no", async (failsAt) => {
    const { finished } = await perform({ failsAt });
    expect(finished).toMatchObject([
      { kind: "permissionDenied", output: { content: expect.stringContaining("check failed") } },
    ]);
  });

  it.each(["denied", "ask"] as const)("runs nothing when the guard says %s", async (said) => {
    const verdict = said === "ask" ? ASK : { outcome: said, reason: "not here" };
    const { done, outcome, finished } = await perform({ verdict });
    expect(done).not.toContain("run");
    expect(done).not.toContain("journal.started");
    expect(done).not.toContain("journal.checkpoint");
    expect(outcome.outcome).toBe(said === "ask" ? "waiting" : "finished");
    expect(finished).toHaveLength(said === "ask" ? 0 : 1);
  });

  it("asks no one before the audit has the question", async () => {
    const { outcome, finished } = await perform({ verdict: ASK, failsAt: "audit before it runs" });
    expect(outcome).toMatchObject({ outcome: "finished" });
    expect(finished).toMatchObject([{ success: false }]);
  });

  it("decides nothing and runs nothing after a rejection", async () => {
    const { done, finished } = await perform({ decision: { outcome: "rejected" } });
    expect(done).toEqual(["journal.finished", "audit at its end"]);
    expect(finished).toMatchObject([{ success: false, kind: "permissionDenied" }]);
  });

  it("asks the guard nothing about a call that had begun before a restart", async () => {
    const ran: unknown[] = [];
    const box = lab({
      tools: [
        single("launch", async (_, { permission }) => ({ text: String(ran.push(permission)) })),
      ],
      journal: { ...NOT_JOURNALED, begun: async () => ({ ...ALLOWED, as: "root" }) },
      verdict: () => Promise.reject(new Error("nobody asks")),
    });
    expect(await box.call("launch")).toMatchObject({ success: true });
    expect(ran).toEqual([{ as: "root" }]);
  });

  it.each(["CheckingAuth", "Executing"])(
    "says nothing of a call that the next start goes on with, wherever it was left (%s)",
    async (state) => {
      const left = new Error("The conversation was handed over.");
      const fail = () => Promise.reject(new Error("Deckhand is shutting down."));
      const finished: ToolResult[] = [];
      const journal = {
        ...NOT_JOURNALED,
        finished: async (one: ToolResult) => void finished.push(one),
        throwIfLeft: () => {
          throw left;
        },
      };
      const tool = single("launch", fail);
      const box = lab({ tools: [tool], journal, verdict: state === "Executing" ? ALLOWED : fail });
      await expect(box.call("launch")).rejects.toBe(left);
      expect(box.warnings).toEqual([]);
      expect(finished).toEqual([]);
    },
  );

  it("leaves no line for a second call of the same id", async () => {
    const finished: ToolResult[] = [];
    const tool = single("launch", async () => ({ text: "launched" }));
    const journal = {
      ...NOT_JOURNALED,
      finished: async (one: ToolResult) => void finished.push(one),
    };
    const box = lab({ tools: [tool], journal });
    const call = { callId: "c", name: "launch", arguments: {} };
    const { outcome } = await box.toolbox.runStep([call, call], box.turn());
    expect(outcome).toBe("finished");
    expect(finished.map(({ success }) => success)).toEqual([true]);
  });
});

/** Where a call may go from where it is, as the specification has it. */
const NEXT: Readonly<Record<CallState, readonly CallState[]>> = {
  Queued: ["Validating", "Cancelled"],
  Validating: ["ValidationFailed", "CheckingAuth", "Cancelled"],
  CheckingAuth: ["AuthDenied", "AuthPending", "Executing", "Cancelled"],
  AuthPending: ["BlockingWait", "GenerateResult", "Cancelled"],
  BlockingWait: ["UserResponded", "UserRejected", "Cancelled"],
  UserResponded: ["CheckingAuth", "Cancelled"],
  Executing: ["Routing", "DirectExecution", "Cancelled", "Failure"],
  Routing: ["InternalTool", "Failure"],
  InternalTool: ["DirectExecution", "Failure"],
  DirectExecution: ["EmitProgress", "Success", "Failure"],
  EmitProgress: ["DirectExecution"],
  ValidationFailed: ["GenerateResult"],
  AuthDenied: ["GenerateResult"],
  UserRejected: ["GenerateResult"],
  Cancelled: ["GenerateResult"],
  Success: ["GenerateResult"],
  Failure: ["GenerateResult"],
  GenerateResult: ["AddMetrics"],
  AddMetrics: ["AddEvents"],
  AddEvents: [],
};

function expectAllowed(states: readonly CallState[], first: CallState): void {
  let before = first;
  for (const state of states) {
    expect(NEXT[before], `${before} to ${state}`).toContain(state);
    before = state;
  }
}

describe("the states of a call [1.37 1.38]", () => {
  const faults: readonly (Point | undefined)[] = [undefined, ...ORDER];
  const decisions: readonly (Decision | undefined)[] = [
    undefined,
    { outcome: "approved" },
    { outcome: "rejected" },
  ];
  const verdicts: readonly Verdict[] = [ALLOWED, ASK, { outcome: "denied", reason: "no" }];
  const errors = [() => new Error("disk full"), () => new ToolError("executionFailed", "refused")];
  const all = faults.flatMap((failsAt) =>
    decisions.flatMap((decision) =>
      verdicts.flatMap((verdict) =>
        errors.map((error) => ({
          ...(failsAt && { failsAt }),
          ...(decision && { decision }),
          verdict,
          error,
        })),
      ),
    ),
  );

  it("follow the specification, whatever fails", async () => {
    for (const given of all) {
      const { states } = await perform(given);
      if (given.decision) expectAllowed(states, "BlockingWait");
      else {
        if (states.length > 0) expect(states[0]).toBe("Queued");
        expectAllowed(states.slice(1), "Queued");
      }
    }
  });

  it("show progress between two times of execution", async () => {
    const tool = single("launch", async (_, { progress }) => {
      progress("half", 0.5);
      progress("whole", 1);
      return { text: "launched" };
    });
    const box = lab({ tools: [tool] });
    await box.call("launch");
    expectAllowed(box.states().slice(1), "Queued");
    expect(box.states().filter((state) => state === "EmitProgress")).toHaveLength(2);
    expect(box.entries).toHaveLength(2);
  });

  it("stop before anything runs when the turn was stopped", async () => {
    const box = lab({ tools: [single("launch", async () => ({ text: "launched" }))] });
    const result = await box.call("launch", {}, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({
      success: false,
      output: { additionalData: { cancelled: true } },
    });
    const end = ["Cancelled", "GenerateResult", "AddMetrics", "AddEvents"];
    expect(box.states()).toEqual(["Queued", ...end]);
  });

  it("of a call that asks people itself are recorded before it asks", async () => {
    const question = { conversation: "A", callId: "c", prompt: "Which?" };
    const tool = single("launch", () => Promise.reject(new StillWaitingError(question)));
    const box = lab({ tools: [tool] });
    const call = { callId: "c", name: "launch", arguments: {} };
    const outcome: CallOutcome = await box.toolbox.runCall(call, box.turn({ asks: true }));
    expect(outcome).toMatchObject({ outcome: "waiting", asked: question });
    expect(box.states()).toEqual(["Queued", "Validating", "CheckingAuth", "Executing"]);
  });
});

describe("calls in the audit", () => {
  /** The same call until it ends, with the decision of a human behind each question. */
  async function go(verdicts: Verdict[], options: LabOptions = {}, turn = {}) {
    await using kept = await auditLab();
    const tool = single("launch", async () => ({ text: "launched" }), { line: () => "Launching" });
    const box = lab({
      tools: [tool],
      verdict: async () => verdicts.shift() ?? { outcome: "denied", reason: "no verdict" },
      onAudit: async (entry) => void (await kept.audit.record(entry)),
      ...options,
    });
    const call = { callId: "call-1", name: "launch", arguments: {} };
    const more = { asks: true, userId: "web:ann", requestText: "please launch it", ...turn };
    const first = await box.toolbox.runCall(call, box.turn(more));
    if (first.outcome === "waiting") {
      await box.toolbox.runCall(call, box.turn(more), { outcome: "approved" });
    }
    await until(() => box.states().includes("AddEvents"), "the end in the audit");
    return box.entries;
  }

  it("show all states, both people and the grant of an approved call [1.37 4.31]", async () => {
    const granted = {
      ...ALLOWED,
      ground: "grant",
      grant: "g1",
      approvers: ["web:bob"],
      as: "root",
    } as const;
    const entries = await go([ASK, granted]);
    expect(entries.flatMap(({ states }) => states)).toEqual([
      "Queued",
      "Validating",
      "CheckingAuth",
      "AuthPending",
      "BlockingWait",
      "UserResponded",
      "CheckingAuth",
      "Executing",
      "DirectExecution",
      "Success",
      "GenerateResult",
      "AddMetrics",
      "AddEvents",
    ]);
    expect(entries.map(({ decision }) => decision)).toEqual(["ask", "allowed", "allowed"]);
    expect(entries.at(-1)).toMatchObject({
      actor: "web:ann",
      approvers: ["web:bob"],
      how: "asked",
      grant: "g1",
      as: "root",
      session: expect.any(String),
      request: "please launch it",
      target: "Launching",
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      outcome: "success",
    });
  });

  it.each([
    ["auto-approve", "autoApprove"],
    ["user-initiated", "userInitiated"],
    ["no-risk", "auto"],
    ["policy", "auto"],
    ["grant", "grant"],
  ] as const)("say on what ground %s they ran [4.23]", async (ground, how) => {
    const [entry] = await go([{ ...ALLOWED, ground }]);
    expect(entry).toMatchObject({ how, decision: "allowed" });
  });

  it("say why a call was denied, and name one that was never understood", async () => {
    const [denied] = await go([{ outcome: "denied", reason: "a rule of the policy" }]);
    expect(denied).toMatchObject({ decision: "denied", reason: "a rule of the policy" });
    const [unknown] = await go([], { tools: [] });
    expect(unknown).toMatchObject({ actor: "bot", operation: "launch" });
    expect(unknown?.states).toContain("ValidationFailed");
  });
});
