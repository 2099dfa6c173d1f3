import { describe, expect, it } from "vitest";
import { call, calls, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

const todos = (...titles: readonly string[]) => ({
  operation: "add",
  newTodos: titles.map((title) => ({ title, description: title })),
});
const run = (command: string) =>
  ["terminal_operations", { operation: "run_command", command }] as const;
const OUTSIDE = { operation: "create_file", filePath: "../outside.txt", content: "x" };

const faults = (talk: Talk) => talk.rig.people.faults;
const boards = (talk: Talk) => talk.posts().filter(({ view }) => view?.kind === "todoBoard");
const turnCards = (talk: Talk) => talk.posts().filter(({ view }) => view?.kind === "activity");
const written = (talk: Talk, kind: string) =>
  until(async () => (await talk.lines()).includes(kind), `a line ${kind}`);

/** Every message that can be seen, and how often the platform was given a new one. */
function seen(talk: Talk) {
  const { deeds } = talk.rig.platform;
  const posts = deeds.filter(({ what, thread }) => what === "post" && thread === talk.thread);
  return { posted: posts.length, visible: talk.posts().map(({ post }) => post) };
}

/** A turn that has a board and waits for an approval. */
async function waiting(talk: Talk): Promise<void> {
  talk.model.script([
    call("todo_operations", todos("Look", "Write")),
    call("file_operations", OUTSIDE),
    say("It is written."),
  ]);
  await talk.say("write outside");
  await talk.sees("Approval needed");
  await talk.sees(/0\/2/);
  await talk.rests();
  await until(() => turnCards(talk)[0]?.text.includes("✋") === true, "the card that waits");
}

describe("a platform that comes back", () => {
  it("13.8 during a turn shows the board, the cards and the question as they are by then, each once", async () => {
    await using talk = await Talk.start();
    talk.model.script([
      calls([["todo_operations", todos("Look")], [...run(talk.held())]]),
      call("todo_operations", todos("Write")),
      call("file_operations", OUTSIDE),
      say("It is written."),
    ]);
    await talk.say("write outside");
    await talk.sees(/0\/1/);
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await faults(talk).disconnect();
    await talk.letGo();
    await written(talk, "call.waiting");
    expect(boards(talk)[0]?.text).toContain("0/1");
    await faults(talk).reconnect();
    await talk.sees(/0\/2/);
    await talk.sees("Approval needed");
    await until(() => turnCards(talk)[0]?.text.includes("✋") === true, "the card that waits");
    await talk.press("Approve once");
    await talk.sees("It is written.");
    await talk.rests();
    expect([boards(talk).length, turnCards(talk).length, talk.cards("approval").length]).toEqual([
      1, 1, 1,
    ]);
    expect(talk.cards("approval")[0]?.text).toContain("Approved");
    expect(turnCards(talk)[0]?.buttons).toEqual([]);
  });

  it("13.8 while a turn waits doubles nothing, and the buttons of before still work", async () => {
    await using talk = await Talk.start();
    await waiting(talk);
    const before = seen(talk);
    const [card] = talk.cards("approval");
    for (let times = 0; times < 3; times += 1) {
      await faults(talk).disconnect();
      await faults(talk).reconnect();
    }
    await talk.rests();
    expect(seen(talk)).toEqual(before);
    const action = card?.buttons.find(({ label }) => label === "Approve once")?.action ?? "";
    await talk.rig.people.click(talk.ada, talk.thread, { post: card?.post ?? "", action });
    await talk.sees("It is written.");
  });

  it("13.8 brings back what was deleted while it was away", async () => {
    await using talk = await Talk.start();
    await waiting(talk);
    await faults(talk).disconnect();
    for (const { post } of [...talk.cards("approval"), ...boards(talk)]) {
      await faults(talk).deletePost(talk.thread, post);
    }
    expect(boards(talk)).toEqual([]);
    await faults(talk).reconnect();
    await talk.sees(/0\/2/);
    await talk.press("Approve once");
    await talk.sees("It is written.");
    await talk.rests();
    expect([boards(talk).length, talk.cards("approval").length]).toEqual([1, 1]);
  });

  it("13.8 says at once what had to wait for it, however long it was away", async () => {
    await using talk = await Talk.start();
    talk.model.script([call("terminal_operations", run(talk.held())[1]), say("Here is the end.")]);
    await talk.say("work");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await faults(talk).disconnect();
    await talk.letGo();
    await written(talk, "turn.finished");
    // By now the next attempt is seconds away.
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    await faults(talk).reconnect();
    await talk.sees("Here is the end.", 6_000);
  });

  it("of another name concerns nobody here", async () => {
    await using talk = await Talk.start();
    await waiting(talk);
    const edits = () => talk.rig.platform.deeds.filter(({ what }) => what === "edit").length;
    const before = edits();
    await talk.bot.conversations.restore("elsewhere");
    expect(edits()).toBe(before);
    await talk.bot.conversations.restore("memory");
    await until(() => edits() > before, "the board and the cards anew");
  });
});

describe("a bot that starts", () => {
  it("13.8 5.12 shows the question that its forerunner could not show any more", async () => {
    await using talk = await Talk.start();
    talk.model.script([
      call("terminal_operations", run(talk.held())[1]),
      call("file_operations", OUTSIDE),
      say("It is written."),
    ]);
    await talk.say("write outside");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await faults(talk).disconnect();
    await talk.letGo();
    await written(talk, "call.waiting");
    await talk.rests();
    await talk.restart();
    expect(talk.cards("approval")).toEqual([]);
    await faults(talk).reconnect();
    await talk.press("Approve once");
    await talk.sees("It is written.");
    expect(talk.cards("approval")).toHaveLength(1);
  });

  it("13.8 brings a board up to date that its forerunner had left behind, and asks what it had no time to ask", async () => {
    await using talk = await Talk.start();
    talk.model.script([
      call("todo_operations", todos("Look")),
      call("terminal_operations", run(talk.held())[1]),
      call("todo_operations", todos("Write")),
      call("file_operations", OUTSIDE),
      say("It is written."),
    ]);
    await talk.say("write outside");
    await talk.sees(/0\/1/);
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await faults(talk).disconnect();
    await talk.letGo();
    await written(talk, "call.waiting");
    await talk.bot[Symbol.asyncDispose]();
    talk.rig.platform.isConnected = true;
    expect(boards(talk)[0]?.text).toContain("0/1");
    await talk.startBot();
    await talk.sees(/0\/2/);
    await talk.sees("Approval needed");
    expect(boards(talk)).toHaveLength(1);
  });

  it("leaves alone what is over", async () => {
    await using talk = await Talk.start();
    await waiting(talk);
    await talk.press("Approve once");
    await talk.sees("It is written.");
    await talk.rests();
    for (let starts = 0; starts < 2; starts += 1) {
      await talk.restart();
      await until(
        async () => (await talk.store.documents("waiting-turns").keys()).length === 0,
        "nothing to wait for",
      );
    }
    const { posted } = seen(talk);
    const { deeds } = talk.rig.platform;
    const before = deeds.length;
    await talk.restart();
    await talk.rests();
    expect(seen(talk).posted).toBe(posted);
    expect(deeds).toHaveLength(before);
  });
});
