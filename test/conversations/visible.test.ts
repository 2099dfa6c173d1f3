import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { LocalWorkspaces } from "../support/local-workspaces.ts";
import { call, disconnect, type Reply, say } from "../support/model-server/replies.ts";
import { startModelServer } from "../support/model-server.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";
import { WholeBot } from "../support/whole-bot.ts";

const run = (command: string) => call("terminal_operations", { operation: "run_command", command });
const add = (title: string) =>
  call("todo_operations", { operation: "add", newTodos: [{ title, description: title }] });
const OUTSIDE = { operation: "create_file", filePath: "../outside.txt", content: "x" };

const kinds = (talk: Talk) =>
  talk.posts().map(({ view, files }) => view?.kind ?? files.map(({ name }) => name).join());

describe("what people see of a turn", () => {
  it("15.10 7.19 is one card, one board, one message for each question and one answer, however much happens", async () => {
    await using talk = await Talk.start();
    const titles = ["Look", "Think", "Write", "Test", "Tell"];
    talk.model.script([
      ...titles.map(add),
      run("echo one"),
      run("echo two"),
      call("file_operations", OUTSIDE),
      say("All of it is done."),
    ]);
    await talk.say("do all of it");
    await talk.press("Approve once");
    await talk.sees("All of it is done.");
    await talk.rests();
    expect(kinds(talk).sort()).toEqual(["activity", "approval", "reply", "todoBoard"]);
    const { deeds } = talk.rig.platform;
    const board = talk.posts().find(({ view }) => view?.kind === "todoBoard");
    const posted = deeds.filter(({ what, post }) => what === "post" && post === board?.post);
    expect(posted).toHaveLength(1);
    expect(board?.text).toContain("0/5");
    for (const title of titles) expect(board?.text).toContain(title);
  });

  it("is the place in the queue for a workspace, as long as it waits for one, in each turn anew", async () => {
    await using talk = await Talk.start();
    for (const turn of ["first", "second"]) {
      const { promise, resolve } = Promise.withResolvers<void>();
      talk.workspaces.inUse = promise;
      talk.model.script([run("echo here"), say(`The ${turn} is done.`)]);
      await talk.say(`do the ${turn}`);
      await talk.sees("number 1 in the queue");
      resolve();
      await talk.sees(`The ${turn} is done.`);
      await talk.rests();
      expect(talk.texts().join()).not.toContain("in the queue");
    }
    const left = talk.texts().filter((text) => text.includes("no longer waits"));
    expect(left).toHaveLength(2);
  });

  it("says for whom a question is, until it is answered", async () => {
    await using talk = await Talk.start();
    talk.model.script([call("user_collaboration", { prompt: "Which colour?" }), say("So be it.")]);
    await talk.say("paint it");
    await talk.sees(`❓ Question for ${talk.ada.name}`);
    await talk.restart();
    await talk.sees(`❓ Question for ${talk.ada.name}`);
    await talk.say("green", { mention: false });
    await talk.sees("So be it.");
    await talk.rests();
    const card = talk.posts().find(({ view }) => view?.kind === "question")?.text;
    expect(card).toMatch(/^❓ Question\n/);
    expect(card).toContain(`Answered by ${talk.ada.name}`);
  });

  it("says in `approvals` who asked, when, and who can decide", async () => {
    await using talk = await Talk.start();
    talk.model.script([call("file_operations", OUTSIDE), say("Left as it was.")]);
    await talk.say("write outside");
    await talk.sees("Approval needed");
    await talk.say("approvals");
    await talk.sees(
      new RegExp(`\`, asked by ${talk.ada.name} (?:just now|.* ago|at .*), waiting for `),
    );
    await talk.press("Deny");
    await talk.sees("Left as it was.");
  });

  it("is at most six messages of the tour", async () => {
    await using talk = await Talk.start();
    await talk.say("tour");
    await talk.sees("May I create files here");
    await talk.press("Approve");
    await talk.sees("Answered");
    await talk.rests();
    expect(kinds(talk).length, kinds(talk).join()).toBeLessThanOrEqual(6);
  });

  it("7.19 7.22 is the board that `todos` shows, only to the person who asks", async () => {
    await using talk = await Talk.start();
    talk.model.script([add("Look"), add("Write"), say("Planned.")]);
    await talk.say("plan it");
    await talk.sees("Planned.");
    await talk.rests();
    await talk.rig.people.command(talk.bob, talk.thread, "todos");
    await until(() => talk.whispers(talk.bob).length === 1, "the list");
    const lines = (text = "") => text.split("\n").filter((line) => /Look|Write|0\/2/.test(line));
    const board = talk.posts().find(({ view }) => view?.kind === "todoBoard");
    expect(lines(board?.text)).not.toEqual([]);
    expect(lines(talk.whispers(talk.bob)[0])).toEqual(lines(board?.text));
    expect(talk.whispers()).toEqual([]);
  });

  it("7.19 is a board that can stop the turn, as long as there is one", async () => {
    await using talk = await Talk.start();
    const board = () => talk.posts().find(({ view }) => view?.kind === "todoBoard");
    const stops = () => board()?.buttons.some(({ label }) => label === "Stop");
    const edits = () =>
      talk.rig.platform.deeds.filter(({ what, post }) => what === "edit" && post === board()?.post);
    talk.model.script([add("Look"), call("file_operations", OUTSIDE), say("Written.")]);
    await talk.say("write outside");
    await talk.sees("Approval needed");
    await talk.rests();
    expect([stops(), edits()]).toEqual([true, []]);
    await talk.press("Deny");
    await talk.sees("Written.");
    await talk.rests();
    expect([stops(), edits().length]).toEqual([false, 1]);
    await talk.restart();
    talk.model.script([run(talk.held()), say("Slept.")]);
    await talk.say("sleep");
    await until(() => stops() === true, "the board with its button");
    await talk.letGo();
    await talk.sees("Slept.");
    await talk.rests();
    expect(stops()).toBe(false);
    expect(board()?.text).toContain("0/1");
  });

  it("7.19 is a board that offers no stop after a restart, where the turn ended without it", async () => {
    await using talk = await Talk.start();
    const board = () => talk.posts().find(({ view }) => view?.kind === "todoBoard");
    talk.model.script([add("Look"), run(talk.held()), say("Slept.")]);
    await talk.say("sleep");
    await until(() => board()?.buttons.some(({ label }) => label === "Stop") === true, "the board");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await talk.rig.people.faults.disconnect();
    await talk.letGo();
    await until(async () => (await talk.lines()).includes("turn.finished"), "the end");
    await talk.bot[Symbol.asyncDispose]();
    talk.rig.platform.isConnected = true;
    expect(board()?.buttons.some(({ label }) => label === "Stop")).toBe(true);
    await talk.startBot();
    await talk.sees("Slept.");
    await talk.rests();
    expect(board()?.buttons.map(({ label }) => label)).toEqual(["Todos", "Terminal", "Diff"]);
  });

  it("13.4 stays in its own thread, also when two run at the same time", async () => {
    await using talk = await Talk.start();
    const other = await talk.rig.people.newThread();
    talk.model.script(({ results, users }) => {
      const where = users.join().includes("the blue one") ? "blue" : "red";
      return results.length === 0 ? run(`sleep 0.2; echo printed ${where}`) : say(`Done ${where}.`);
    });
    await talk.say("do it with the red one");
    await talk.rig.people.say(talk.ada, other, "do it with the blue one");
    const texts = (thread: string) =>
      talk.rig.platform
        .posts(thread)
        .map(({ text }) => text)
        .join("\n");
    await talk.sees("Done red.");
    await until(() => texts(other).includes("Done blue."), "the other answer");
    await talk.rests();
    expect(texts(talk.thread)).toContain("printed red");
    expect(texts(talk.thread)).not.toContain("blue");
    expect(texts(other)).toContain("printed blue");
    expect(texts(other)).not.toContain("red");
  });

  it("15.13 is a long answer in parts and in order, its code blocks closed and opened again", async () => {
    await using talk = await Talk.start();
    const line = (number: number) => `console.log("line number ${number}");`;
    const code = Array.from({ length: 340 }, (_, number) => line(number));
    const text = ["Here it is:", "```js", ...code, "```", "That is all."].join("\n");
    expect(text.length).toBeGreaterThan(10_000);
    talk.model.script([say(text)]);
    await talk.say("show me");
    await talk.sees("That is all.", 45_000);
    await talk.rests();
    const parts = talk.texts();
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(part.match(/```/g)?.length ?? 0).toBe(2);
    const read = [...parts.join("\n").matchAll(/line number (\d+)/g)].map(([, number]) => number);
    expect(read).toEqual(code.map((_, number) => String(number)));
  });

  it.each<[string, readonly Reply[], string]>([
    ["was stopped", [say("Once upon a time there was a bot.", { paceMs: 200 })], "Stopped by "],
    ["broke off", Array(5).fill(disconnect(say("Once upon a time there was"), 6)), "broke off"],
  ])("15.24 is an answer that is known to be over, also where it %s", async (_, replies, end) => {
    await using talk = await Talk.start();
    talk.model.script(replies);
    await talk.say("tell me a story");
    await talk.sees("Once");
    if (end === "Stopped by ") await talk.say("stop");
    await talk.sees(end);
    await talk.rests();
    const answers = talk.posts().flatMap(({ view }) => (view?.kind === "reply" ? [view] : []));
    expect(answers).toMatchObject([{ text: expect.stringContaining("Once"), isFinal: true }]);
  });

  it("15.24 is the whole answer in the end, although edits were refused while it was written", async () => {
    await using talk = await Talk.start();
    const text = Array.from({ length: 60 }, (_, number) => `word${number}`).join(" ");
    talk.model.script([say(text, { paceMs: 10, chunkSizes: [40] })]);
    await talk.say("tell me");
    await talk.sees("word1");
    for (let times = 0; times < 3; times += 1) talk.rig.people.faults.refuseNext(50);
    await talk.sees("word59");
    await talk.rests();
    expect(talk.texts()).toEqual([expect.stringContaining(text)]);
  });
});

describe("an image that was made", () => {
  const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(64, 7)]);

  it("13.5 15.8 is shown in the thread as a file, once, and is in the workspace", async () => {
    const server = createServer((_, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data: [{ b64_json: PNG.toString("base64") }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const workspaces = new LocalWorkspaces();
    const model = await startModelServer();
    const bot = await WholeBot.start({
      env: {
        ...model.env,
        IMAGE_BASE_URL: `http://127.0.0.1:${port}/v1`,
        IMAGE_MODEL: "gpt-image-1",
      },
      workspaces: workspaces.port,
    });
    try {
      const room = await bot.room();
      model.script([call("image_generation", { prompt: "a red ship" }), say("There it is.")]);
      await room.say("draw a ship");
      await room.sees("There it is.");
      await until(() => room.posts().some(({ files }) => files.length > 0), "the image");
      await room.ends(1);
      const [file, ...others] = room.posts().flatMap(({ files }) => files);
      expect(others).toEqual([]);
      expect(file?.name).toMatch(/^a-red-ship-\w+\.png$/);
      expect(Buffer.from(file?.bytes ?? []).equals(PNG)).toBe(true);
      expect(existsSync(workspaces.of(room.thread).files.path(`images/${file?.name}`))).toBe(true);
    } finally {
      await bot[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      workspaces[Symbol.dispose]();
      server.close();
    }
  });
});
