import { describe, expect, it } from "vitest";
import { call, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

const run = (command: string) => call("terminal_operations", { operation: "run_command", command });

const edit = (talk: Talk, messageId: string, text: string, by = talk.ada) =>
  talk.rig.people.edit(by, talk.thread, messageId, text);

async function written(talk: Talk, kind: string, times: number): Promise<void> {
  const count = async () => (await talk.lines()).filter((one) => one === kind).length;
  await until(async () => (await count()) === times, `${times} lines of ${kind}`);
}

/** A bot that is busy with a command until it is let go, and a message that waits behind it. */
async function busy(talk: Talk, waiting: string): Promise<string> {
  await talk.rests();
  const begun = talk.workspaces.begun.length;
  const messages = (await talk.lines()).filter((kind) => kind === "message").length;
  await talk.say(`$ ${talk.held()}; echo the first is done`);
  await until(() => talk.workspaces.begun.length > begun, "the command");
  const { messageId } = await talk.say(waiting);
  await written(talk, "message", messages + 2);
  return messageId;
}

/** What the model was told in a request, all of it. */
const told = (talk: Talk, request: number) => talk.model.requests[request]?.users.join("\n") ?? "";

describe("a message that is edited before anything was begun with it", () => {
  it("is taken with its new words, and nobody is asked with the old ones", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("Blue.")]);
    const messageId = await busy(talk, "paint it red");
    await edit(talk, messageId, "paint it blue");
    await talk.letGo();
    await talk.sees("Blue.");
    await talk.rests();
    expect(talk.model.requests).toHaveLength(1);
    expect(told(talk, 0)).toContain("paint it blue");
    expect(told(talk, 0)).not.toContain("red");
  });

  it("runs the command that it says now", async () => {
    await using talk = await Talk.start({ withoutModel: true });
    const messageId = await busy(talk, "$ echo wrong >> effects");
    await edit(talk, messageId, "$ echo right >> effects; echo written");
    await talk.letGo();
    await talk.sees("written");
    await talk.rests();
    expect(talk.workspaces.of(talk.thread).files.read("effects")).toBe("right\n");
  });

  it("becomes a command, or words, as it now reads", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("You are welcome.")]);
    const messageId = await busy(talk, "$ echo wrong >> effects");
    await edit(talk, messageId, "thank you");
    await talk.letGo();
    await talk.sees("You are welcome.");
    expect(told(talk, 0)).toContain("thank you");
    const other = await busy(talk, "say something");
    await edit(talk, other, "$ echo right >> effects; echo written");
    await talk.letGo();
    await talk.sees("written");
    await talk.rests();
    expect(talk.workspaces.of(talk.thread).files.read("effects")).toBe("right\n");
    expect(talk.model.requests).toHaveLength(1);
  });

  it("is answered at once where it has become a verb, and nothing else comes of it", async () => {
    await using talk = await Talk.start();
    talk.model.script(() => say("never said"));
    const messageId = await busy(talk, "say something");
    await edit(talk, messageId, "status");
    await talk.sees("**Turn**");
    await talk.letGo();
    await talk.sees("the first is done");
    await talk.rests();
    expect(talk.model.requests).toEqual([]);
  });

  it("ends what is under way where it has become a stop", async () => {
    await using talk = await Talk.start();
    await talk.say("$ sleep 60");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    const { messageId } = await talk.say("say something");
    await written(talk, "message", 2);
    await edit(talk, messageId, "stop");
    await talk.sees("Stopped by ");
    await talk.rests();
    expect(talk.model.requests).toEqual([]);
  });

  it("stays what it was when somebody else says to have edited it", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("Red.")]);
    const messageId = await busy(talk, "paint it red");
    const said = await edit(talk, messageId, "paint it black", talk.bob);
    await until(() => talk.rig.people.isAcknowledged(said), "the edit");
    await talk.letGo();
    await talk.sees("Red.");
    expect(told(talk, 0)).not.toContain("black");
  });
});

describe("a message that is edited while its turn runs", () => {
  it("is told to the model in the next request, with who has edited it", async () => {
    await using talk = await Talk.start();
    talk.model.script([run(talk.held()), say("Blue.")]);
    const { messageId } = await talk.say("paint it red");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await edit(talk, messageId, "paint it green");
    await written(talk, "message.edited", 1);
    await edit(talk, messageId, "paint it blue");
    await talk.letGo();
    await talk.sees("Blue.");
    await talk.rests();
    expect(talk.model.requests).toHaveLength(2);
    expect(told(talk, 1)).toMatch(
      new RegExp(`from="${talk.ada.name}">\\nI edited my message. It now says: paint it blue`),
    );
    expect(told(talk, 1)).not.toContain("green");
    expect(talk.model.problems).toEqual([]);
  });

  it("is not told where only a preview was added", async () => {
    await using talk = await Talk.start();
    talk.model.script([run(talk.held()), say("Red.")]);
    const { messageId } = await talk.say("paint it red");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    const said = await edit(talk, messageId, "paint it red");
    await until(() => talk.rig.people.isAcknowledged(said), "the edit");
    await talk.letGo();
    await talk.sees("Red.");
    await talk.rests();
    expect(await talk.lines()).not.toContain("message.edited");
  });

  it("starts no second run of a command that has begun, and its author is told", async () => {
    await using talk = await Talk.start({ withoutModel: true });
    const { messageId } = await talk.say(`$ echo once >> effects; ${talk.held()}`);
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await edit(talk, messageId, "$ echo twice >> effects");
    await talk.hears("has already started");
    await talk.letGo();
    await until(async () => (await talk.lines()).includes("turn.shown"), "the end");
    await talk.rests();
    expect(talk.workspaces.begun).toHaveLength(1);
    expect(talk.workspaces.of(talk.thread).files.read("effects")).toBe("once\n");
  });
});

describe("a message that is deleted", () => {
  it("before anything was begun with it is not taken up, and everybody can see that", async () => {
    await using talk = await Talk.start();
    talk.model.script(() => say("never said"));
    const messageId = await busy(talk, "paint it red");
    await talk.rig.people.remove(talk.ada, talk.thread, messageId);
    await talk.sees(`A message of ${talk.ada.name} was deleted before I started on it`);
    await talk.letGo();
    await talk.sees("the first is done");
    await talk.rests();
    expect(talk.model.requests).toEqual([]);
    expect(talk.texts().filter((text) => text.includes("was deleted"))).toHaveLength(1);
  });

  it("while its turn runs is told to the model in the next request, and starts nothing by itself", async () => {
    await using talk = await Talk.start();
    talk.model.script([run(talk.held()), say("I leave it, then.")]);
    const { messageId } = await talk.say("paint it red");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await talk.rig.people.remove(talk.bob, talk.thread, messageId);
    await talk.letGo();
    await talk.sees("I leave it, then.");
    await talk.rests();
    expect(talk.model.requests).toHaveLength(2);
    expect(told(talk, 1)).toContain("My message was deleted from the thread");
    expect(talk.model.problems).toEqual([]);
  });

  it("while its command runs is answered with what can be done", async () => {
    await using talk = await Talk.start({ withoutModel: true });
    const { messageId } = await talk.say(`$ ${talk.held()}; echo the end`);
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await talk.rig.people.remove(talk.ada, talk.thread, messageId);
    await talk.hears("has already started");
    await talk.letGo();
    await talk.sees("the end");
  });

  it("after it was over changes nothing", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("Red.")]);
    const { messageId } = await talk.say("paint it red");
    await talk.sees("Red.");
    await talk.rests();
    const lines = await talk.lines();
    for (const said of [
      await edit(talk, messageId, "paint it blue"),
      await talk.rig.people.remove(talk.ada, talk.thread, messageId),
    ]) {
      await until(() => talk.rig.people.isAcknowledged(said), "the event");
    }
    await talk.rests();
    expect(await talk.lines()).toEqual(lines);
    expect(talk.model.requests).toHaveLength(1);
  });
});

describe("what people said to each other", () => {
  it("reaches the model as it reads by then, and not at all where it was deleted", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("Red."), say("Blue.")]);
    await talk.say("paint it red");
    await talk.sees("Red.");
    const plain = { mention: false, by: talk.bob } as const;
    const changed = await talk.say("I would take green", plain);
    const deleted = await talk.say("what a fool Ada is", plain);
    await written(talk, "overheard", 2);
    await edit(talk, changed.messageId, "I would take blue", talk.bob);
    await talk.rig.people.remove(talk.bob, talk.thread, deleted.messageId);
    await written(talk, "message.deleted", 1);
    await talk.say("do what Bob says");
    await talk.sees("Blue.");
    expect(told(talk, 1)).toContain("I would take blue");
    expect(told(talk, 1)).not.toMatch(/green|fool/);
  });
});
