import { type Mutant, mutantsOf } from "./mutant.ts";

const RULES = "src/tools/todo/rules.ts";

export const todoMutants: readonly Mutant[] = mutantsOf("test/src/tools/todo/rules.test.ts", [
  [
    "two todos may be in progress",
    RULES,
    "if (running.length < 2) return [];",
    "if (running.length < 3) return [];",
  ],
  ["an id may be used twice", RULES, "id === undefined || same.length < 2", "true"],
  [
    "completed work may be dropped",
    RULES,
    '.filter((todo) => todo.status === "completed" && !ids.has(todo.id))',
    ".filter(() => false)",
  ],
  [
    "a blocked todo needs no reason",
    RULES,
    'todo.status === "blocked" && !todo.blockedReason?.trim()',
    "false",
  ],
  [
    "progress may be more than all",
    RULES,
    "todo.progress >= 0 && todo.progress <= 1",
    "todo.progress >= 0",
  ],
  [
    "a todo may depend on nothing that is there",
    RULES,
    ".filter((dependency) => !ids.has(dependency))",
    ".filter(() => false)",
  ],
  ["todos may wait for each other", RULES, "    ...circularDependencies(list),\n", ""],
]);
