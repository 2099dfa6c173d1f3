import { afterEach, describe, expect, it } from "vitest";
import { approvalText } from "../../../../src/contract/approval-text.ts";
import { actorKey } from "../../../../src/contract/platform/actor.ts";
import { namesIn } from "../../../../src/intake/commands/names.ts";
import { approvalOf } from "../../../contracts/adapter/views.ts";
import { person } from "../../../support/permission-lab.ts";
import { commandLab, THREAD } from "./lab.ts";

type Lab = Awaited<ReturnType<typeof commandLab>>;
let open: Lab | undefined;
afterEach(async () => {
  await open?.[Symbol.asyncDispose]();
  open = undefined;
});

const named = (id: string, name?: string) => ({ ...person(id), name });
const KEY = actorKey(person("U024BE7LH").actor);

const OVERHEARD = { event: "e", messageId: "m", author: KEY, name: "Ada", text: "hello" };
const DECIDED = { approval: "a", choice: "once", by: [KEY], names: ["Ada"], at: "" } as const;

/** Verbs that say who did something, and the beginning of their sentence. */
const SAYING_WHO = [
  ["settings set maxIterations 7", "set by "],
  ["reset confirm", "was removed by "],
  ["auth auto on 5", "turned on by "],
] as const;

describe("a person is shown by name, and never by an id", () => {
  it.each(SAYING_WHO)("%s", async (words, before) => {
    for (const [name, shown] of [
      ["Ada Lovelace", "Ada Lovelace"],
      [undefined, "someone"],
    ] as const) {
      const who = named("U024BE7LH", name);
      const policy =
        "admins: ['chat:T1:U024BE7LH']\nautoApprove: { permitted: true, longest: 30m }";
      open = await commandLab({ people: [who], policy });
      const { text } = await open.say(words, { who, door: "command" });
      expect(text).not.toContain("U024BE7LH");
      expect(text).toContain(`${before}${shown}`);
      await open[Symbol.asyncDispose]();
      open = undefined;
    }
  });

  it.each([
    ["wrote here", [{ kind: "overheard", data: OVERHEARD }], undefined, "Ada"],
    ["decided here", [{ kind: "approval.decided", data: DECIDED }], undefined, "Ada"],
    ["is known to the platform", [], "Ada", "Ada"],
    ["is not known", [], undefined, "someone"],
  ] as const)("one who %s", async (_, lines, name, shown) => {
    open = await commandLab();
    const { journal } = open;
    await journal.append(THREAD, lines);
    const people = { find: async () => named("U024BE7LH", name) };
    const nameOf = await namesIn({ journal, people }, THREAD, [KEY]);
    expect(nameOf(KEY)).toBe(shown);
    expect(nameOf("guard")).toBe("guard");
  });

  it("one whose platform is away", async () => {
    open = await commandLab();
    const { journal } = open;
    const people = { find: () => Promise.reject(new Error("away")) };
    expect((await namesIn({ journal, people }, THREAD, [KEY]))(KEY)).toBe("someone");
  });

  it.each([
    [["U024BE7LH"], undefined, "Approved once by someone at"],
    [["U024BE7LH", "U0ZZ"], undefined, "Approved once by someone at"],
    [["U024BE7LH"], ["Ada"], "Approved once by Ada at"],
  ])("an approval decided by %j with the names %j", (by, names, expected) => {
    const decision = {
      choice: "once" as const,
      by: by.map((id) => `chat:T1:${id}`),
      ...(names && { names }),
      at: "2026-11-16T12:00:00.000Z",
    };
    const text = approvalText({
      approval: { ...approvalOf("w", "w"), decision },
      requester: "Bob",
    });
    expect(text).toContain(expected);
    expect(text).not.toContain("U024BE7LH");
  });
});
