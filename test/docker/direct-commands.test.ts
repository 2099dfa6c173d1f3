import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { docker, startEngine, type TestEngine } from "../support/engine.ts";
import type { Room } from "../support/room.ts";
import { until } from "../support/until.ts";
import { WholeBot } from "../support/whole-bot.ts";

const PATIENCE_MS = 30_000;

describe("a bot without a model, in a real workspace", () => {
  let engine: TestEngine;
  let bot: WholeBot;
  beforeAll(async () => {
    engine = await startEngine();
    bot = await WholeBot.start({ workspaces: engine.workspaces });
  });
  afterAll(async () => {
    await bot[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
  });

  /** What was said to one person by a door that is theirs alone. */
  async function answerTo(room: Room, words: string): Promise<string> {
    const before = room.whispers().length;
    await bot.rig.people.command(room.ada, room.thread, words);
    await until(() => room.whispers().length > before, words, { withinMs: PATIENCE_MS });
    return room.whispers().at(-1) ?? "";
  }

  /** Runs a human's own command, and waits until its turn is over. */
  async function runs(room: Room, words: string): Promise<void> {
    const before = (await room.lines()).filter((kind) => kind === "turn.shown").length;
    await room.say(words);
    await room.ends(before + 1, PATIENCE_MS);
  }

  const inWorkspace = async (room: Room, text: string) =>
    docker("exec", await engine.containerOf(room.thread), "sh", "-c", text);

  it("$ runs in the thread's terminal and shows what came of it, with its exit code", async () => {
    const room = await bot.room();
    await runs(room, "$ cd /tmp && echo hello-$((40 + 2))");
    await room.sees("hello-42");
    await runs(room, "$ pwd; ls /nowhere");
    expect(await room.sees("/tmp\n")).toContain("No such file");
    expect(await room.sees(/exit code 2/)).toContain("ls /nowhere");
  });

  it("a call of an operation does what it would do for the model", async () => {
    const room = await bot.room();
    await runs(room, 'file_operations.create_file filePath=notes.md content=@"one\\ntwo\\n"');
    expect(await inWorkspace(room, "cat /workspace/notes.md")).toBe("one\ntwo");
    await room.say("files get notes.md");
    await until(() => room.posts().some(({ files }) => files.length > 0), "the file", {
      withinMs: PATIENCE_MS,
    });
    const [file] = room.posts().flatMap(({ files }) => files);
    expect(file?.name).toBe("notes.md");
    expect(new TextDecoder().decode(file?.bytes)).toBe("one\ntwo\n");
  });

  it("15.7 the history can be read, pointed at, and given to whoever asks", async () => {
    const room = await bot.room();
    await runs(room, "$ for i in $(seq 60); do echo row-$i; done");
    expect(await answerTo(room, "terminal history")).toContain("row-60");
    expect(await answerTo(room, "terminal history 2")).toMatch(/row-1\n/);
    expect(await answerTo(room, "terminal tail 3")).not.toContain("row-40");
    expect(await answerTo(room, "terminal select 2-3")).toContain("Selected");
    await runs(room, "terminal_operations.get_terminal_selection");
    await room.sees(/row-1/);
  });

  it("6.8 resize reaches the live terminal", async () => {
    const room = await bot.room();
    await runs(room, "$ true");
    expect(await answerTo(room, "terminal resize 33 77")).toContain("33 rows");
    await runs(room, "$ stty size");
    await room.sees("33 77");
  });

  it("6.10 kill ends what was left running, confirmed from outside", async () => {
    const room = await bot.room();
    await runs(room, "$ (setsid sleep 71234 &) ; true");
    const running = async () => (await inWorkspaceTop(room)).includes("sleep 71234");
    expect(await running()).toBe(true);
    expect(await answerTo(room, "terminal kill")).toContain("Nothing runs any more");
    expect(await running()).toBe(false);
  });

  it("stop ends a direct command, and nothing of it is left", async () => {
    const room = await bot.room();
    await runs(room, "$ true");
    await room.say("$ sleep 71235");
    await until(async () => (await inWorkspaceTop(room)).includes("sleep 71235"), "it", {
      withinMs: PATIENCE_MS,
    });
    await room.say("stop");
    await room.ends(2, PATIENCE_MS);
    expect(await inWorkspaceTop(room)).not.toContain("sleep 71235");
  });

  it("terminal send answers a program that waits, while its turn goes on", async () => {
    const room = await bot.room();
    await room.say("$ read -r answer; echo got:$answer");
    await until(async () => (await room.lines()).includes("call.started"), "the command", {
      withinMs: PATIENCE_MS,
    });
    // The shell has to be at its `read` before anything is typed.
    const workspace = () => bot.core.openWorkspace(room.thread);
    await until(
      async () => (await (await workspace()).terminals()).some(({ state }) => state === "busy"),
      "the program",
      { withinMs: PATIENCE_MS },
    );
    await room.say("terminal send forty-two");
    await room.sees("got:forty-two", PATIENCE_MS);
  });

  it("undo shows what the last turn changed, asks, and takes it back", async () => {
    const room = await bot.room();
    await runs(room, "$ echo one > kept.txt");
    await runs(room, "$ echo two > kept.txt; echo new > new.txt");
    await room.say("undo");
    const shown = await room.sees("+two", PATIENCE_MS);
    expect(shown).toContain("-one");
    expect(await inWorkspace(room, "cat /workspace/kept.txt")).toBe("two");
    await room.press("Undo all of this");
    await room.sees("Undone", PATIENCE_MS);
    expect(await inWorkspace(room, "cat /workspace/kept.txt; ls /workspace")).toBe("one\nkept.txt");
  });

  it("reset removes the workspace after a second word", async () => {
    const room = await bot.room();
    await runs(room, "$ echo x > x.txt");
    await room.say("reset");
    await room.press("Remove the workspace");
    await room.sees("The workspace was removed", PATIENCE_MS);
    expect(await engine.containerOf(room.thread)).toBe("");
  });

  it("the tour runs for real: a plan, a file, a command, an approval, the changes and back", async () => {
    const room = await bot.room();
    await room.say("tour");
    await room.sees("Guided tour");
    await room.press("Approve");
    await room.ends(5, 60_000);
    expect(await inWorkspace(room, "cat /workspace/tour/greeting.txt")).toContain("Hello from");
    await room.sees("2/2 completed");
    await room.press("Undo …");
    await until(
      () => room.whispers().some((text) => text.includes("greeting.txt")),
      "the changes",
      { withinMs: PATIENCE_MS },
    );
    const whisper = bot.rig.platform
      .posts(room.thread)
      .find(
        ({ only, buttons }) => only && buttons.some(({ label }) => label === "Undo all of this"),
      );
    const action = whisper?.buttons.find(({ label }) => label === "Undo all of this")?.action ?? "";
    await bot.rig.people.click(room.ada, room.thread, { post: whisper?.post ?? "", action });
    await room.sees("Undone", PATIENCE_MS);
    expect(await inWorkspace(room, "ls /workspace")).toBe("");
    expect(bot.problems).toEqual([]);
  });

  async function inWorkspaceTop(room: Room): Promise<string> {
    return docker("top", await engine.containerOf(room.thread), "-eo", "pid,args");
  }
});
