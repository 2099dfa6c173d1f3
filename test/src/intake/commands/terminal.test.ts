import { afterEach, describe, expect, it } from "vitest";
import { NOT_JOURNALED } from "../../../../src/contract/tools/call-journal.ts";
import { NOON, person } from "../../../support/permission-lab.ts";
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

const messageData = {
  author: "chat:T1:alice",
  name: "Alice",
  at: NOON.toISOString(),
  attachments: [],
  mode: "turn" as const,
};

const recorded = (session_id: string, shells: Readonly<Record<string, string>>) => ({
  session_id,
  working_directory: "/workspace",
  rows: 24,
  cols: 80,
  shells: Object.entries(shells).map(([created, output]) => ({ created, output })),
});

describe("15.7 the thread's terminal", () => {
  it.each([
    ["message", "for everybody", { files: 1, privateFiles: 0 }],
    ["command", "for whoever asked", { files: 0, privateFiles: 1 }],
    ["click", "for whoever asked", { files: 0, privateFiles: 1 }],
  ] as const)("a file that is asked for by %s is %s", async (door, _, expected) => {
    const own = await lab();
    own.has.history = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join("\n");
    const words = door === "click" ? "verb:terminal" : "terminal history";
    const { files, privateFiles } = await own.say(words, { door });
    expect({ files: files.length, privateFiles: privateFiles.length }).toEqual(expected);
  });

  it("says how to get the file where the platform has no private files", async () => {
    const own = await lab({ cannotWhisperFiles: true });
    own.has.history = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join("\n");
    const { files, shown, text } = await own.say("terminal history", { door: "command" });
    expect([...files, ...shown]).toEqual([]);
    expect(text).toContain("mention me with the same command");
  });

  it("history is shown page by page with its lines numbered, and whole as a file", async () => {
    const own = await lab();
    own.has.history = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join("\n");
    const first = await own.say("terminal history", { door: "command" });
    expect(first.whispered).toMatchObject([{ title: "Terminal, lines 61-100 of 100" }]);
    // A private answer has a private file.
    expect(first.files).toEqual([]);
    expect(first.privateFiles.map(({ name }) => name)).toEqual(["terminal.txt"]);
    expect(new TextDecoder().decode(first.privateFiles[0]?.bytes)).toContain("line 1\nline 2\n");
    const older = buttonsOf(first).get("Older") ?? "";
    const second = await own.say(older, { door: "click" });
    expect(second.whispered).toMatchObject([{ title: "Terminal, lines 21-60 of 100" }]);
    expect((await own.say("terminal history 9")).text).toContain("3 pages");
  });

  it("secrets are masked in what is shown and in the file", async () => {
    const own = await lab();
    own.has.history = `${SECRET}\n${"x\n".repeat(200)}echo ${SECRET}`;
    const { text, files } = await own.say("terminal");
    const file = new TextDecoder().decode(files[0]?.bytes);
    expect(text + file).not.toContain(SECRET);
    expect(text).toContain("OPERATOR_TOKEN");
    expect(file).toContain("OPERATOR_TOKEN");
  });

  it.each([
    ["stopped", "terminal", "Terminal (asleep), lines 1-2 of 2", "one\ntwo"],
    ["stopped", "terminal history", "Terminal (asleep), lines 1-2 of 2", "one\ntwo"],
    ["absent", "terminal tail 1", "Terminal (asleep), the last 1 line of 2", "two"],
    ["absent", "terminal select 1-1", "Selected, lines 1-1; the agent can read them now", "one"],
  ] as const)(
    "of a workspace that is %s, %s shows the recorded output without waking it",
    async (state, words, title, text) => {
      const own = await lab({ workspace: () => Promise.reject(new Error("it was woken")) });
      own.known.state = state;
      own.known.recorded = [recorded(THREAD, { old: "one\n", newer: "two\n" })];
      expect((await own.say(words)).shown).toMatchObject([{ title, text }]);
    },
  );

  it.each(["terminal send ls", "terminal resize 10 20", "terminal close"])(
    "%s does not wake a workspace that sleeps",
    async (words) => {
      const own = await lab({ workspace: () => Promise.reject(new Error("it was woken")) });
      own.known.state = "stopped";
      expect((await own.say(words)).text).toContain("No terminal is open");
    },
  );

  it("masks the recorded output again, for secrets that came later", async () => {
    const own = await lab();
    own.known.state = "stopped";
    own.known.recorded = [recorded(THREAD, { old: `echo ${SECRET}` })];
    expect((await own.say("terminal")).text).toContain("OPERATOR_TOKEN");
  });

  it("of a workspace that was woken has what earlier shells have shown", async () => {
    const own = await lab();
    own.has.history = "now\n";
    const shells = { old: "before\n", [NOON.toISOString()]: "now, as it was recorded\n" };
    own.known.recorded = [recorded(THREAD, shells)];
    expect((await own.say("terminal")).shown).toMatchObject([{ text: "before\nnow" }]);
  });

  it("tail shows the last lines", async () => {
    const own = await lab();
    own.has.history = "one\ntwo\nthree\n";
    expect((await own.say("terminal tail 2")).shown).toMatchObject([{ text: "two\nthree" }]);
  });

  it("send types a line at once, although a turn is under way", async () => {
    const own = await lab();
    await own.beginTurn();
    const { outcome, shown } = await own.say("terminal send ls -l");
    expect(outcome).toEqual({ kind: "done" });
    expect(own.done.at(-1)).toMatchObject({
      what: "send_input",
      args: { session_id: THREAD, input: "ls -l\r" },
    });
    expect(shown).toMatchObject([{ kind: "terminal", text: "typed" }]);
  });

  it("refuses to send a line that needs an approval and says how to run it", async () => {
    const guest = person("carol", { kind: "guest" });
    const own = await lab({ people: [person("alice"), guest] });
    const { text } = await own.say("terminal send sudo rm -rf /etc");
    expect(text).toContain("fresh shell");
    expect(own.done).toEqual([]);
  });

  it("6.8 resize takes positive, bounded sizes", async () => {
    const own = await lab();
    expect((await own.say("terminal resize 40 120")).text).toContain("40 rows and 120 columns");
    expect(own.done.at(-1)).toMatchObject({ what: "resize", args: { rows: 40, cols: 120 } });
    expect((await own.say("terminal resize 9999 80")).text).toContain("at most 1000");
    expect((await own.say("/terminal resize 0 80")).text).toContain("terminal resize");
    expect(own.done).toHaveLength(1);
  });

  it("6.10 kill ends everything and says what would be left", async () => {
    const own = await lab();
    expect((await own.say("terminal kill")).text).toContain(
      "Everything in the workspace was stopped",
    );
    own.has.processes = [{ pid: 7, ppid: 1, state: "D", command: "stuck" }];
    expect((await own.say("terminal kill")).text).toContain("7 stuck");
  });

  it("2.28 select gives the agent what a person points at, until a message quotes something else", async () => {
    const own = await lab();
    own.has.history = "one\ntwo\nthree\nfour";
    const select = async () => {
      const outcome = await own.toolbox.runCall(
        { name: "terminal_operations.get_terminal_selection", arguments: {} },
        {
          conversation: THREAD,
          initiatedBy: "model",
          signal: new AbortController().signal,
          workspace: async () => own.workspace,
          offer: own.toolbox.offer({
            conversation: THREAD,
            settings: await own.deps.settings.load(THREAD),
          }),
          asks: false,
          journal: NOT_JOURNALED,
        },
      );
      if (outcome.outcome !== "finished") throw new Error("it waits");
      return outcome.result;
    };
    const nothing = await select();
    expect(nothing).toMatchObject({ success: true });
    expect(nothing.output.additionalData).toMatchObject({
      selection: "",
      message: expect.stringContaining("Nothing is selected"),
    });
    await own.say("terminal select 2-3");
    expect((await select()).output.additionalData).toMatchObject({ selection: "two\nthree" });
    await own.beginTurn();
    expect(await own.selected(THREAD)).toBe("two\nthree");
    const quoting = { event: "q", messageId: "q", text: "what is this?", pointedAt: "the quote" };
    await own.write(
      { kind: "message", data: { ...messageData, ...quoting } },
      { kind: "turn.steered", data: { turn: "t1", messages: ["q"] } },
    );
    expect(await own.selected(THREAD)).toBe("the quote");
    expect((await own.say("terminal select 9-12")).text).toContain("lines from 1 to 4");
  });

  it("without a terminal, a workspace or Docker it says what to do", async () => {
    const own = await lab();
    own.has.hasTerminal = false;
    expect((await own.say("terminal")).text).toContain("No terminal is open");
    await open?.[Symbol.asyncDispose]();
    expect((await (await lab({ isEmpty: true })).say("terminal")).text).toContain(
      "no workspace yet",
    );
    await open?.[Symbol.asyncDispose]();
    const bare = await lab({ hasNoDocker: true });
    expect((await bare.say("terminal")).text).toContain("Docker");
    expect((await bare.say("status")).text).toContain("no Docker");
  });
});
