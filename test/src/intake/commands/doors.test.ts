import { afterEach, describe, expect, it } from "vitest";
import type { Presence } from "../../../../src/contract/platform/actor.ts";
import { verbs } from "../../../../src/intake/commands/verbs.ts";
import { NOON, person, place } from "../../../support/permission-lab.ts";
import { buttonsOf, commandLab, type LabOptions, SECRET, THREAD } from "./lab.ts";

type Lab = Awaited<ReturnType<typeof commandLab>>;
let open: Lab | undefined;
async function lab(options: LabOptions = {}): Promise<Lab> {
  open = await commandLab(options);
  return open;
}
afterEach(async () => {
  await open?.[Symbol.asyncDispose]();
  open = undefined;
});

const DOORS = ["message", "command", "click"] as const;
type Door = (typeof DOORS)[number];

const outside: Presence = { ...person("oscar"), place: place({ isChannelMember: false }) };
const ACTORS: Record<string, Presence> = {
  member: person("alice"),
  owner: person("olive", { kind: "owner" }),
  guest: person("gus", { kind: "guest" }),
  external: person("erin", { kind: "external" }),
  "member of another team": person("tom", { team: "T2" }),
  deactivated: person("dora", { kind: "deactivated" }),
  bot: person("robot", { kind: "bot" }),
  "our own bot": person("self", { kind: "self" }),
  "somebody who has left the channel": outside,
};
const MEMBERS = ["member", "owner"];
const READERS = [...MEMBERS, "guest", "external", "member of another team"];

/** Who may, where only owners may change settings. */
const ALLOWED: Record<string, readonly string[]> = {
  talk: MEMBERS,
  readThread: READERS,
  command: MEMBERS,
  stop: MEMBERS,
  changeSettings: ["owner"],
  autoApprove: ["owner"],
};
const POLICY =
  "admins: [owner]\nsettings: [owner]\nautoApprove: { permitted: true, longest: 1h }\n";

/** Something that can be said in this form. */
const VALUES: Record<string, string> = {
  "terminal select <lines>": "terminal select 1-1",
  "terminal resize <rows> <columns>": "terminal resize 10 20",
  "auth auto on [minutes]": "auth auto on 5",
  "settings set <name> <value>": "settings set maxIterations 9",
  "shell <name>": "shell zsh",
  "subagents <id>": "subagents 0123456789ab",
  "subagents terminal <id>": "subagents terminal 0123456789ab",
};
function sayable(usage: string): string {
  return (
    VALUES[usage] ??
    usage
      .replace(/ \[.*$/, "")
      .replace(/<checkpoint>/, "c1-0123abcd")
      .replace(/<line>/, "0")
      .replace(/<operation>/, "all")
      .replace(/<path…>/, "notes.md")
      .replace(/<name>/, "infra")
      .replace(/<id>/, usage.startsWith("mini") ? "brief" : "reviewer")
      .replace(/<.*$/, "words")
  );
}

const asButton = (words: string) => `verb:${words.replaceAll(" ", ":")}`;

/** All that a verb could have changed. */
async function stateOf({ store, deps, done, removed, kept, authorization }: Lab) {
  return JSON.stringify([
    (await store.read(THREAD)).filter(({ kind }) => kind !== "checkpoint"),
    await deps.settings.load(THREAD),
    await deps.choices.of(THREAD),
    await deps.selections.get(THREAD),
    await deps.audit.forConversation(THREAD),
    await authorization.autoApprove.isOn(THREAD),
    done.filter(({ what }) => what !== "get_history"),
    removed,
    kept,
  ]);
}

describe("P-A1 the same question at every door", () => {
  const forms = verbs.flatMap((verb) => verb.forms);

  it.each(Object.keys(ALLOWED))("acts of kind %s are for whom the policy names", async (act) => {
    const own = await lab({ policy: POLICY, people: Object.values(ACTORS) });
    own.local.files.write("notes.md", "x");
    await own.write({ kind: "checkpoint", data: { turn: "t0", checkpoint: "c1-0123abcd" } });
    let cells = 0;
    for (const { usage } of forms.filter((form) => form.act === act)) {
      const words = sayable(usage);
      for (const [name, who] of Object.entries(ACTORS)) {
        for (const door of DOORS) {
          const before = await stateOf(own);
          const { text, files } = await own.say(door === "click" ? asButton(words) : words, {
            who,
            door,
          });
          const isRefused = refusals.some((one) => text.includes(one));
          const cell = `${name}, ${door}: ${words} → ${text}`;
          expect(isRefused, cell).toBe(!ALLOWED[act]?.includes(name));
          if (isRefused) {
            expect(files, cell).toEqual([]);
            expect(await stateOf(own), cell).toBe(before);
          }
          cells += 1;
        }
      }
    }
    expect(cells).toBeGreaterThan(0);
  });

  it("nobody but members runs a command of their own, by any door", async () => {
    const own = await lab({ people: Object.values(ACTORS) });
    for (const [name, who] of Object.entries(ACTORS)) {
      for (const door of ["message", "command"] as const) {
        for (const said of ["$ id", "file_operations.read_file filePath=a"]) {
          const { outcome } = await own.say(said, { who, door });
          expect(outcome.kind, `${name} ${door}`).toBe(MEMBERS.includes(name) ? "direct" : "done");
        }
      }
    }
  });

  it("who people are is looked up when they are answered, and not when they spoke", async () => {
    const own = await lab({ people: [outside] });
    const claims = { actor: outside.actor, place: place() };
    const { text } = await own.say("terminal", { who: claims });
    expect(text).toContain("not in this channel");
    const { text: stranger } = await own.say("terminal", { who: person("nobody") });
    expect(stranger).toContain("not in this channel");
  });
});

const refusals = [
  "Bots cannot do this",
  "account is deactivated",
  "You are not in this channel",
  "Guests and people from other teams",
  "Only people listed under",
  "Join it first",
];

describe("where answers go", () => {
  it.each<[Door, "shown" | "whispered"]>([
    ["message", "shown"],
    ["command", "whispered"],
    ["click", "whispered"],
  ])("what comes by %s is %s", async (door, where) => {
    const own = await lab();
    const told = await own.say(door === "click" ? "verb:status" : "status", { door });
    expect(told[where]).toHaveLength(1);
    expect(told[where === "shown" ? "whispered" : "shown"]).toEqual([]);
  });

  it("where nobody can whisper, the answer is a reply", async () => {
    const own = await lab({ cannotWhisper: true });
    expect((await own.say("status", { door: "command" })).shown).toHaveLength(1);
  });

  it("secrets are masked whatever the verb, and buttons still do what they did", async () => {
    const own = await lab({ policy: "settings: [members]\n" });
    const memories = own.deps.memories as unknown as {
      store(scope: string, memory: object): Promise<unknown>;
    };
    await memories.store(THREAD, {
      conversation: THREAD,
      content: `the key is ${SECRET}`,
      contentType: "fact",
    });
    expect((await own.say("memory search the key is")).text).not.toContain(SECRET);
    expect(buttonsOf(await own.say("memory clear")).get("Forget all 1")).toBe(
      "verb:memory:clear:confirm",
    );
  });
});

describe("what is no verb", () => {
  it("runs as a human's own call", async () => {
    const own = await lab();
    expect((await own.say("$ npm test")).outcome).toEqual({
      kind: "direct",
      call: { name: "terminal_operations.run_command", arguments: { command: "npm test" } },
    });
    expect((await own.say('file_operations.read_file filePath=a limit="3"')).outcome).toMatchObject(
      {
        kind: "direct",
        call: { arguments: { filePath: "a", limit: "3" } },
      },
    );
  });

  it("goes to the model where there is one, and to its queue where that was said", async () => {
    const own = await lab({ model: { name: "m", check: async () => undefined } });
    expect((await own.say("please fix the build")).outcome).toEqual({ kind: "none" });
    expect((await own.say("queue and then deploy")).outcome).toEqual({
      kind: "queue",
      text: "and then deploy",
    });
  });

  it("15.22 is answered with what can be said where there is no model", async () => {
    const own = await lab();
    const { outcome, text } = await own.say("please fix the build");
    expect(outcome).toEqual({ kind: "done" });
    expect(text).toMatch(/No model[\s\S]*help[\s\S]*tour/);
    expect((await own.say("statsu")).text).toContain("Did you mean `status`?");
  });

  it("may still be the answer to a question that waits", async () => {
    const own = await lab();
    const question = { conversation: THREAD, callId: "c1", prompt: "Which branch?" };
    await own.authorization.questions.ask(question, "chat:T1:alice");
    expect((await own.say("the main one")).outcome).toEqual({ kind: "none" });
  });

  it("a button of somebody else's is none of ours", async () => {
    const own = await lab();
    expect((await own.say("approve:x:once", { door: "click" })).outcome).toEqual({ kind: "none" });
    expect((await own.say("verb:nonsense", { door: "click" })).outcome).toEqual({ kind: "done" });
  });
});

describe("a turn", () => {
  it("is stopped where one is under way", async () => {
    const own = await lab();
    expect((await own.say("stop")).text).toContain("Nothing is running");
    await own.beginTurn();
    for (const said of ["stop", "/stop", "Stop!"]) {
      expect((await own.say(said)).outcome).toEqual({ kind: "stop" });
    }
  });

  it("5.3 does not keep anybody from asking what goes on", async () => {
    const own = await lab();
    await own.beginTurn();
    for (const said of ["status", "todos", "terminal", "approvals", "cost"]) {
      expect((await own.say(said, { door: "command" })).outcome).toEqual({ kind: "done" });
    }
  });

  it("the tour says that it is a script, and puts real calls into turns of their own", async () => {
    const own = await lab();
    const told = await own.say("tour");
    expect(told.text).toMatch(/Guided tour[\s\S]*script/);
    expect([...buttonsOf(told).values()]).toEqual(["verb:diff:since:0", "verb:undo:since:0"]);
    const { asked } = await own.journal.read(THREAD);
    expect(asked.map(({ call, mode }) => [mode, call?.name])).toEqual([
      ["queue", "todo_operations.add"],
      ["queue", "file_operations.create_file"],
      ["queue", "terminal_operations.run_command"],
      ["queue", "todo_operations.update"],
      ["queue", "user_collaboration"],
    ]);
    await own.write({ kind: "checkpoint", data: { turn: "t2", checkpoint: "c2-22222222" } });
    own.has.checkpoints = ["c2-22222222", "c3-33333333"];
    await own.write({ kind: "checkpoint", data: { turn: "t3", checkpoint: "c3-33333333" } });
    own.has.diff = {
      checkpoint: "c9-99999999",
      against: "now",
      added: 1,
      removed: 0,
      changed: 0,
      changes: [{ path: "tour/hello.sh", change: "added" }],
      diff: "",
      truncated: false,
    };
    const compared = await own.say("verb:diff:since:0", { door: "click" });
    expect([...buttonsOf(compared).values()]).toEqual(["verb:undo:c2-22222222"]);
  });

  it("the tour adds its todos to those of the thread", async () => {
    const own = await lab();
    const at = NOON.toISOString();
    const item = { title: "Look", description: "", createdAt: at, updatedAt: at };
    const items = [
      { ...item, id: 7, status: "completed" as const },
      { ...item, id: 3, status: "in-progress" as const },
    ];
    await own.todos.write({ conversation: THREAD, items, createdAt: at, updatedAt: at });
    await own.say("tour");
    const { asked } = await own.journal.read(THREAD);
    const args = asked.map(({ call }) => call?.arguments);
    expect(args[0]).toMatchObject({ newTodos: [{ status: "not-started" }, {}] });
    expect(args[3]).toMatchObject({ todoUpdates: [{ id: 8 }, { id: 9 }] });
  });

  it("what an event has brought about is not brought about twice", async () => {
    const own = await lab();
    await own.say("tour", { event: "same" });
    await own.say("tour", { event: "same" });
    expect((await own.journal.read(THREAD)).asked).toHaveLength(5);
    const undo = { event: "undone", door: "click" } as const;
    await own.say("verb:undo:confirm:c1-0123abcd", undo);
    await own.say("verb:undo:confirm:c1-0123abcd", undo);
    const ids = own.done.map(({ args }) => (args as { callId: string }).callId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });
});
