import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { docker, startEngine, type TestEngine } from "../support/engine.ts";
import type { Room } from "../support/room.ts";
import { until } from "../support/until.ts";
import { WholeBot } from "../support/whole-bot.ts";

describe("a bot without a model, in a real workspace", () => {
  let engine: TestEngine;
  let bot: WholeBot;
  /** For stories that do not mind what went on in the thread before. */
  let room: Room;
  beforeAll(async () => {
    engine = await startEngine();
    bot = await WholeBot.start({ workspaces: engine.workspaces });
    room = await bot.room();
  });
  afterAll(async () => {
    await bot[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
  });

  /** Gives a command privately, and waits for the part of its answer that says this. */
  async function answerTo(place: Room, words: string, expected: RegExp): Promise<string> {
    const before = place.whispers().length;
    await bot.rig.people.command(place.ada, place.thread, words);
    const found = () =>
      place
        .whispers()
        .slice(before)
        .find((text) => expected.test(text));
    await until(() => found() !== undefined, `${words}: ${expected}`, {
      seen: () => place.whispers().slice(before).join("\n---\n"),
    });
    return found() ?? "";
  }

  /** Runs a human's own command, and waits until its turn is over. */
  async function runs(place: Room, words: string): Promise<void> {
    const before = await count(place, "turn.shown");
    await place.say(words);
    await place.ends(before + 1);
  }

  const count = async (place: Room, kind: string) =>
    (await place.lines()).filter((line) => line === kind).length;

  const inWorkspace = async (place: Room, text: string) =>
    docker("exec", await engine.containerOf(place.thread), "sh", "-c", text);

  it("$ runs in the thread's terminal and shows what came of it, with its exit code", async () => {
    await runs(room, "$ cd /tmp && echo hello-$((40 + 2))");
    await room.sees("hello-42");
    await runs(room, "$ pwd; ls /nowhere");
    expect(await room.sees("/tmp\n")).toContain("No such file");
    expect(await room.sees(/exit code 2/)).toContain("ls /nowhere");
  });

  it("runs a thread's commands in the shell that its people choose [16.10]", async () => {
    const own = await bot.room();
    await runs(own, "$ cd /tmp");
    await own.say("shell fish");
    await own.sees(/use fish, starting with the next command/);
    await runs(own, '$ echo "fish-$FISH_VERSION in $PWD"');
    await own.sees(/fish-3\.\d+\.\d+ in \/tmp/);
    await own.sees(/This ran in fish instead of bash/);
    await answerTo(own, "status", /Shell\W+fish/);
    // Another thread keeps its own.
    await runs(room, '$ echo "other-$FISH_VERSION."');
    await room.sees("other-.\n");
    // What bash would read differently is asked about, and the card names the shell.
    await own.say("$ echo (string upper loud)");
    await own.sees("Runs in fish.");
  });

  it("a call of an operation does what it would do for the model", async () => {
    const own = await bot.room();
    await runs(own, 'file_operations.create_file filePath=notes.md content=@"one\\ntwo\\n"');
    expect(await inWorkspace(own, "cat /workspace/notes.md")).toBe("one\ntwo");
    await own.say("files get notes.md");
    await until(() => own.posts().some(({ files }) => files.length > 0), "the file");
    const [file] = own.posts().flatMap(({ files }) => files);
    expect(file?.name).toBe("notes.md");
    expect(new TextDecoder().decode(file?.bytes)).toBe("one\ntwo\n");
  });

  it("15.7 the history can be read, pointed at, and given to whoever asks", async () => {
    const own = await bot.room();
    await runs(own, "$ for i in $(seq 60); do echo row-$i; done");
    await answerTo(own, "terminal history", /row-60/);
    await answerTo(own, "terminal history 2", /row-1\n/);
    expect(await answerTo(own, "terminal tail 3", /row-60/)).not.toContain("row-40");
    await answerTo(own, "terminal select 2-3", /Selected/);
    await runs(own, "terminal_operations.get_terminal_selection");
    await own.sees(/row-1/);
  });

  it("6.8 resize reaches the live terminal", async () => {
    await answerTo(room, "terminal resize 33 77", /33 rows/);
    await runs(room, "$ stty size");
    await room.sees("33 77");
  });

  it("6.10 kill ends what was left running, confirmed from outside", async () => {
    await runs(room, "$ (setsid sleep 71234 &) ; true");
    const running = async () => (await inWorkspaceTop(room)).includes("sleep 71234");
    expect(await running()).toBe(true);
    await answerTo(room, "terminal kill", /Everything in the workspace was stopped/);
    expect(await running()).toBe(false);
  });

  it("stop ends a direct command, and nothing of it is left", async () => {
    const before = await count(room, "turn.shown");
    await room.say("$ sleep 71235");
    await until(async () => (await inWorkspaceTop(room)).includes("sleep 71235"), "it");
    await room.say("stop");
    await room.ends(before + 1);
    expect(await inWorkspaceTop(room)).not.toContain("sleep 71235");
  });

  it("terminal send answers a program that waits, while its turn goes on", async () => {
    const before = await count(room, "call.started");
    await room.say("$ read -r answer; echo got:$answer");
    await until(async () => (await count(room, "call.started")) > before, "the command");
    // The shell has to be at its `read` before anything is typed.
    const workspace = () => bot.core.openWorkspace(room.thread);
    await until(
      async () => (await (await workspace()).terminals()).some(({ state }) => state === "busy"),
      "the program",
    );
    await room.say("terminal send forty-two");
    await room.sees("got:forty-two");
  });

  it("undo shows what the last turn changed, asks, and takes it back", async () => {
    const own = await bot.room();
    await runs(own, "$ echo one > kept.txt");
    await runs(own, "$ echo two > kept.txt; echo new > new.txt");
    await own.say("undo");
    const shown = await own.sees("+two");
    expect(shown).toContain("-one");
    expect(await inWorkspace(own, "cat /workspace/kept.txt")).toBe("two");
    await own.press("Undo all of this");
    await own.sees("Undone");
    expect(await inWorkspace(own, "cat /workspace/kept.txt; ls /workspace")).toBe("one\nkept.txt");
  });

  it("reset removes the workspace after a second word", async () => {
    await runs(room, "$ echo x > x.txt");
    await room.say("reset");
    await room.press("Remove the workspace");
    await room.sees("The workspace was removed");
    expect(await engine.containerOf(room.thread)).toBe("");
  });

  it("the tour runs for real: a plan, a file, a command, an approval, the changes and back", async () => {
    const own = await bot.room();
    await own.say("tour");
    await own.sees("Guided tour");
    await own.press("Approve");
    await own.ends(5, 60_000);
    expect(await inWorkspace(own, "cat /workspace/tour/greeting.txt")).toContain("Hello from");
    await own.sees("Todos 2/2");
    await own.press("Undo …");
    await until(() => own.whispers().some((text) => text.includes("greeting.txt")), "the changes");
    const whisper = bot.rig.platform
      .posts(own.thread)
      .find(
        ({ only, buttons }) => only && buttons.some(({ label }) => label === "Undo all of this"),
      );
    const action = whisper?.buttons.find(({ label }) => label === "Undo all of this")?.action ?? "";
    await bot.rig.people.click(own.ada, own.thread, { post: whisper?.post ?? "", action });
    await own.sees("Undone");
    expect(await inWorkspace(own, "ls /workspace")).toBe("");
    expect(bot.problems).toEqual([]);
  });

  async function inWorkspaceTop(place: Room): Promise<string> {
    return docker("top", await engine.containerOf(place.thread), "-eo", "pid,args");
  }
});
