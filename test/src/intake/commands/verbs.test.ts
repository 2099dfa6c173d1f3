import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Memories } from "../../../../src/contract/conversation/memory.ts";
import type { RunnableTool } from "../../../../src/contract/tools/tool-call.ts";
import { verbs } from "../../../../src/intake/commands/verbs.ts";
import type { ConversationLine } from "../../../../src/journal/lines.ts";
import { NOON } from "../../../support/permission-lab.ts";
import { foreign } from "../../tools/support/lab.ts";
import { buttonsOf, commandLab, type LabOptions, SECRET, THREAD } from "./lab.ts";

const OWNED =
  "admins: [members]\nsettings: [members]\nautoApprove: { permitted: true, longest: 1h }\n";
const CHECKPOINT = "c1-0123abcd";
const CHANGES = {
  checkpoint: CHECKPOINT,
  against: "now",
  added: 0,
  removed: 0,
  changed: 1,
  changes: [{ path: "a.txt", change: "changed" as const }],
  diff: "--- a.txt\n+++ a.txt\n-one\n+two\n",
  truncated: false,
};

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

const checkpointLine = (turn = "t1"): ConversationLine => ({
  kind: "checkpoint",
  data: { turn, checkpoint: CHECKPOINT },
});

describe("what people are told", () => {
  it("help fits on a screen, without ids or names of tools", async () => {
    const { text } = await (await lab()).say("help");
    // Only an empty line ends a list of Markdown.
    expect(text).toMatch(/\n\n`help all` lists everything else/);
    expect(text.split("\n").length).toBeLessThanOrEqual(12);
    expect(text).toContain("`$ npm test`");
    expect(text).toContain("`help all`");
    expect(text).not.toMatch(/_operations|[a-z]+\.[a-z]+_/);
  });

  it("help all lists exactly the verbs that exist, and every tool", async () => {
    const { text } = await (await lab()).say("help all");
    const listed = [...text.matchAll(/^- `([a-z]+)`:/gm)].map(([, name]) => name);
    expect(listed).toEqual(verbs.map(({ name }) => name));
    for (const tool of ["file_operations", "terminal_operations", "todo_operations"]) {
      expect(text).toContain(tool);
    }
    expect(text).toContain("`$ npm test`");
    expect(text).not.toMatch(/runbook|`plan`/);
  });

  it.each(["help", "help all", "tools", "tools search read a file", "approvals", "auth", "tour"])(
    "%s ends its list before other words, as Markdown needs it",
    async (words) => {
      const own = await lab();
      const question = { conversation: THREAD, callId: "c1", prompt: "Which branch?" };
      await own.authorization.questions.ask(question, "chat:T1:alice");
      expect((await own.say(words)).text).not.toMatch(/^(?:- |\d+\. ).*\n(?!- |\d+\. |\s|$)/m);
    },
  );

  it("help tells of one verb, one tool and one operation, and says when there is nothing", async () => {
    const own = await lab();
    expect((await own.say("help terminal")).text).toContain("terminal tail [lines]");
    expect((await own.say("help file_operations")).text).toContain("read_file");
    expect((await own.say("help file_operations.read_file")).text).toContain("filePath");
    expect((await own.say("help nonsense")).text).toContain("There is no help for nonsense");
  });

  it.each(verbs.flatMap(({ forms }) => forms.map(({ usage }) => usage)))(
    "%s can be said as it is written down",
    (usage) => {
      const [verb, ...rest] = usage.split(" ");
      expect(verb).toMatch(/^[a-z]+$/);
      for (const part of rest) expect(part).toMatch(/^([a-z]+|[<[][a-z]+…?[>\]])$/);
    },
  );

  it("every verb has a form without arguments or says how it is used", async () => {
    for (const { name } of verbs) {
      const own = await lab({ policy: OWNED });
      const { outcome, text } = await own.say(name, { door: "command" });
      expect(["done", "stop"]).toContain(outcome.kind);
      expect(text, name).toMatch(/\S/);
    }
  });

  it("status tells of the turn, the queue, what waits, and the workspace", async () => {
    const own = await lab();
    expect((await own.say("status")).text).toMatch(/Turn\W+none so far[\s\S]*Workspace\W+running/);
    await own.beginTurn();
    const { text } = await own.say("status");
    expect(text).toContain("asked by Alice");
    expect(text).not.toMatch(/\bnone yet|empty|: none$|: off|nothing|\d{4}-\d\d-\d\dT/m);
    expect(text).toMatch(/Model\W+none; only direct commands/);
  });

  it("7.22 todos shows the list to whoever asks", async () => {
    const own = await lab();
    expect((await own.say("todos")).text).toContain("no todos");
    const at = NOON.toISOString();
    const item = { id: 1, title: "Look", description: "", status: "in-progress" as const };
    await own.todos.write({
      conversation: THREAD,
      items: [{ ...item, createdAt: at, updatedAt: at }],
      createdAt: at,
      updatedAt: at,
    });
    const { whispered, shown } = await own.say("todos", { door: "command" });
    expect(whispered).toMatchObject([{ kind: "todoBoard" }]);
    expect(shown).toEqual([]);
  });

  it("model says what answers, and what does not", async () => {
    const own = await lab({ model: { name: "gpt-9", check: async () => undefined } });
    expect((await own.say("model")).text).toContain("gpt-9 answers");
    await open?.[Symbol.asyncDispose]();
    expect((await (await lab()).say("model")).text).toContain("No model is configured");
  });

  it("cost sums what turns have used, and says what has no price", async () => {
    const own = await lab();
    expect((await own.say("cost")).text).toContain("cost nothing");
    const usage = { inputTokens: 1000, cachedTokens: 200, outputTokens: 50, reasoningTokens: 0 };
    const end = (turn: string, cost?: number): ConversationLine => ({
      kind: "turn.finished",
      data: {
        turn,
        outcome: "done",
        text: "",
        usage: { ...usage, ...(cost === undefined ? {} : { cost }) },
      },
    });
    await own.write(end("t1", 0.5), end("t2"));
    const { text } = await own.say("cost");
    expect(text).toContain("2,000 tokens in");
    expect(text).toContain("$0.5000");
    expect(text).toContain("price of 1 turn is not known");
  });
});

describe("files and what became of them", () => {
  it("files lists the workspace and shares one, secrets masked", async () => {
    const own = await lab();
    own.local.files.write("notes.md", "# Notes\n");
    own.local.files.write("deep/er.txt", `token ${SECRET}\n`);
    expect((await own.say("files")).text).toMatch(/deep\/[\s\S]*notes\.md/);
    const title = (text: string) => text.split("\n", 1)[0];
    expect((await own.say("files")).text).toMatch(/notes\.md {2}8 B/);
    own.local.files.write("deep/est.bin", "x".repeat(3_000));
    expect((await own.say("files list deep")).text).toMatch(/est\.bin {2}2\.9 KB/);
    expect(title((await own.say("files list deep")).text)).toContain("deep: 2 entries");
    own.local.files.write("one/only.txt", "x");
    expect(title((await own.say("files list one")).text)).toMatch(/one: 1 entry$/);
    const plain = await own.say("files get notes.md");
    expect(plain.files).toMatchObject([{ name: "notes.md" }]);
    expect(new TextDecoder().decode(plain.files[0]?.bytes)).toBe("# Notes\n");
    const masked = await own.say("files get deep/er.txt");
    expect(new TextDecoder().decode(masked.files[0]?.bytes)).not.toContain(SECRET);
    expect(masked.files[0]?.comment).toContain("masked");
  });

  it("files shows nothing from outside the workspace", async () => {
    const own = await lab();
    for (const path of ["/etc/passwd", "../../etc/passwd"]) {
      const { text, files } = await own.say(`files get ${path}`);
      expect(files).toEqual([]);
      expect(text).toContain("not in the workspace");
    }
    expect((await own.say("files get missing.txt")).files).toEqual([]);
  });

  it("undo shows the changes first, asks, and restores only then", async () => {
    const own = await lab();
    expect((await own.say("undo")).text).toContain("No turn in this thread has changed files");
    await own.write(checkpointLine());
    own.has.diff = CHANGES;
    const asked = await own.say("undo");
    expect(asked.shown).toMatchObject([{ kind: "diff", diff: expect.stringContaining("+two") }]);
    expect(own.done).toEqual([]);
    const yes = buttonsOf(asked).get("Undo all of this") ?? "";
    const done = await own.say(yes, { door: "click" });
    expect(own.done).toMatchObject([{ what: "restore", args: { checkpoint: CHECKPOINT } }]);
    expect(done.shown).toMatchObject([{ kind: "notice", text: expect.stringContaining("Undone") }]);
    expect(buttonsOf(done).get("Undo the undo …")).toContain("c9-99999999");
    expect((await own.say("audit")).text).toContain("Restoring checkpoint: ");
  });

  it("undo says how many old checkpoints had to go for the one that it keeps", async () => {
    const own = await lab();
    await own.write(checkpointLine());
    own.has.evicted = 2;
    const done = await own.say(`undo confirm ${CHECKPOINT}`);
    const text = expect.stringMatching(/Undone.* Removed 2 old checkpoints of this thread/);
    expect(done.shown).toMatchObject([{ kind: "notice", text }]);
  });

  it("what was kept of an earlier workspace is not there to go back to", async () => {
    const own = await lab();
    await own.write(checkpointLine());
    own.has.diff = CHANGES;
    own.has.checkpoints = [];
    for (const said of ["undo", "diff", "undo since 0", "diff since 0"]) {
      expect((await own.say(said)).text).toContain("No turn in this thread has changed files");
    }
    await own.write({ kind: "checkpoint", data: { turn: "t2", checkpoint: "c1-89abcdef" } });
    own.has.checkpoints = ["c1-89abcdef"];
    expect((await own.say("undo since 0")).text).toContain("+two");
  });

  it("diff shows the same without asking, and nothing where nothing changed", async () => {
    const own = await lab();
    await own.write(checkpointLine());
    expect((await own.say("diff")).text).toBe("ℹ️ The last turn changed no files.");
    own.has.diff = CHANGES;
    expect((await own.say("diff")).text).toContain("+two");
  });

  it("undo and reset wait for the turn that is under way", async () => {
    const own = await lab();
    await own.beginTurn();
    await own.write(checkpointLine());
    for (const said of ["undo", `undo confirm ${CHECKPOINT}`, "reset", "reset confirm"]) {
      expect((await own.say(said)).text).toContain("A turn is running");
    }
    expect(own.done).toEqual([]);
    expect(own.removed).toEqual([]);
  });

  it("reset asks first, is on record, and then removes the workspace", async () => {
    const own = await lab();
    const asked = await own.say("reset", { door: "command" });
    expect(own.removed).toEqual([]);
    await own.say(buttonsOf(asked).get("Remove the workspace") ?? "", { door: "click" });
    expect(own.removed).toEqual([THREAD]);
    expect((await own.say("audit")).text).toContain("Workspace reset");
    expect((await own.say("reset")).text).toContain("no workspace yet");
  });

  it("keep keeps the workspace, and keep off does not", async () => {
    const own = await lab();
    await own.say("keep");
    await own.say("keep off");
    expect(own.kept).toEqual([true, false]);
  });
});

describe("permissions", () => {
  it("4.17 auth lists what holds, and revokes one operation or all", async () => {
    const own = await lab();
    const give = (operation: string) =>
      own.authorization.grants.give(THREAD, {
        operation,
        scope: { kind: "unprivileged" },
        approvers: ["chat:T1:bob"],
        shown: "",
        oneTime: false,
      });
    await give("file_operations.create_file");
    await give("terminal_operations.run_command");
    expect((await own.say("auth")).text).toMatch(/create_file[\s\S]*run_command/);
    await own.say("auth revoke file_operations.create_file");
    expect((await own.say("auth list")).text).not.toContain("create_file");
    expect((await own.say("auth revoke all")).text).toContain("1 permission revoked");
    expect((await own.say("auth")).text).toContain("No permissions are active");
    expect((await own.say("auth revoke all")).text).toContain("no such permission");
  });

  it("4.23 auth auto is announced, only for those who may, and off by default", async () => {
    const own = await lab({ policy: OWNED });
    expect((await own.say("auth")).text).toContain("Auto-approve is off");
    const on = await own.say("auth auto on 10", { door: "command" });
    expect(on.shown).toMatchObject([
      { kind: "notice", level: "warning", text: expect.stringContaining("Auto-approve is on") },
    ]);
    expect(await own.authorization.autoApprove.isOn(THREAD)).toBe(true);
    await own.say("auth auto off");
    expect(await own.authorization.autoApprove.isOn(THREAD)).toBe(false);
    await open?.[Symbol.asyncDispose]();
    const other = await lab();
    const refused = await other.say("auth auto on");
    expect(refused.text).toContain("listed under admins in the policy");
    expect(await other.authorization.autoApprove.isOn(THREAD)).toBe(false);
  });

  it("approvals tells what waits, for whom and since when", async () => {
    const own = await lab();
    expect((await own.say("approvals")).text).toContain("Nothing is waiting for a decision");
    const question = { conversation: THREAD, callId: "c1", prompt: "Which branch?" };
    await own.authorization.questions.ask(question, "chat:T1:alice");
    const { text } = await own.say("approvals");
    expect(text).toContain("Which branch?");
    expect(text).toMatch(/Question for alice, asked (just now|at|.* ago)/i);
    expect(text).not.toMatch(/chat:T1|\d{4}-\d\d-\d\dT/);
  });
});

describe("what is kept for a thread", () => {
  it("9.10 memory finds, lists and forgets only after a second word", async () => {
    const own = await lab({ policy: OWNED });
    expect((await own.say("memory")).text).toContain("Nothing is remembered");
    await own.deps.memories.collections(THREAD);
    await storeMemory(own, THREAD, "The staging database is called heron");
    expect((await own.say("memory list")).text).toContain("1 memory");
    expect((await own.say("memory search staging database")).text).toContain("heron");
    const asked = await own.say("memory clear");
    expect((await own.deps.memories.collections(THREAD)).total).toBe(1);
    await own.say(buttonsOf(asked).get("Forget all 1") ?? "", { door: "click" });
    expect((await own.deps.memories.collections(THREAD)).total).toBe(0);
  });

  it("9.2 topic join changes whose memory is used, and status shows it", async () => {
    const own = await lab({ policy: OWNED });
    expect((await own.say("topic")).text).toContain("no topic");
    await own.say("topic join Infra");
    const { topic = "" } = await own.deps.choices.of(THREAD);
    expect(topic).toBe("topic:chat:T1:infra");
    await storeMemory(own, topic, "Deploys happen on Tuesday");
    expect((await own.say("memory search deploys tuesday")).text).toContain("Tuesday");
    expect((await own.say("status")).text).toMatch(/Topic\W+infra/);
    await own.say("topic leave");
    expect((await own.say("memory search deploys tuesday")).text).toContain("No memory matches");
  });

  it("8.9 after a reset nothing counts as stored just now, and what was stored stays", async () => {
    const own = await lab({ policy: OWNED });
    const { memories } = own.deps as unknown as { memories: Memories };
    const memory = { conversation: THREAD, content: "On Tuesday.", contentType: "fact" } as const;
    await memories.store(THREAD, memory);
    expect(await memories.recent(THREAD, THREAD)).toHaveLength(1);
    await own.say("reset confirm");
    expect(await memories.recent(THREAD, THREAD)).toEqual([]);
    expect((await memories.collections(THREAD)).total).toBe(1);
  });

  it("15.16 prompt and mini are chosen per thread", async () => {
    const own = await lab({ policy: OWNED });
    await own.say("prompt use reviewer");
    expect((await own.say("prompt list")).text).toMatch(/reviewer\W+\(in use\)/);
    expect((await own.say("prompt use nobody")).text).toContain("There is no system prompt nobody");
    await own.say("mini enable brief");
    expect((await own.say("mini")).text).toMatch(/brief\W+\(on\)/);
    await own.say("mini disable brief");
    expect((await own.say("mini")).text).toMatch(/brief\W+\(off\)/);
    await own.say("prompt use default");
    expect(await own.deps.choices.of(THREAD)).toEqual({ minis: [], minisOff: ["brief"] });
    const changes = (await own.deps.audit.forConversation(THREAD)).map(({ entry }) =>
      entry.kind === "setting.changed" ? [entry.setting, entry.to] : [],
    );
    expect(changes).toEqual([
      ["prompt", "reviewer"],
      ["mini brief", "on"],
      ["mini brief", "off"],
      ["prompt", "default"],
    ]);
  });

  it("shell is chosen per thread, shown in status and recorded [16.10]", async () => {
    const own = await lab({ policy: OWNED });
    expect((await own.say("shell")).text).toContain("terminals use bash");
    expect((await own.say("status")).text).not.toContain("Shell");
    const { text } = await own.say("shell fish");
    expect(text).toContain("terminals use fish, starting with the next command");
    expect(text).toContain("keeps its directory, but not its variables and functions");
    expect((await own.say("shell")).text).toContain("terminals use fish");
    expect((await own.say("status")).text).toMatch(/Shell\W+fish/);
    expect((await own.say("shell tcsh")).text).toContain("shell <name>");
    expect(await own.deps.choices.of(THREAD)).toEqual({ minis: [], shell: "fish" });
    await own.say("shell bash");
    expect(await own.deps.choices.of(THREAD)).toEqual({ minis: [] });
    const changes = (await own.deps.audit.forConversation(THREAD)).map(({ entry }) =>
      entry.kind === "setting.changed" ? [entry.setting, entry.from, entry.to] : [],
    );
    expect(changes).toEqual([
      ["shell", "bash", "fish"],
      ["shell", "fish", "bash"],
    ]);
  });

  it("15.16 people write mini prompts of their own for a thread, and take them away again", async () => {
    const own = await lab({ policy: OWNED });
    await own.say("mini add Ship-It Say `shipped`\nwhen it is live.");
    expect((await own.say("mini")).text).toMatch(/ship-it\W+on, here only\W+Say .shipped. when it/);
    await own.say("mini add ship-it Say it twice.");
    expect((await own.deps.choices.of(THREAD)).ownMinis).toEqual([
      { id: "ship-it", text: "Say it twice." },
    ]);
    await own.say("mini disable ship-it");
    expect((await own.say("mini")).text).toMatch(/ship-it\W+off/);
    expect((await own.say("mini add brief Use few words.")).text).toContain("already");
    expect((await own.say("mini remove brief")).text).toContain("mini disable");
    expect((await own.say(`mini add long ${"x".repeat(4001)}`)).text).toContain("4000");
    await own.say("mini remove ship-it");
    expect(await own.deps.choices.of(THREAD)).toEqual({ minis: [] });
    for (let number = 0; number < 20; number += 1) await own.say(`mini add m${number} Do it.`);
    expect((await own.say("mini add one-more Do it.")).text).toContain("Remove one first");
  });

  it("15.16 a mini prompt that was written in one thread is not there in another", async () => {
    const own = await lab({ policy: OWNED });
    await own.say("mini add secret-plan Only here.");
    const elsewhere = await own.deps.prompts.miniPrompts("chat:C1:another");
    expect(elsewhere.map(({ id }) => id)).toEqual(["brief"]);
  });

  it("tools lists what there is at that moment [13.10]", async () => {
    const own = await lab({ policy: OWNED });
    expect((await own.say("tools")).text).not.toContain("forecasts.tomorrow");
    own.registry.register(probeTool("weather_report", "Tells the weather of a town."));
    expect((await own.say("tools")).text).toContain("weather_report`: Tells the weather");
    const report = foreign("forecasts", "tomorrow", async () => ({ text: "" }));
    own.registry.replaceServerTools("forecasts", [report]);
    expect((await own.say("tools")).text).toContain("forecasts.tomorrow`");
    own.registry.replaceServerTools("forecasts", []);
    expect((await own.say("tools")).text).not.toContain("forecasts.tomorrow");
  });

  it.each([
    ["commit", "build_and_version_control.git_commit"],
    ["rename a file", "file_operations.rename_file"],
    ["RUN COMMAND", "terminal_operations.run_command"],
    ["weather of a town", "weather_report"],
  ])("tools search %s finds %s first [16.15]", async (words, key) => {
    const own = await lab({ policy: OWNED });
    own.registry.register(probeTool("weather_report", "Tells the weather of a town."));
    const { text } = await own.say(`tools search ${words}`);
    expect(/`([\w.]+)`/.exec(text)?.[1]).toBe(key);
  });

  it("tools search says so when nothing fits [16.15]", async () => {
    const own = await lab({ policy: OWNED });
    expect((await own.say("tools search xylophone")).text).toContain("No tool matches");
  });

  it("settings are listed and set, and each change is on record", async () => {
    const own = await lab({ policy: OWNED });
    expect((await own.say("settings")).text).toContain("maxIterations");
    await own.say("settings set maxIterations 9");
    expect((await own.deps.settings.load(THREAD)).maxIterations).toBe(9);
    expect((await own.say("tools settings")).text).toMatch(/maxIterations\W+9\W+\(changed\)/);
    expect((await own.say("settings set maxIterations many")).text).toContain("a number");
    expect((await own.say("settings set nonsense on")).text).toContain("no setting");
    expect((await own.say("audit")).text).toContain("Setting maxIterations changed");
  });
});

function probeTool(name: string, description: string): RunnableTool {
  const operation = {
    summary: "a probe",
    params: z.object({}),
    repeat: "safe",
    level: "safe",
    category: "web",
    line: () => "Probing",
  } as const;
  return {
    definition: { name, description, single: true, operations: { [name]: operation } },
    run: async () => ({ text: "" }),
  };
}

async function storeMemory({ deps }: Lab, scope: string, content: string): Promise<void> {
  const memories = deps.memories as unknown as {
    store(scope: string, memory: object): Promise<unknown>;
  };
  await memories.store(scope, { conversation: THREAD, content, contentType: "fact" });
}
