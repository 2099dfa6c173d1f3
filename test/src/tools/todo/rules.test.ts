import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Todo } from "../../../../src/contract/conversation/todo.ts";
import type { Draft } from "../../../../src/tools/todo/items.ts";
import { type Violation, violationsOf } from "../../../../src/tools/todo/rules.ts";
import { caseCount } from "../../../support/thorough.ts";

const todo = (id: number, more: Partial<Draft> = {}): Draft => ({
  id,
  title: `Task ${id}`,
  description: "",
  status: "not-started",
  ...more,
});

const about = (found: readonly Violation[], rule: Violation["rule"]) =>
  found.filter((violation) => violation.rule === rule).flatMap((violation) => violation.todos);

describe("circular dependencies", () => {
  it("7.7 two todos that depend on each other are two errors", () => {
    const found = violationsOf([todo(1, { dependencies: [2] }), todo(2, { dependencies: [1] })]);
    expect(found.map(({ todos }) => todos)).toEqual(expect.arrayContaining([[1], [2]]));
    expect(found).toHaveLength(2);
  });

  it("7.7 a todo that only leads into a circle adds none", () => {
    const found = violationsOf([
      todo(3, { dependencies: [1] }),
      todo(1, { dependencies: [2] }),
      todo(2, { dependencies: [1] }),
    ]);
    expect(about(found, "no-circle").sort()).toEqual([1, 2]);
  });

  it("7.7 a todo that depends on itself is one error", () => {
    const [only, ...others] = violationsOf([todo(1, { dependencies: [1] })]);
    expect(only?.message).toBe('Todo 1 ("Task 1") depends on itself.');
    expect(others).toEqual([]);
  });

  it("7.7 a chain of 20 000 todos is walked without trouble", () => {
    const chain = Array.from({ length: 20_000 }, (_, index) =>
      todo(index + 1, { dependencies: index === 0 ? [] : [index] }),
    );
    expect(violationsOf(chain)).toEqual([]);
    const closed = [todo(1, { dependencies: [20_000] }), ...chain.slice(1)];
    expect(violationsOf(closed)).toHaveLength(20_000);
  });

  it("names a few companions of a large circle and counts the others", () => {
    const ring = Array.from({ length: 10 }, (_, index) =>
      todo(index + 1, { dependencies: [((index + 1) % 10) + 1] }),
    );
    for (const { message } of violationsOf(ring)) {
      expect(message).toMatch(/through (\d+, ){4}\d+ and 4 more\.$/);
    }
  });
});

describe("the rules", () => {
  it("agree with a naive reading of them, for any list", () => {
    const statuses = fc.constantFrom<Todo["status"][]>(
      "not-started",
      "in-progress",
      "completed",
      "blocked",
    );
    const drafts: fc.Arbitrary<Draft[]> = fc.array(
      fc.record(
        {
          id: fc.integer({ min: 1, max: 9 }),
          title: fc.constantFrom("A title", " ", ""),
          description: fc.constant(""),
          status: statuses,
          dependencies: fc.array(fc.integer({ min: 0, max: 10 }), { maxLength: 4 }),
          progress: fc.double({ min: -0.5, max: 1.5, noNaN: true }),
          blockedReason: fc.constantFrom("No token.", "  "),
        },
        { requiredKeys: ["id", "title", "description", "status"] },
      ),
      { maxLength: 9 },
    );
    const times = { createdAt: "2030-01-01T00:00:00.000Z", updatedAt: "2030-01-01T00:00:00.000Z" };
    fc.assert(
      fc.property(drafts, drafts, (list, old) => {
        const before = old.map((draft): Todo => ({ ...draft, ...times }));
        expect(summary(violationsOf(list, before))).toEqual(naive(list, before));
      }),
      { numRuns: caseCount({ perChange: 500, all: 2000 }) },
    );
  });

  it("leave what could not be read out of account", () => {
    expect(violationsOf([{ id: 1 }, { title: "No id" }, {}])).toEqual([]);
  });
});

function summary(found: readonly Violation[]): string[] {
  return found.map(({ rule, todos }) => `${rule} ${todos.join(",")}`).sort();
}

/** Every rule as SPEC words it, without a thought for speed. */
function naive(list: readonly Draft[], before: readonly Todo[]): string[] {
  const ids = list.map(({ id }) => id);
  const running = list.filter(({ status }) => status === "in-progress").map(({ id }) => id);
  const completed = before.filter(({ status }) => status === "completed").map(({ id }) => id);
  const missing = list.flatMap(({ id, dependencies = [] }) =>
    [...new Set(dependencies)].filter((other) => !ids.includes(other)).map(() => id),
  );
  const each = (rule: Violation["rule"], broken: readonly number[]) =>
    broken.map((id) => `${rule} ${id}`);
  return [
    ...each(
      "titled",
      list.filter(({ title }) => title.trim() === "").map(({ id }) => id),
    ),
    ...each(
      "progress-range",
      list.filter(({ progress = 0 }) => progress < 0 || progress > 1).map(({ id }) => id),
    ),
    ...each(
      "blocked-has-reason",
      list.filter(blockedWithoutReason).map(({ id }) => id),
    ),
    ...each("dependency-exists", missing),
    ...each(
      "unique-id",
      [...new Set(ids)].filter((id) => ids.indexOf(id) !== ids.lastIndexOf(id)),
    ),
    ...each(
      "no-circle",
      [...new Set(ids)].filter((id) => reachable(list, id).has(id)),
    ),
    ...(running.length > 1 ? [`one-in-progress ${running.join(",")}`] : []),
    ...each(
      "completed-stays",
      completed.filter((id) => !ids.includes(id)),
    ),
  ].sort();
}

function blockedWithoutReason({ status, blockedReason = "" }: Draft): boolean {
  return status === "blocked" && blockedReason.trim() === "";
}

/** All that a todo depends on, at any distance: spreads until nothing new comes. */
function reachable(list: readonly Draft[], from: number): Set<number> {
  const next = (id: number) =>
    list.filter((item) => item.id === id).flatMap((item) => item.dependencies ?? []);
  const reached = new Set(next(from));
  for (let size = -1; size !== reached.size; ) {
    size = reached.size;
    for (const id of [...reached]) for (const further of next(id)) reached.add(further);
  }
  return reached;
}
