import { describe, expect, it, vi } from "vitest";
import type { Store } from "../../src/contract/store.ts";
import { LocalWorkspaces } from "../support/local-workspaces.ts";
import { call, calls, say } from "../support/model-server/replies.ts";
import type { SeenRequest } from "../support/model-server/seen.ts";
import { Talk } from "../support/talk.ts";
import { order, reminderNames, toldIn } from "../support/told.ts";
import { shareOfWires } from "../support/wires.ts";

const WIRES = shareOfWires(0);

const todos = (...statuses: string[]) =>
  call("todo_operations", {
    operation: "write",
    todoList: statuses.map((status, index) => ({
      id: index + 1,
      title: `Task ${index + 1}`,
      description: "d",
      status,
    })),
  });
const remember = (content: string) =>
  call("memory_operations", { operation: "store_memory", content });
const imports = (path: string) =>
  call("document_operations", { operation: "document_import", path });
const look = () => call("file_operations", { operation: "list_dir", path: "." });

const last = (talk: Talk): SeenRequest => {
  const request = talk.model.requests.at(-1);
  if (!request) throw new Error("The model was never asked.");
  return request;
};
const bodiesOf = (talk: Talk) => talk.model.requests.slice();
const textOf = (request: SeenRequest, name: string) =>
  toldIn(request).find(({ kind, text }) => kind === "reminder" && text.includes(name))?.text ?? "";

/** One turn: what the model says in it, and its end. */
async function turn(talk: Talk, words: string, replies: Parameters<Talk["model"]["script"]>[0]) {
  const before = (await talk.lines()).filter((kind) => kind === "turn.shown").length;
  talk.model.script(replies);
  await talk.say(words);
  await talk.ends(before + 1);
}

describe.each(WIRES)("reminders over the %s wire", (wire) => {
  it("8.1 8.2 8.5 are made anew for each request and stored nowhere: after ten turns there is one", async () => {
    await using talk = await Talk.start({ wire });
    await turn(talk, "begin", [todos("in-progress", "not-started"), say("Begun.")]);
    for (let number = 2; number <= 10; number += 1) {
      await turn(talk, `turn ${number}`, [say(`Answer ${number}.`)]);
    }
    expect(reminderNames(last(talk))).toEqual(["todoList", "steps"]);
    for (const { kind, text } of toldIn(last(talk))) {
      if (kind !== "reminder") expect(text).not.toContain("system-reminder");
      else expect(text).toMatch(/^<system-reminder>\n[\s\S]+\n<\/system-reminder>$/);
    }
    const kept = JSON.stringify(await talk.store.read(talk.thread));
    expect(kept).toContain("Answer 10.");
    expect(kept).not.toMatch(/system-reminder|Only todo_operations changes|This is step/);
    const { transcript } = await talk.bot.conversations.state(talk.thread);
    expect(transcript.filter(({ type }) => type === "reminder")).toEqual([]);
    expect(talk.model.problems).toEqual([]);
  });

  it("8.3 8.12 stand right before the newest message, what was stored last of all, at every step in the same order", async () => {
    await using talk = await Talk.start({ wire });
    talk.workspaces.of(talk.thread).files.write("notes.txt", "The port is 8080.");
    await talk.say("mini add terse Two sentences.");
    await talk.sees("was added and is on");
    await turn(talk, "first", [
      todos("in-progress"),
      imports("notes.txt"),
      remember("Port 8080."),
      say("A."),
    ]);
    await turn(talk, "second", [
      calls([
        ["think", { thoughts: "Hm." }],
        ["todo_operations", { operation: "read" }],
      ]),
      look(),
      say("B."),
    ]);
    const [one, two, three] = bodiesOf(talk).slice(-3);
    const before = ["miniPromptReminder", "todoList", "documents", "user"];
    for (const request of [one, two, three]) {
      const all = order(request as SeenRequest);
      expect(all.slice(all.indexOf("miniPromptReminder"))).toEqual([
        ...before,
        ...all.slice(all.lastIndexOf("user") + 1, all.lastIndexOf("steps")),
        "steps",
        "recentlyStoredMemories",
      ]);
      expect(all.filter((name) => name === "todoList")).toHaveLength(1);
    }
    expect(order(two as SeenRequest).slice(-6)).toEqual([
      "call",
      "call",
      "result",
      "result",
      "steps",
      "recentlyStoredMemories",
    ]);
    // What was sent stays as it was: only the end is new.
    const stable = (request: SeenRequest | undefined) =>
      toldIn(request as SeenRequest).slice(0, order(request as SeenRequest).lastIndexOf("steps"));
    expect(stable(two).slice(0, stable(one).length)).toEqual(stable(one));
    expect(stable(three).slice(0, stable(two).length)).toEqual(stable(two));
    expect(new Set([one, two, three].map((request) => request?.system)).size).toBe(1);
    expect(talk.model.problems).toEqual([]);
  });

  it("8.3 a list that this turn has changed stands at the end, and before the next message again", async () => {
    await using talk = await Talk.start({ wire });
    talk.workspaces.of(talk.thread).files.write("notes.txt", "The port is 8080.");
    await turn(talk, "first", [todos("not-started"), say("A.")]);
    await turn(talk, "second", [todos("in-progress"), imports("notes.txt"), say("B.")]);
    const [one, two, three] = bodiesOf(talk).slice(-3).map(order);
    expect(one?.slice(-3)).toEqual(["todoList", "user", "steps"]);
    expect(two?.slice(-4)).toEqual(["call", "result", "todoList", "steps"]);
    expect(three?.slice(-5)).toEqual(["call", "result", "todoList", "documents", "steps"]);
    expect(three?.filter((name) => name === "todoList")).toHaveLength(1);
    await turn(talk, "third", [say("C.")]);
    expect(order(last(talk)).slice(-4)).toEqual(["todoList", "documents", "user", "steps"]);
  });

  it("8.4 never stand between calls and their results, also when a person writes meanwhile", async () => {
    await using talk = await Talk.start({ wire });
    await turn(talk, "first", [todos("in-progress"), say("A.")]);
    const spoken = Promise.withResolvers<void>();
    talk.model.script(async ({ results }) => {
      if (results.length === 1) {
        return calls([
          ["think", { thoughts: "a" }],
          ["think", { thoughts: "b" }],
          ["todo_operations", { operation: "read" }],
        ]);
      }
      await spoken.promise;
      return results.length < 5 ? look() : say("Heard.");
    });
    await talk.say("second");
    await vi.waitFor(() => expect(last(talk).results).toHaveLength(4), 30_000);
    await talk.say("hurry up");
    await vi.waitFor(
      async () => expect((await talk.lines()).filter((kind) => kind === "message")).toHaveLength(3),
      30_000,
    );
    spoken.resolve();
    await talk.sees("Heard.");
    for (const request of talk.model.requests) {
      const all = order(request);
      const seen = all.join(" ");
      expect(seen).not.toMatch(/call (?!call|result)/);
    }
    const all = order(last(talk));
    expect(all.slice(all.indexOf("todoList"))).toEqual(["todoList", "user", "steps"]);
    expect(talk.model.problems).toEqual([]);
  });

  it("8.5 no todos, no reminder; three states, three texts", async () => {
    await using talk = await Talk.start({ wire });
    await turn(talk, "first", [say("A.")]);
    expect(reminderNames(last(talk))).toEqual(["steps"]);
    const texts: string[] = [];
    for (const statuses of [["not-started"], ["in-progress"], ["completed"]]) {
      await turn(talk, `now ${statuses}`, [todos(...statuses), say("Noted.")]);
      texts.push(textOf(last(talk), "<todoList>"));
    }
    expect(texts[0]).toContain("Pick the next");
    expect(texts[1]).toContain("do not mark it so again");
    expect(texts[2]).toContain("ready for new work");
  });

  it("8.6 a mini prompt is part of the request, and of the reminders from the second turn on", async () => {
    await using talk = await Talk.start({ wire });
    await talk.say("mini add terse Say it in two sentences.");
    await talk.sees("was added");
    await turn(talk, "first", [look(), say("A.")]);
    for (const request of talk.model.requests) {
      expect(reminderNames(request)).toEqual(["steps"]);
      expect(request.system).toContain("Say it in two sentences.");
    }
    await turn(talk, "second", [say("B.")]);
    expect(textOf(last(talk), "<miniPromptReminder>")).toContain("Say it in two sentences.");
    await talk.say("mini disable terse");
    await talk.sees("is off in this thread");
    await turn(talk, "third", [say("C.")]);
    expect(last(talk).text).not.toContain("Say it in two sentences.");
  });

  it("8.7 8.8 imported documents are listed once each, and after a restart as well", async () => {
    await using talk = await Talk.start({ wire });
    const { files } = talk.workspaces.of(talk.thread);
    files.write("b.txt", "Bananas.");
    const bytes = new TextEncoder().encode("Apples.");
    talk.model.script([imports("a.txt"), imports("b.txt"), imports("b.txt"), say("Read.")]);
    files.write("a.txt", "Apples.");
    await talk.say("import both", { files: [{ name: "c.txt", bytes }] });
    await talk.sees("Read.");
    await talk.rests();
    await talk.restart();
    await turn(talk, "and now?", [say("Both are there.")]);
    const text = textOf(last(talk), "Documents that were imported");
    expect(text).toMatch(/- a\.txt \(7 characters, id [0-9a-f]{8}\)/);
    expect(text.match(/- b\.txt/g)).toHaveLength(1);
    expect(text).toMatch(/Do not import them again[\s\S]*0\.2/);
    expect(text).not.toMatch(/<(?!\/?system-reminder>)/);
  });

  it("8.9 stored memories are repeated for five minutes, in their own thread only", async () => {
    vi.useFakeTimers({ toFake: ["Date"], shouldAdvanceTime: true });
    try {
      await using talk = await Talk.start({ wire });
      await turn(talk, "store it", [remember("Deploys are on Tuesday."), say("Stored.")]);
      expect(order(last(talk)).at(-1)).toBe("recentlyStoredMemories");
      expect(textOf(last(talk), "<recentlyStoredMemories>")).toContain("Deploys are on Tuesday.");
      vi.setSystemTime(Date.now() + 4 * 60_000);
      await turn(talk, "four minutes later", [say("B.")]);
      expect(reminderNames(last(talk))).toContain("recentlyStoredMemories");
      const here = talk.thread;
      talk.thread = await talk.rig.people.newThread();
      talk.model.script([say("Elsewhere.")]);
      await talk.say("in another thread");
      await talk.sees("Elsewhere.");
      expect(reminderNames(last(talk))).not.toContain("recentlyStoredMemories");
      talk.thread = here;
      vi.setSystemTime(Date.now() + 61_000);
      await turn(talk, "five minutes later", [say("C.")]);
      expect(reminderNames(last(talk))).toEqual(["steps"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("8.9 what was stored is not told of any more once the conversation is reset", async () => {
    using local = new LocalWorkspaces();
    const there = { workspace: "w", state: "running", lastUsedAt: "", keep: false } as const;
    const list = async () => [{ conversation: talk.thread, ...there }];
    await using talk = await Talk.start({ wire, workspaces: { ...local.port, list } });
    await turn(talk, "store it", [remember("Deploys are on Tuesday."), say("Stored.")]);
    expect(reminderNames(last(talk))).toContain("recentlyStoredMemories");
    await talk.rests();
    await talk.say("reset confirm");
    await talk.sees("The workspace was removed");
    await turn(talk, "and now?", [say("B.")]);
    expect(reminderNames(last(talk))).toEqual(["steps"]);
  });

  it("8.11 8.12 after an answer the request tells the model to continue, once and in its place", async () => {
    await using talk = await Talk.start({ wire });
    talk.model.script([
      remember("Port 8080."),
      call("user_collaboration", { prompt: "Which port?" }),
      look(),
      say("Done."),
    ]);
    await talk.say("start it");
    await talk.sees("Which port?");
    await talk.say("80");
    await talk.sees("Done.");
    const [, , answered, after] = talk.model.requests;
    expect(order(answered as SeenRequest).slice(-4)).toEqual([
      "result",
      "steps",
      "answer",
      "recentlyStoredMemories",
    ]);
    expect(reminderNames(after as SeenRequest)).toEqual(["steps", "recentlyStoredMemories"]);
  });

  it("8.10 the model knows which step it takes", async () => {
    await using talk = await Talk.start({ wire });
    await turn(talk, "go", [look(), say("Done.")]);
    expect(textOf(last(talk), "This is step")).toContain("2 of 50");
  });

  it("8.13 a reminder that cannot be made is left out and logged, and the request goes out", async () => {
    await using talk = await Talk.start({ wire });
    await turn(talk, "begin", [todos("in-progress"), remember("It works."), say("Begun.")]);
    await talk.rests();
    await talk.bot[Symbol.asyncDispose]();
    await talk.startBot(brokenTodos(talk.store));
    await turn(talk, "go on", [say("Gone on.")]);
    expect(reminderNames(last(talk))).toEqual(["steps", "recentlyStoredMemories"]);
    expect(talk.problems.join("\n")).toContain("A reminder could not be built");
  });
});

function brokenTodos(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (name === "last" && given[1] === "todo") throw new Error("The disk is gone.");
        return value.apply(target, given);
      };
    },
  });
}
