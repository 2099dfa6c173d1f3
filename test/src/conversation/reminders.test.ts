import { describe, expect, it } from "vitest";
import { type ReminderParts, remindersOf } from "../../../src/conversation/reminders.ts";
import type { OpenTurn } from "../../../src/journal/conversation/state.ts";

const AT = "2030-01-01T00:00:00.000Z";
const LATER = "2030-01-01T00:01:00.000Z";

const again = { callId: "c", name: "think", title: "t", isSuccess: true, signature: "same" };
const TURN = {
  id: "t2",
  steps: 1,
  maximum: 50,
  hasWarned: false,
  isFirst: false,
  hasChangedTodos: false,
  spokenAt: AT,
  ended: [again, again, again],
  checks: new Map(),
  calls: [{ callId: "q", name: "user_collaboration", arguments: {}, result: { success: true } }],
} as unknown as OpenTurn;

const MINI = { id: "terse", name: "Terse", content: "Two sentences." };

function lab({ importedAt = "2029-12-31T00:00:00.000Z", broken = "" } = {}) {
  const logged: string[] = [];
  const unless = <Value>(name: string, value: Value) => {
    if (name === broken) throw new Error("It does not work.");
    return value;
  };
  const todo = { id: 1, title: "Task", description: "", status: "in-progress" } as const;
  const dates = { createdAt: AT, updatedAt: AT };
  const memory = { id: "m1", scope: "A", conversation: "A", content: "Fact.", tags: [] };
  const document = { id: "d1", path: "a.txt", characters: 5, parts: 1, tags: [], importedAt };
  const parts: ReminderParts = {
    todos: {
      read: async () =>
        unless("todos", { conversation: "A", items: [{ ...todo, ...dates }], ...dates }),
    },
    memories: {
      documents: async () => unless("documents", [document]),
      recent: async () =>
        unless("memories", [
          { ...memory, contentType: "fact" as const, importance: 0.5, createdAt: AT },
        ]),
    },
    scopeOf: async () => "A",
    archiveNote: async () => unless("archived context", "Older messages are archived."),
    log: (_, message, fields) => void logged.push(`${message} ${fields?.reminder}`),
  };
  const ask = async (turn: Partial<OpenTurn> = {}, hasStored = true) => {
    const reminding = { conversation: "A", turn: { ...TURN, ...turn }, minis: [MINI], hasStored };
    const { before, after } = await remindersOf(parts, reminding);
    const name = ({ element, text }: (typeof before)[number]) => element ?? text.slice(0, 12);
    return [...before.map(name), "—", ...after.map(name)];
  };
  return { ask, logged };
}

const [MINIS, TODOS, DOCUMENTS] = ["miniPromptReminder", "todoList", "Documents th"];
const NOTES = ["Older messag", "This is step", "You have mad", "The user has"];
const MEMORIES = "recentlyStoredMemories";

describe("the reminders of a step", () => {
  it("8.3 8.11 8.12 have one order when all of them are needed", async () => {
    const { ask } = lab();
    const expected = [MINIS, TODOS, DOCUMENTS, "—", ...NOTES, MEMORIES];
    for (let round = 0; round < 20; round += 1) expect(await ask()).toEqual(expected);
  });

  it("8.3 8.12 keep it where the turn has changed the lists", async () => {
    const todosChanged = await lab().ask({ hasChangedTodos: true });
    expect(todosChanged).toEqual([MINIS, DOCUMENTS, "—", TODOS, ...NOTES, MEMORIES]);
    const both = await lab({ importedAt: LATER }).ask({ hasChangedTodos: true });
    expect(both).toEqual([MINIS, "—", TODOS, DOCUMENTS, ...NOTES, MEMORIES]);
  });

  it("8.6 leave the mini prompts out in the first turn", async () => {
    expect(await lab().ask({ isFirst: true })).not.toContain(MINIS);
  });

  it("look for no memories where none were ever stored", async () => {
    const all = await lab({ broken: "memories" }).ask({}, false);
    expect(all).toEqual([MINIS, TODOS, "—", ...NOTES]);
  });

  it.each([
    ["todos", TODOS],
    ["documents", DOCUMENTS],
    ["archived context", NOTES[0]],
    ["memories", MEMORIES],
  ])(
    "8.13 go without %s where those cannot be had, and the operator is told",
    async (broken, name) => {
      const { ask, logged } = lab({ broken });
      const expected = [MINIS, TODOS, DOCUMENTS, "—", ...NOTES, MEMORIES];
      expect(await ask()).toEqual(expected.filter((one) => one !== name));
      expect(logged).toEqual([`A reminder could not be built and is omitted. ${broken}`]);
    },
  );
});
