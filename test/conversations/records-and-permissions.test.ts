import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Posted } from "../../src/contract/conversation/event.ts";
import { call, calls, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

const CREATE = "file_operations.create_file";
const create = (filePath: string) =>
  ["file_operations", { operation: "create_file", filePath, content: "made" }] as const;

function outside(talk: Talk, name: string): string {
  return talk.workspaces.of(talk.thread).files.path(`../${name}`);
}

/** The records of calls of one operation, the oldest first. */
async function callsInAudit(talk: Talk, operation: string) {
  const records = await talk.bot.audit.forConversation(talk.thread, { limit: 1000 });
  return records.flatMap(({ entry }) =>
    entry.kind === "call" && entry.operation === operation ? [entry] : [],
  );
}

describe("the audit of a whole bot", () => {
  it("shows every state of a create outside the workspace that was approved, and both people [1.37]", async () => {
    const policy = "approvers: [{ who: [members], risks: [click] }]\n";
    await using talk = await Talk.start({ policy });
    const file = outside(talk, "approved.txt");
    talk.model.script([call(...create(file)), say("Written.")]);
    await talk.say("please write it");
    await talk.sees("Approval needed");
    await talk.rests();
    await talk.restart();
    await talk.press("Approve once", { by: talk.bob });
    await talk.sees("Written.");
    await talk.rests();
    expect(existsSync(file)).toBe(true);
    const isOver = async () => (await callsInAudit(talk, CREATE)).some(({ outcome }) => outcome);
    await until(isOver, "the end of the call in the audit");
    const entries = await callsInAudit(talk, CREATE);
    expect(entries.flatMap(({ states }) => states)).toEqual([
      "Queued",
      "Validating",
      "CheckingAuth",
      "AuthPending",
      "BlockingWait",
      "UserResponded",
      "CheckingAuth",
      "Executing",
      "Routing",
      "InternalTool",
      "DirectExecution",
      "Success",
      "GenerateResult",
      "AddMetrics",
      "AddEvents",
    ]);
    expect(entries.at(-1)).toMatchObject({
      actor: expect.stringContaining(talk.ada.id),
      approvers: [expect.stringContaining(talk.bob.id)],
      decision: "allowed",
      how: "asked",
      outcome: "success",
      request: expect.stringContaining("please write it"),
    });
  });

  it("shows that a denied call never ran", async () => {
    await using talk = await Talk.start();
    const file = outside(talk, "denied.txt");
    talk.model.script([call(...create(file)), say("I leave it.")]);
    await talk.say("please write it");
    await talk.press("Deny");
    await talk.sees("I leave it.");
    await talk.rests();
    const isOver = async () =>
      (await callsInAudit(talk, CREATE)).some(({ states }) => states.includes("AddEvents"));
    await until(isOver, "the end of the call in the audit");
    const states = (await callsInAudit(talk, CREATE)).flatMap((entry) => entry.states);
    expect(states).toEqual([
      "Queued",
      "Validating",
      "CheckingAuth",
      "AuthPending",
      "BlockingWait",
      "UserRejected",
      "GenerateResult",
      "AddMetrics",
      "AddEvents",
    ]);
  });
});

describe("permissions of a whole bot", () => {
  it("ask again for the next create once the granted ones are revoked [4.17]", async () => {
    await using talk = await Talk.start();
    const create3 = (name: string) => call(...create(outside(talk, name)));
    talk.model.script([create3("a.txt"), say("First.")]);
    await talk.say("write a");
    await talk.press("Approve 5 min");
    await talk.sees("First.");
    talk.model.script([create3("b.txt"), say("Second.")]);
    await talk.say("write b");
    await talk.sees("Second.");
    expect(talk.cards("approval")).toHaveLength(1);
    await talk.say("auth revoke all");
    await talk.sees(/1 permission.* revoked/);
    talk.model.script([create3("c.txt"), say("Third.")]);
    await talk.say("write c");
    await until(() => talk.cards("approval").length === 2, "the second approval");
    expect(existsSync(outside(talk, "c.txt"))).toBe(false);
    await talk.press("Deny");
    await talk.sees("Third.");
  });

  it("let a create pass while auto-approve is on, say so in the audit, and ask again when it is off [4.23]", async () => {
    await using talk = await Talk.start({
      policy: "admins: [members]\nautoApprove: { permitted: true, longest: 1h }\n",
    });
    await talk.say("auth auto on 10");
    await talk.sees("Auto-approve is on");
    talk.model.script([call(...create(outside(talk, "auto.txt"))), say("Unasked.")]);
    await talk.say("write it");
    await talk.sees("Unasked.");
    expect(talk.cards("approval")).toEqual([]);
    expect(existsSync(outside(talk, "auto.txt"))).toBe(true);
    expect((await callsInAudit(talk, CREATE)).at(-1)).toMatchObject({ how: "autoApprove" });
    await talk.say("auth auto off");
    await talk.sees("Auto-approve is off");
    talk.model.script([call(...create(outside(talk, "asked.txt"))), say("Asked.")]);
    await talk.say("write another");
    await talk.press("Deny");
    await talk.sees("Asked.");
    expect(existsSync(outside(talk, "asked.txt"))).toBe(false);
  });

  it("refuse auto-approve to people whom the policy does not name [4.23]", async () => {
    await using talk = await Talk.start();
    await talk.say("auth auto on 10");
    await talk.sees("listed under admins in the policy");
    talk.model.script([call(...create(outside(talk, "x.txt"))), say("Asked.")]);
    await talk.say("write it");
    await talk.press("Deny");
    await talk.sees("Asked.");
  });
});

describe("events of a whole bot", () => {
  it("tell the question and then the answer, each once, with call, words and conversation [5.5, 13.2, 13.3]", async () => {
    await using talk = await Talk.start();
    const seen: Posted[] = [];
    talk.bot.hub.observe((event) => {
      if (event.type === "userInputRequired" || event.type === "userResponseReceived")
        seen.push(event);
    });
    const question = { prompt: "Which colour?", context: "For the door." };
    talk.model.script([call("user_collaboration", question), say("So be it.")]);
    await talk.say("paint it");
    await talk.sees("❓ Question");
    await talk.rests();
    await talk.say("green", { mention: false });
    await talk.sees("So be it.");
    await talk.rests();
    const [asked, answered, ...more] = seen;
    expect(asked).toMatchObject({
      type: "userInputRequired",
      ...question,
      conversation: talk.thread,
      callId: expect.stringMatching(/./),
    });
    expect(answered).toMatchObject({
      type: "userResponseReceived",
      userInput: "green",
      callId: asked?.type === "userInputRequired" ? asked.callId : "",
      conversation: talk.thread,
    });
    expect(more).toEqual([]);
  });
});

describe("a commit of a whole bot", () => {
  it("is made for the person who asked, and for no one where a read is asked for [2.46]", async () => {
    await using talk = await Talk.start();
    const build = (operation: string, more = {}) =>
      ["build_and_version_control", { operation, ...more }] as const;
    talk.model.script([
      calls([build("get_changed_files"), build("git_commit", { message: "m" })]),
      say("Done."),
    ]);
    await talk.say("commit it");
    await talk.press("Approve once", { by: talk.ada });
    await talk.sees("Done.");
    expect(talk.workspaces.begun.map(({ requester }) => requester)).toEqual([
      undefined,
      expect.stringContaining(talk.ada.id),
    ]);
  });
});
