import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { Posted } from "../../src/contract/conversation/event.ts";
import { type Documents, type Store, StoreError } from "../../src/contract/store.ts";
import { call, say } from "../support/model-server/replies.ts";
import { OwnClock } from "../support/own-clock.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

const ask = (prompt: string, more: object = {}) => call("user_collaboration", { prompt, ...more });

const DAY_MS = 24 * 60 * 60_000;

describe("a question of the model", () => {
  it("5.6 5.7 is answered by a plain reply of the requester, and that is no new request", async () => {
    await using talk = await Talk.start();
    const events: Posted[] = [];
    talk.bot.hub.observe((event) => void events.push(event), talk.thread);
    talk.model.script([ask("Which port?", { context: "There are two." }), say("Port 80 it is.")]);
    await talk.say("start the server");
    const card = await talk.sees("❓ Question");
    expect(card.indexOf("Which port?")).toBeLessThan(card.indexOf("There are two."));
    expect(card).toContain("Waiting for your response");
    await talk.sees(/✋.*Asking/s);
    await talk.say("what is this about?", { mention: false, by: talk.bob });
    await talk.say("80", { mention: false });
    await talk.sees("Port 80 it is.");
    await talk.rests();
    expect(talk.cards("question")[0]?.text).toContain("Answered by");

    const [, second] = talk.model.requests;
    expect(second?.results[0]?.text).toContain("The user answered: 80");
    expect(second?.users.join("\n")).not.toContain(">\n80\n<");
    expect(second?.users.at(-1)).toContain("continue the task");
    const told = events.map(({ type }) => type).filter((type) => type.startsWith("user"));
    expect(told).toEqual(["userInputRequired", "userResponseReceived"]);
    expect(talk.texts().filter((text) => text.includes("Port 80"))).toHaveLength(1);
  });

  it("5.9 reminds the model of the answer in the next request only", async () => {
    await using talk = await Talk.start();
    talk.model.script([
      ask("Which port?"),
      call("todo_operations", { operation: "read" }),
      say("Done."),
    ]);
    await talk.say("start the server");
    await talk.sees("❓ Question");
    await talk.say("80", { mention: false });
    await talk.sees("Done.");
    const reminded = talk.model.requests.map(({ users }) =>
      users.some((text) => text.includes("has answered your question")),
    );
    expect(reminded).toEqual([false, true, false]);
  });

  it("an answer that comes while the bot is about to rest wakes it all the same", async () => {
    await using talk = await Talk.start();
    await talk.bot[Symbol.asyncDispose]();
    await talk.startBot(
      whereWaitingTakesUntil(talk.store, async () => {
        await talk.say("80", { mention: false });
        await until(async () => (await talk.lines()).includes("question.answered"), "the answer");
        // Whoever has written it down now wants somebody to look at it.
        await sleep(100);
      }),
    );
    talk.model.script([ask("Which port?"), say("Port 80 it is.")]);
    await talk.say("start the server");
    await talk.sees("Port 80 it is.");
    expect(talk.problems).toEqual([]);
  });

  it("5.2 and 5.12 waits through a restart, and nothing is asked of the model meanwhile", async () => {
    await using talk = await Talk.start();
    talk.model.script([ask("Shall I?\n1. now\n2. tomorrow"), say("Tomorrow, then.")]);
    await talk.say("deploy");
    await talk.sees("❓ Question");
    await talk.rests();
    await talk.restart();
    expect(talk.model.requests).toHaveLength(1);
    await talk.press("tomorrow");
    await talk.sees("Tomorrow, then.");
    expect(talk.model.requests[1]?.results[0]?.text).toContain("The user answered: tomorrow");
    expect(talk.cards("question")).toHaveLength(1);
  });

  it("5.2 still waits a day later, and then goes on with the answer", async () => {
    await using talk = await Talk.start();
    talk.model.script([ask("Which port?"), say("Port 80 it is.")]);
    await talk.say("start the server");
    await talk.sees("❓ Question");
    await talk.rests();
    const today = Date.now.bind(Date);
    using clock = vi.spyOn(Date, "now").mockImplementation(() => today() + DAY_MS);
    await talk.restart();
    await talk.rests();
    expect(clock).toHaveBeenCalled();
    expect(talk.model.requests).toHaveLength(1);
    expect(talk.cards("question")[0]?.text).toContain("Waiting for your response");
    await talk.say("80", { mention: false });
    await talk.sees("Port 80 it is.");
  });

  it("5.12 answers the click on an old card within 3 s, whether its turn goes on or is over", async () => {
    await using talk = await Talk.start();
    talk.model.script([ask("Shall I?\n1. now\n2. later"), say("Now, then.")]);
    await talk.say("deploy");
    await talk.sees("❓ Question");
    await talk.rests();
    const [card] = talk.cards("question");
    const action = card?.buttons.find(({ label }) => label === "now")?.action ?? "";
    await talk.restart();
    using clock = new OwnClock();
    await talk.press("now");
    await until(() => talk.cards("question")[0]?.text.includes("Answered by") ?? false, "the card");
    expect(clock.ms).toBeLessThan(3_000);
    await talk.sees("Now, then.");
    await talk.rests();

    await talk.restart();
    const againMs = clock.ms;
    await talk.rig.people.deliver({
      id: "an-old-click",
      thread: talk.thread,
      actor: { platform: "memory", id: talk.bob.id, kind: "member", groups: [] },
      actorName: talk.bob.name,
      channel: "C1",
      isChannelMember: true,
      at: new Date().toISOString(),
      type: "click",
      action,
    });
    await talk.hears("its turn has ended", talk.bob);
    expect(clock.ms - againMs).toBeLessThan(3_000);
    expect(talk.model.requests).toHaveLength(2);
  });

  it("5.13 ends as cancelled when a person stops the turn, and permits nothing", async () => {
    await using talk = await Talk.start();
    const asked = { authorize_operation: "file_operations.delete_file" };
    talk.model.script([ask("May I read a file?", asked)]);
    await talk.say("clean up");
    const card = await talk.sees("❓ Question");
    expect(card).toContain("file_operations.delete_file");
    await talk.say("stop");
    await talk.sees("Stopped by ");
    await until(() => talk.cards("question")[0]?.text.includes("Cancelled") ?? false, "the card");
    expect(await talk.bot.authorization.grants.list(talk.thread)).toEqual([]);
    expect(talk.cards("question")[0]?.buttons).toEqual([]);
  });

  it("5.8 with a permission: the approval makes the grant, and the call needs no card of its own", async () => {
    await using talk = await Talk.start();
    const { files } = talk.workspaces.of(talk.thread);
    files.write("old.txt", "old");
    talk.model.script([
      ask("May I delete it?", { authorize_operation: "file_operations.delete_file" }),
      call("file_operations", { operation: "delete_file", filePath: "old.txt" }),
      say("Gone."),
    ]);
    await talk.say("delete old.txt");
    await talk.press("Approve");
    await talk.sees("Gone.");
    expect(talk.cards("approval")).toEqual([]);
    expect(talk.model.requests[1]?.results[0]?.text).toContain("was approved");
    expect(() => files.read("old.txt")).toThrow();
  });

  it("5.6 5.8 typed words grant the permission that it asks for, and the model reads them and goes on", async () => {
    await using talk = await Talk.start();
    const { files } = talk.workspaces.of(talk.thread);
    files.write("old.txt", "old");
    talk.model.script([
      ask("May I delete it?", { authorize_operation: "file_operations.delete_file" }),
      call("file_operations", { operation: "delete_file", filePath: "old.txt" }),
      say("Gone."),
    ]);
    await talk.say("delete old.txt");
    await talk.sees("❓ Question");
    await talk.say("Yes, proceed", { mention: false });
    await talk.sees("Gone.");
    expect(talk.cards("approval")).toEqual([]);
    expect(() => files.read("old.txt")).toThrow();
    const told = talk.model.requests[1]?.results[0]?.text ?? "";
    expect(told).toContain("Yes, proceed");
    expect(told).toContain("continue the task");
  });

  it("5.8 whose permission is denied was answered, and the operation stays forbidden", async () => {
    await using talk = await Talk.start();
    const { files } = talk.workspaces.of(talk.thread);
    const outside = files.path("../forbidden.txt");
    talk.model.script([
      ask("May I write it?", { authorize_operation: "file_operations.create_file" }),
      call("file_operations", { operation: "create_file", filePath: outside, content: "x" }),
      say("Then not."),
    ]);
    await talk.say("write it");
    await talk.press("Deny");
    await talk.sees("Approval needed");
    expect(talk.model.requests[1]?.results[0]?.text).not.toMatch(/^Error/);
    expect(await talk.bot.authorization.grants.list(talk.thread)).toEqual([]);
    await talk.press("Deny");
    await talk.sees("Then not.");
    expect(existsSync(outside)).toBe(false);
  });

  it("5.3 does not keep commands from being answered", async () => {
    await using talk = await Talk.start();
    talk.model.script([ask("Which port?"), say("Fine.")]);
    await talk.say("start the server");
    await talk.sees("❓ Question");
    await talk.say("$ echo direct");
    await talk.say("80", { mention: false });
    await talk.sees("Fine.");
    await talk.sees("direct");
  });

  it("5.10 has its answer in the history once, although it came as a message of the thread", async () => {
    await using talk = await Talk.start();
    talk.model.script([ask("Which port?"), say("Port 4711 it is."), say("You are welcome.")]);
    await talk.say("start the server");
    await talk.sees("❓ Question");
    const said = await talk.say("take 4242", { mention: false });
    await talk.sees("Port 4711 it is.");
    await talk.rig.people.redeliver(said);
    await talk.rests();
    await talk.say("thank you", { mention: false });
    await talk.sees("You are welcome.");
    const { requests } = talk.model;
    expect(requests).toHaveLength(3);
    const times = ({ users, results }: (typeof requests)[number]) =>
      [...users, ...results.map(({ text }) => text)].join("\n").split("take 4242").length - 1;
    expect(requests.map(times)).toEqual([0, 1, 1]);
  });

  it("5.10 takes an answer for nothing else when it has to be looked at again", async () => {
    await using talk = await Talk.start();
    await talk.bot[Symbol.asyncDispose]();
    let failures = 0;
    const { inbox } = talk.store;
    const finish: typeof inbox.finish = async (id, worker) => {
      const isAnswered = (await talk.lines()).includes("question.answered");
      if (isAnswered && failures === 0) {
        failures += 1;
        throw new StoreError("The store is away.");
      }
      return inbox.finish(id, worker);
    };
    await talk.startBot(withChanges(talk.store, { inbox: withChanges(inbox, { finish }) }));
    talk.model.script([ask("Which port?"), say("Port 80 it is."), say("never said")]);
    await talk.say("start the server");
    await talk.sees("❓ Question");
    await talk.rests();
    await talk.say("80", { mention: false });
    await talk.sees("Port 80 it is.");
    await talk.rests();
    expect(failures).toBe(1);
    expect(talk.model.requests).toHaveLength(2);
    expect((await talk.lines()).filter((kind) => kind === "message")).toHaveLength(1);
  });

  it("5.11 keeps its answer when that cannot be written down at first, and takes it once", async () => {
    await using talk = await Talk.start();
    await talk.bot[Symbol.asyncDispose]();
    let failures = 2;
    const append: typeof talk.store.append = async (conversation, after, lines, options) => {
      const isAnswer = lines.some(({ kind }) => kind === "question.answered");
      if (isAnswer && failures > 0) {
        failures -= 1;
        throw new StoreError("The store is away.");
      }
      return talk.store.append(conversation, after, lines, options);
    };
    await talk.startBot(withChanges(talk.store, { append }));
    talk.model.script([ask("Which port?\n1. 80\n2. 443"), say("Port 443 it is.")]);
    await talk.say("start the server");
    await talk.sees("❓ Question");
    await talk.press("443");
    await until(() => failures === 1, "the first failure");
    expect(talk.cards("question")[0]?.buttons).not.toEqual([]);
    await talk.sees("Port 443 it is.");
    expect(failures).toBe(0);
    expect((await talk.lines()).filter((kind) => kind === "question.answered")).toHaveLength(1);
  });
});

/** The same, but for what is given. */
function withChanges<Thing extends object>(thing: Thing, changes: Partial<Thing>): Thing {
  return new Proxy(thing, {
    get: (target, name) => Reflect.get(name in changes ? changes : target, name),
  });
}

/** Between the last look at the journal and the note that somebody is waited for, this happens as well. */
function whereWaitingTakesUntil(store: Store, happened: () => Promise<void>): Store {
  let isFirst = true;
  return Object.assign(Object.create(store) as Store, {
    documents: (name: string) => {
      const documents = store.documents(name);
      if (name !== "waiting-turns") return documents;
      return Object.assign(Object.create(documents) as Documents, {
        set: async (...given: Parameters<Documents["set"]>) => {
          if (isFirst) {
            isFirst = false;
            await happened();
          }
          return documents.set(...given);
        },
      });
    },
  });
}
