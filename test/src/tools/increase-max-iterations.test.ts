import { describe, expect, it } from "vitest";
import {
  createIncreaseMaxIterations,
  increaseMaxIterations,
} from "../../../src/tools/increase-max-iterations.ts";
import { call, contextOf, failureOf } from "../../support/calls.ts";

const tool = createIncreaseMaxIterations();

function budget(used: number, maximum: number) {
  const steps = {
    used,
    maximum,
    raise: (more: number) => {
      steps.maximum = more;
    },
  };
  return { steps, context: contextOf("A", { steps }) };
}

describe("increase_max_iterations", () => {
  it("3.6 raises the total within the running turn", async () => {
    const { steps, context } = budget(2, 3);
    const args = { requested_iterations: "5", reason: "Two files are left." };
    const { text, data } = await call(tool, args, context);
    expect(steps.maximum).toBe(5);
    expect(data).toEqual({ previous: 3, new: 5, used: 2, remaining: 3, reason: args.reason });
    expect(text).toBe(
      "The limit was raised from 3 to 5 steps; 2 used, 3 left. Reason: Two files are left.",
    );
  });

  it.each([3, 2])("3.6 refuses %i where three are allowed, and shows both", async (wanted) => {
    const { steps, context } = budget(2, 3);
    const args = { requested_iterations: wanted, reason: "More." };
    expect(await failureOf(tool, args, context)).toMatchObject({
      kind: "invalidParameters",
      message: expect.stringContaining("2/3"),
    });
    expect(steps.maximum).toBe(3);
  });

  it.each([100_000, 1001, 0, -5, 4.5, "many", undefined])(
    "3.6 refuses %j altogether",
    async (wanted) => {
      const { steps, context } = budget(2, 3);
      const args = { requested_iterations: wanted, reason: "More." };
      expect((await failureOf(tool, args, context)).message).toContain("requested_iterations");
      expect(steps.maximum).toBe(3);
    },
  );

  it("3.6 takes the ceiling itself", async () => {
    const { steps, context } = budget(2, 3);
    await call(tool, { requested_iterations: 1000, reason: "More." }, context);
    expect(steps.maximum).toBe(1000);
  });

  it.each([undefined, "", "  "])("3.6 refuses %j as a reason", async (reason) => {
    const { context } = budget(2, 3);
    const args = { requested_iterations: 5, reason };
    expect((await failureOf(tool, args, context)).message).toContain("reason");
  });

  it("3.6 fails where the number of steps is fixed", async () => {
    const args = { requested_iterations: 5, reason: "More." };
    expect(await failureOf(tool, args)).toMatchObject({
      kind: "permissionDenied",
      message: expect.stringContaining("cannot be raised"),
    });
  });

  it.each([
    [{ requested_iterations: 80 }, "Raising the step limit: 80"],
    [{ requested_iterations: "80" }, "Raising the step limit: 80"],
    [{ requested_iterations: { toString: 1, valueOf: 1 } }, "Raising the step limit"],
    [{}, "Raising the step limit"],
  ])("1.40 %j is shown as %j", (args, expected) => {
    expect(increaseMaxIterations.operations.increase_max_iterations.line(args)).toBe(expected);
  });
});
