import { describe, expect, it } from "vitest";
import { call, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

const run = (command: string) => call("terminal_operations", { operation: "run_command", command });
const plain = { mention: false } as const;

/** Waits until so many messages were heard, whomever they were for. */
async function heard(talk: Talk, messages: number): Promise<void> {
  const count = async () => (await talk.lines()).filter((kind) => kind === "received").length;
  await until(async () => (await count()) >= messages, `${messages} messages to be heard`);
  await talk.rests();
}

const turns = async (talk: Talk) =>
  (await talk.lines()).filter((kind) => kind === "turn.started").length;

describe("a thread of one person and the bot", () => {
  it("takes what follows without a mention, once for each message", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("Red."), say("Blue."), say("Green.")]);
    await talk.say("paint it red");
    await talk.sees("Red.");
    const said = await talk.say("no, blue", plain);
    await talk.sees("Blue.");
    await talk.rig.people.redeliver(said);
    await talk.say("or green", plain);
    await talk.sees("Green.");
    await talk.rests();
    expect(talk.model.requests).toHaveLength(3);
    expect(talk.model.requests[2]?.users.join("\n")).toMatch(
      /paint it red[\s\S]*no, blue[\s\S]*or green/,
    );
    expect(talk.whispers()).toEqual([]);
  });

  it("steers and stops without a mention", async () => {
    await using talk = await Talk.start();
    talk.model.script([run(talk.held()), run("sleep 60"), say("never said")]);
    await talk.say("wait");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await talk.say("a little longer", plain);
    await talk.letGo();
    await until(() => talk.workspaces.begun.length === 2, "the second command");
    expect(talk.model.requests[1]?.users.join("\n")).toContain("a little longer");
    await talk.say("stop", plain);
    await talk.sees("Stopped by ");
  });

  it("goes on so after a restart", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("Red."), say("Blue.")]);
    await talk.say("paint it red");
    await talk.sees("Red.");
    await talk.rests();
    await talk.restart();
    await talk.say("no, blue", plain);
    await talk.sees("Blue.");
  });

  it("answers verbs and runs direct commands without a mention", async () => {
    await using talk = await Talk.start({ withoutModel: true });
    await talk.say("status");
    await talk.sees("none so far");
    await talk.say("$ echo hello there", plain);
    await talk.sees("hello there");
  });

  it("needs a first mention: before that nothing is heard, and nothing kept", async () => {
    await using talk = await Talk.start();
    await talk.say("stop", plain);
    const said = await talk.say("lunch?", plain);
    await until(() => talk.rig.people.isAcknowledged(said), "the message");
    await talk.rests();
    expect(await talk.lines()).toEqual([]);
    expect(talk.texts()).toEqual([]);
  });

  it("is not made by a slash command: whoever uses one has not spoken to the bot", async () => {
    await using talk = await Talk.start();
    talk.model.script(() => say("never said"));
    await talk.rig.people.command(talk.ada, talk.thread, "status");
    await until(() => talk.whispers().length === 1, "the status");
    await talk.say("thanks, Bob", plain);
    await heard(talk, 2);
    expect(await turns(talk)).toBe(0);
    expect(talk.whispers()).toHaveLength(1);
  });

  it("is a direct conversation in any case, whoever else writes there", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("Red."), say("Blue."), say("Green.")]);
    talk.thread = await talk.rig.people.newThread("direct");
    await talk.say("paint it red", plain);
    await talk.sees("Red.");
    await talk.say("blue", { ...plain, by: talk.bob });
    await talk.sees("Blue.");
    await talk.say("green", plain);
    await talk.sees("Green.");
  });
});

describe("a thread of several people", () => {
  it("takes only mentions from the moment when a second person writes, and says so once to whoever was alone", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("Red."), say("Blue.")]);
    await talk.say("paint it red");
    await talk.sees("Red.");
    await talk.say("nice", { ...plain, by: talk.bob });
    await talk.say("do you like it, Bob?", plain);
    await talk.say("or shall it be green?", plain);
    await heard(talk, 4);
    expect(await turns(talk)).toBe(1);
    expect(talk.whispers()).toEqual([expect.stringContaining("only respond when mentioned")]);
    expect(talk.whispers(talk.bob)).toEqual([]);
    expect(talk.texts()).toHaveLength(1);
    await talk.say("blue, please", { by: talk.bob });
    await talk.sees("Blue.");
  });

  it("gives what was said meanwhile to the model with the next mention, as quotes and in order", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("Red."), say("Blue."), say("Done.")]);
    await talk.say("paint it red");
    await talk.sees("Red.");
    await talk.say("I would take blue", { ...plain, by: talk.bob });
    await talk.say("so would I", plain);
    await heard(talk, 3);
    await talk.say("do what we agreed on");
    await talk.sees("Blue.");
    await talk.say("and now?");
    await talk.sees("Done.");
    const [, second, third] = talk.model.requests.map(({ users }) => users.join("\n"));
    const quote = (name: string, text: string) =>
      `<quoted-message from="${name}">\n${text}\n</quoted-message>`;
    expect(second).toContain(quote(talk.bob.name, "I would take blue"));
    expect(second).toContain(quote(talk.ada.name, "so would I"));
    expect(second).toMatch(/take blue[\s\S]*so would I[\s\S]*agreed on/);
    expect(third?.split("I would take blue")).toHaveLength(2);
  });

  it("does not let words without a mention stop anything, or be a verb or a command", async () => {
    await using talk = await Talk.start();
    talk.model.script([run(talk.held()), say("Ended by itself.")]);
    await talk.say("wait a second");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await talk.say("stop", { ...plain, by: talk.bob });
    await talk.say("stop", plain);
    await talk.say("help", { ...plain, by: talk.bob });
    await talk.say("$ echo never", plain);
    await talk.letGo();
    await talk.sees("Ended by itself.");
    await heard(talk, 5);
    expect(talk.workspaces.begun).toHaveLength(1);
    expect(talk.texts().join("\n")).not.toMatch(/Stopped|never|runbook/);
    expect(talk.model.requests).toHaveLength(2);
    expect(talk.model.requests[1]?.text).not.toContain("echo never");
  });

  it("is one also where others had written before the bot was called", async () => {
    await using talk = await Talk.start();
    talk.model.script(() => say("I see."));
    await talk.say("prod is down", { ...plain, by: talk.bob });
    await talk.say("what happened?");
    await talk.sees("I see.");
    await talk.say("Bob, did you restart it?", plain);
    await heard(talk, 2);
    expect(await turns(talk)).toBe(1);
    // Nobody was ever alone here, so nothing has changed that anybody would have to be told.
    expect(talk.whispers()).toEqual([]);
  });

  it("is one also where only a verb was said to the bot so far", async () => {
    await using talk = await Talk.start();
    talk.model.script(() => say("never said"));
    await talk.say("prod is down", { ...plain, by: talk.bob });
    await talk.say("todos");
    await talk.sees(/todo/i);
    await talk.say("Bob, did you restart it?", plain);
    await heard(talk, 2);
    expect(await turns(talk)).toBe(0);
    expect(talk.model.requests).toEqual([]);
  });

  it("is none because of other bots", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("Red."), say("Blue.")]);
    const robot = talk.rig.people.person({ kind: "bot" });
    await talk.say("build 17 is green", { ...plain, by: robot });
    await talk.say("paint it red");
    await talk.sees("Red.");
    await talk.say("build 18 is green", { ...plain, by: robot });
    await talk.say("no, blue", plain);
    await talk.sees("Blue.");
  });

  it("is one also when the second is a guest, whose words stay unheard", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("Red."), say("Blue.")]);
    const guest = talk.rig.people.person({ kind: "guest" });
    await talk.say("paint it red");
    await talk.sees("Red.");
    await talk.say("secret plans of a guest", { ...plain, by: guest });
    await talk.say("what do you mean?", plain);
    await heard(talk, 3);
    expect(await turns(talk)).toBe(1);
    await talk.say("blue, please");
    await talk.sees("Blue.");
    expect(talk.model.requests[1]?.text).toContain("what do you mean?");
    expect(talk.model.requests[1]?.text).not.toContain("secret plans");
    expect(talk.whispers(guest)).toEqual([]);
  });
});
