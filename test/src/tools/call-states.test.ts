import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CALL_STATES, type CallState } from "../../../src/contract/call-state.ts";
import { CallStates } from "../../../src/tools/call-states.ts";

/** Tries every wish in turn; those that are not allowed must change nothing. */
async function walk(begin: "Queued" | "BlockingWait", wishes: readonly CallState[]) {
  const taken: CallState[] = [begin];
  const states = new CallStates(begin, (state) => void taken.push(state));
  for (const wish of wishes) {
    const before = states.current;
    try {
      await states.to(wish);
      expect(states.current).toBe(wish);
    } catch {
      expect(states.current).toBe(before);
      expect(taken.at(-1)).toBe(before);
    }
  }
  return taken;
}

describe("the states of a call", () => {
  it("1.38 never run what was not checked, nor end without a result, whatever is tried", async () => {
    const wishes = fc.array(fc.constantFrom(...CALL_STATES), { maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("Queued", "BlockingWait"), wishes, async (begin, all) => {
        const taken = await walk(begin, all);
        for (const [index, state] of taken.entries()) {
          const before = taken[index - 1];
          if (state === "Executing") expect(before).toBe("CheckingAuth");
          if (state === "CheckingAuth") expect(["Validating", "UserResponded"]).toContain(before);
          if (state === "Routing") expect(before).toBe("Executing");
          if (state === "Success") expect(before).toBe("DirectExecution");
          if (state === "AddMetrics") expect(before).toBe("GenerateResult");
        }
        const refused = taken.findIndex((state) =>
          [
            "ValidationFailed",
            "AuthDenied",
            "UserRejected",
            "Cancelled",
            "Failure",
            "Success",
          ].includes(state),
        );
        const after = refused < 0 ? [] : taken.slice(refused + 1);
        expect(["GenerateResult", "AddMetrics", "AddEvents"].slice(0, after.length)).toEqual(after);
      }),
      { numRuns: 500 },
    );
  });

  it("1.38 can all be reached, and all lead to an end", async () => {
    const ways = new Map<CallState, CallState[]>([["Queued", []]]);
    const next = new Map<CallState, CallState[]>();
    for (const [state, way] of ways) {
      const reached: CallState[] = [];
      for (const wish of CALL_STATES) {
        const taken = await walk("Queued", [...way, wish]);
        if (taken.length === way.length + 2) reached.push(wish);
      }
      next.set(state, reached);
      for (const found of reached) if (!ways.has(found)) ways.set(found, [...way, found]);
    }
    expect([...ways.keys()].sort()).toEqual([...CALL_STATES].sort());
    expect(CALL_STATES.filter((state) => next.get(state)?.length === 0)).toEqual(["AddEvents"]);
  });

  it("wait until a step is recorded, and fail when it cannot be", async () => {
    const states = new CallStates("Queued", () => Promise.reject(new Error("disk full")));
    await expect(states.to("Validating")).rejects.toThrow("disk full");
  });
});
