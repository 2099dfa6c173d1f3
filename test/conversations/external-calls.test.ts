import { describe, expect, it } from "vitest";
import { call, say } from "../support/model-server/replies.ts";
import { order, script } from "../support/subagents.ts";
import { Talk } from "../support/talk.ts";

const ask = () => call("user_collaboration", { prompt: "Which port?", context: "There are two." });
let programs = 0;

/** What a schedule or another program says in the thread: nobody sits there. */
async function drive(talk: Talk, text: string): Promise<void> {
  programs += 1;
  await talk.rig.people.deliver({
    id: `external-${programs}`,
    thread: talk.thread,
    actor: { platform: "memory", id: talk.ada.id, kind: "member", groups: [] },
    actorName: talk.ada.name,
    channel: "C1",
    isChannelMember: true,
    at: new Date().toISOString(),
    type: "message",
    messageId: `m-external-${programs}`,
    text,
    isMention: true,
    isDirect: false,
    attachments: [],
    isExternalCall: true,
  });
}

describe.each(["chat", "responses"] as const)(
  "15.17 a turn that a program asks for over %s",
  (wire) => {
    it("4.25 1.46 is not offered the question tool, and a question asked anyway gets no answer", async () => {
      await using talk = await Talk.start({ wire });
      talk.model.script([ask(), say("Tell me the port with the next request.")]);
      await drive(talk, "start the server");
      await talk.sees("Tell me the port");
      await talk.rests();
      const [first, second] = talk.model.requests;
      expect(first?.tools).not.toContain("user_collaboration");
      expect(first?.tools).toContain("todo_operations");
      expect(second?.tools).toEqual(first?.tools);
      const [result] = second?.results ?? [];
      expect(result?.text).toMatch(
        /User input required\.[\s\S]*There are two\.[\s\S]*Which port\?/,
      );
      expect(talk.cards("question")).toEqual([]);
    });
  },
);

describe("15.17 where a program has asked", () => {
  it("a human who joins in can be asked", async () => {
    await using talk = await Talk.start();
    const run = { operation: "run_command", command: talk.held() };
    talk.model.script([call("terminal_operations", run), ask(), say("Port 80 it is.")]);
    await drive(talk, "start the server");
    await talk.sees(/let-go/);
    await talk.say("ask me, if anything");
    await talk.letGo();
    await talk.sees("❓ Question");
    await talk.say("80", { mention: false });
    await talk.sees("Port 80 it is.");
    expect(talk.model.requests.map(({ tools }) => tools.includes("user_collaboration"))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("its subagents ask nobody, either", async () => {
    await using talk = await Talk.start();
    talk.model.script([call(...order("scout")), say("The scout is back.")]);
    script(talk, "scout", [ask(), say("Nobody told me the port.")]);
    await drive(talk, "send somebody");
    await talk.sees("The scout is back.");
    expect(talk.cards("question")).toEqual([]);
    const asked = talk.model.requests.filter(({ users }) => users.join().includes("[scout]"));
    expect(asked.at(-1)?.results[0]?.text).toContain("User input required.");
    expect(asked[0]?.tools).not.toContain("user_collaboration");
  });

  it("it survives a restart: still nobody is asked", async () => {
    await using talk = await Talk.start();
    const run = { operation: "run_command", command: "sleep 1" };
    talk.model.script([call("terminal_operations", run), ask(), say("Tell me the port.")]);
    await drive(talk, "start the server");
    await talk.sees(/sleep 1/);
    await talk.restart();
    await talk.sees("Tell me the port.");
    expect(talk.cards("question")).toEqual([]);
  });
});
