import { setImmediate as tick } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Execution, ToolError } from "../../../../src/contract/tools/operation.ts";
import type { RunnableTool } from "../../../../src/contract/tools/tool-call.ts";
import type { StepOutcome, ToolCall } from "../../../../src/contract/tools/toolbox.ts";
import { batches } from "../../../../src/tools/call/run-step.ts";
import { lab, single } from "../support/lab.ts";

/** Writes down when its calls begin and end. */
function witness(log: string[]): RunnableTool {
  return single(
    "witness",
    async ({ name, ticks }) => {
      log.push(`+${name}`);
      for (let passed = 0; passed < Number(ticks); passed += 1) await tick();
      log.push(`-${name}`);
      return { text: String(name) };
    },
    {
      params: z.object({ name: z.string(), ticks: z.number(), as: z.string() }),
      execution: ({ as }) => as as Execution,
    },
  );
}

/** Parallel calls, of which none ends before so many have begun. */
function meeting(guests: number, log: string[]): RunnableTool {
  const all = Promise.withResolvers<void>();
  let come = 0;
  return single("meeting", async (_params, { callId }) => {
    log.push(`+${callId}`);
    come += 1;
    if (come === guests) all.resolve();
    await all.promise;
    log.push(`-${callId}`);
    return { text: callId };
  });
}

const use = (name: string, as: Execution, ticks = 0): ToolCall => ({
  callId: name,
  name: "witness",
  arguments: JSON.stringify({ name, ticks, as }),
});

function resultsOf(outcome: StepOutcome) {
  if (outcome.outcome !== "finished") throw new Error("The step waits for a human.");
  return outcome.results;
}

/** All before it had ended when it began, and all behind it began when it had ended. */
function expectBarrier(log: readonly string[], index: number, total: number): void {
  const begin = log.indexOf(`+c${index}`);
  expect(log[begin + 1]).toBe(`-c${index}`);
  for (let other = 0; other < index; other += 1) {
    expect(log.indexOf(`-c${other}`)).toBeLessThan(begin);
  }
  for (let other = index + 1; other < total; other += 1) {
    expect(log.indexOf(`+c${other}`)).toBeGreaterThan(begin + 1);
  }
}

const execution = fc.constantFrom<Execution>("parallel", "serial", "blocking");

describe("the batches of a step", () => {
  it("1.32 hold every call once, in order; only parallel neighbours are together", () => {
    fc.assert(
      fc.property(fc.array(execution, { maxLength: 30 }), (executions) => {
        const all = batches(executions);
        expect(all.flat()).toEqual(executions.map((_execution, index) => index));
        for (const batch of all) {
          expect(batch.length).toBeGreaterThan(0);
          if (batch.length > 1) {
            expect(batch.every((index) => executions[index] === "parallel")).toBe(true);
          }
        }
        for (const [one, other] of all.slice(1).map((batch, index) => [all[index], batch])) {
          const isMergeable = [one?.at(-1), other?.[0]].every(
            (index) => index !== undefined && executions[index] === "parallel",
          );
          expect(isMergeable).toBe(false);
        }
      }),
    );
  });
});

describe("a step", () => {
  it("1.30 runs parallel calls side by side and serial ones one after another", async () => {
    const log: string[] = [];
    const box = lab({ tools: [witness(log), meeting(3, log)] });
    const calls = ["a", "b", "c"].map((name) => use(name, "serial", 20));
    await box.toolbox.runStep(calls, box.turn());
    expect(log).toEqual(["+a", "-a", "+b", "-b", "+c", "-c"]);
    log.length = 0;
    const guests = ["a", "b", "c"].map((callId) => ({ callId, name: "meeting", arguments: "{}" }));
    await box.toolbox.runStep(guests, box.turn());
    expect(log).toEqual(["+a", "+b", "+c", "-a", "-b", "-c"]);
  });

  it("1.32 keeps the model's order at every barrier, and 1.33 answers in the order of the calls", async () => {
    const anyCall = fc.record({ as: execution, ticks: fc.integer({ min: 0, max: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { maxLength: 8 }), async (wanted) => {
        const log: string[] = [];
        const box = lab({ tools: [witness(log)] });
        const calls = wanted.map(({ as, ticks }, index) => use(`c${index}`, as, ticks));
        const results = resultsOf(await box.toolbox.runStep(calls, box.turn()));
        expect(results.map((result) => result.callId)).toEqual(calls.map((call) => call.callId));
        for (const [index, { as }] of wanted.entries()) {
          if (as !== "parallel") expectBarrier(log, index, wanted.length);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("1.33 has one result per call, also where one fails, is unknown, malformed or refused", async () => {
    const box = lab({
      tools: [
        single("good", async () => ({ text: "fine" })),
        single("bad", async () => {
          throw new ToolError("timeout", "after 3 s");
        }),
      ],
      verdict: async ({ tool }, { callId }) =>
        callId === "denied"
          ? { outcome: "denied", reason: tool }
          : { outcome: "allowed", reason: "" },
    });
    const calls = [
      { callId: "1", name: "good", arguments: "{}" },
      { callId: "2", name: "bad", arguments: "{}" },
      { callId: "3", name: "frobnicate", arguments: "{}" },
      { callId: "4", name: "good", arguments: "{oops" },
      { callId: "denied", name: "good", arguments: "{}" },
      { callId: "6", name: "good", arguments: "{}" },
    ];
    const results = resultsOf(await box.toolbox.runStep(calls, box.turn()));
    expect(results.map(({ callId, kind }) => [callId, kind])).toEqual([
      ["1", undefined],
      ["2", "timeout"],
      ["3", "toolNotFound"],
      ["4", "invalidParameters"],
      ["denied", "permissionDenied"],
      ["6", undefined],
    ]);
    expect(results[2]?.output.content).toContain("not found");
  });

  it("1.33 refuses a second call of the same id instead of running it", async () => {
    let runs = 0;
    const box = lab({ tools: [single("probe", async () => ({ text: `${++runs}` }))] });
    const call = { callId: "same", name: "probe", arguments: "{}" };
    const results = resultsOf(await box.toolbox.runStep([call, call], box.turn()));
    expect(results.map(({ success }) => success)).toEqual([true, false]);
    expect(runs).toBe(1);
  });

  it("1.34 lets serial calls of one conversation wait for each other, and never for another conversation", async () => {
    const log: string[] = [];
    const other = Promise.withResolvers<void>();
    const patient = async () => {
      await other.promise;
      log.push("-slow");
      return { text: "" };
    };
    const box = lab({ tools: [witness(log), single("patient", patient, { execution: "serial" })] });
    const step = (conversation: string, call: ToolCall) =>
      box.toolbox.runStep([call], box.turn({ conversation }));
    const slow = step("A", { callId: "slow", name: "patient", arguments: "{}" });
    const second = step("A", use("second", "serial"));
    await step("B", use("other", "serial"));
    log.push("B is done");
    other.resolve();
    await Promise.all([slow, second]);
    expect(log.indexOf("B is done")).toBeLessThan(log.indexOf("-slow"));
    expect(log.indexOf("+second")).toBeGreaterThan(log.indexOf("-slow"));
  });

  it("1.34 keeps serial calls going after one has failed or was given up", async () => {
    const [stop, haste] = [new AbortController(), new AbortController()];
    const begun = Promise.withResolvers<void>();
    const box = lab({
      tools: [
        single(
          "stuck",
          () => {
            begun.resolve();
            return new Promise(() => {});
          },
          { execution: "serial" },
        ),
        single("next", async () => ({ text: "ran" }), { execution: "serial" }),
      ],
    });
    const stuck = box.call("stuck", {}, { signal: stop.signal });
    await begun.promise;
    const next = box.call("next");
    const impatient = box.call("next", {}, { signal: haste.signal });
    await tick();
    haste.abort();
    expect(await impatient).toMatchObject({ success: false });
    stop.abort();
    await stuck;
    expect(await next).toMatchObject({ success: true });
  });

  it("1.36 that is stopped answers every call, and begins none after that", async () => {
    const stop = new AbortController();
    let runs = 0;
    const box = lab({
      tools: [
        single(
          "stopper",
          async () => {
            runs += 1;
            stop.abort();
            return { text: "" };
          },
          { execution: "blocking" },
        ),
        single("probe", async () => ({ text: `${++runs}` })),
      ],
    });
    const calls = ["stopper", "probe", "probe"].map((name, index) => ({
      callId: String(index),
      name,
      arguments: "{}",
    }));
    const results = resultsOf(await box.toolbox.runStep(calls, box.turn({ signal: stop.signal })));
    expect(results.map(({ success }) => success)).toEqual([true, false, false]);
    expect(results[1]?.output.additionalData).toEqual({ cancelled: true });
    expect(runs).toBe(1);
  });

  it("1.31 lets both of two edits of one file survive", async () => {
    let file = "a b";
    const edit = single(
      "edit",
      async ({ from, to }) => {
        const text = file;
        await tick();
        file = text.replace(String(from), String(to));
        return { text: file };
      },
      { execution: "serial", params: z.object({ from: z.string(), to: z.string() }) },
    );
    const box = lab({ tools: [edit] });
    const call = (from: string) => ({
      callId: from,
      name: "edit",
      arguments: { from, to: from.toUpperCase() },
    });
    await box.toolbox.runStep([call("a"), call("b")], box.turn());
    expect(file).toBe("A B");
  });
});

describe("a step that needs a human", () => {
  it("stops at the call, goes on with the decision, and runs nothing twice", async () => {
    const runs: string[] = [];
    const granted = new Set<string>();
    const box = lab({
      tools: [
        single(
          "probe",
          async (_params, { callId }) => {
            runs.push(callId);
            return { text: callId };
          },
          { execution: "serial" },
        ),
      ],
      verdict: async (_call, { callId }) =>
        callId.startsWith("risky") && !granted.has(callId)
          ? { outcome: "ask", reason: "risky" }
          : { outcome: "allowed", reason: "" },
    });
    const calls = ["first", "risky-1", "middle", "risky-2", "last"].map((callId) => ({
      callId,
      name: "probe",
      arguments: "{}",
    }));
    const turn = box.turn({ asks: true });
    const one = await box.toolbox.runStep(calls, turn);
    if (one.outcome !== "waiting") throw new Error("It should wait.");
    expect(one.waiting.map((call) => call.callId)).toEqual(["risky-1"]);
    expect(runs).toEqual(["first"]);

    granted.add("risky-1");
    const two = await box.toolbox.runStep(calls, turn, {
      results: one.results,
      decisions: new Map([["risky-1", { outcome: "approved" }]]),
    });
    if (two.outcome !== "waiting") throw new Error("It should wait again.");
    expect(two.waiting.map((call) => call.callId)).toEqual(["risky-2"]);
    expect(runs).toEqual(["first", "risky-1", "middle"]);

    const three = await box.toolbox.runStep(calls, turn, {
      results: two.results,
      decisions: new Map([["risky-2", { outcome: "rejected" }]]),
    });
    const results = resultsOf(three);
    expect(results.map(({ callId, success }) => [callId, success])).toEqual([
      ["first", true],
      ["risky-1", true],
      ["middle", true],
      ["risky-2", false],
      ["last", true],
    ]);
    expect(runs).toEqual(["first", "risky-1", "middle", "last"]);
  });
});
