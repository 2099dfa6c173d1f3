import { describe, expect, it } from "vitest";
import type { ApprovalQuestion } from "../../src/contract/permission/approval.ts";
import { DeliveryError } from "../../src/contract/platform/adapter.ts";
import { call, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

describe("what comes in", () => {
  it("15.12 counts once, however often it is delivered, also after a restart", async () => {
    await using talk = await Talk.start();
    talk.model.script(() => say("Only once."));
    const said = await talk.say("hello");
    await talk.sees("Only once.");
    await talk.rests();
    for (let times = 0; times < 20; times += 1) await talk.rig.people.redeliver(said);
    await talk.restart();
    for (let times = 0; times < 20; times += 1) await talk.rig.people.redeliver(said);
    await talk.rests();
    expect(talk.model.requests).toHaveLength(1);
    expect(talk.texts()).toHaveLength(1);
  });

  it("15.12 counts once when a platform tells of one message by two events", async () => {
    await using talk = await Talk.start();
    talk.model.script(() => say("Only once."));
    const common = {
      thread: talk.thread,
      actor: { platform: "memory", id: talk.ada.id, kind: "member" as const, groups: [] },
      actorName: "Ada",
      channel: "C1",
      isChannelMember: true,
      at: new Date().toISOString(),
      type: "message" as const,
      messageId: "m1",
      text: "hello",
      isMention: true,
      isDirect: false,
      attachments: [],
    };
    await talk.rig.people.deliver({ ...common, id: "mention-1" });
    await talk.rig.people.deliver({ ...common, id: "message-1" });
    await talk.sees("Only once.");
    await talk.rests();
    expect(talk.model.requests).toHaveLength(1);
    expect((await talk.lines()).filter((kind) => kind === "message")).toHaveLength(1);
  });

  it("is passed over when people talk to each other, and when bots talk", async () => {
    await using talk = await Talk.start();
    const robot = talk.rig.people.person({ kind: "bot" });
    const said = await talk.say("lunch?", { mention: false });
    await talk.say("hello bot", { by: robot });
    await until(() => talk.rig.people.isAcknowledged(said), "the message");
    await talk.rests();
    expect(await talk.lines()).toEqual([]);
    expect(talk.model.requests).toEqual([]);
    expect(talk.texts()).toEqual([]);
  });

  it("is refused with a reason to guests, for their eyes only", async () => {
    await using talk = await Talk.start();
    const guest = talk.rig.people.person({ kind: "guest" });
    await talk.say("do something", { by: guest });
    await until(() => talk.whispers(guest).length === 1, "a word to the guest");
    expect(talk.whispers(guest)[0]).toContain("Guests");
    expect(talk.texts()).toEqual([]);
    expect(await talk.lines()).toEqual([]);
  });

  it("ends everything when the thread is archived", async () => {
    await using talk = await Talk.start();
    const filePath = talk.workspaces.of(talk.thread).files.path("../no.txt");
    talk.model.script([
      call("file_operations", { operation: "create_file", filePath, content: "" }),
    ]);
    await talk.say("write outside");
    await talk.sees("Approval needed");
    await talk.rig.people.archive(talk.ada, talk.thread);
    await until(async () => (await talk.lines()).includes("turn.shown"), "the end");
    expect(await talk.bot.authorization.approvals.waiting(talk.thread)).toEqual([]);
  });

  it("revokes auto-approve, grants and open requests when the thread is archived [4.17]", async () => {
    await using talk = await Talk.start();
    const owner = talk.rig.people.person({ kind: "owner" });
    const presence = await talk.rig.adapter.presence(talk.thread, owner.id);
    if (!presence) throw new Error("The owner is gone.");
    await talk.say("hello");
    await talk.rests();
    const { approvals, autoApprove, grants, questions } = talk.bot.authorization;
    const questionAbout = (digest: string): ApprovalQuestion => ({
      call: {
        operation: "file_operations.delete_file",
        params: { filePath: digest },
        workingDirectory: null,
        identity: "agent",
        paths: [],
        contents: [],
        schema: "",
        conversation: talk.thread,
        requester: null,
        policy: "",
      },
      digest,
      risk: "click",
      reason: "",
      effect: {
        operation: "file_operations.delete_file",
        risk: "click",
        reasons: [],
        runsAs: "agent",
        paths: [],
        diffs: [],
        params: [],
        notes: [],
        approversNeeded: 1,
        buttons: [],
      },
    });
    await autoApprove.turnOn(talk.thread, presence);
    const question = { conversation: talk.thread, callId: "q", prompt: "Which?" };
    await questions.ask(question, undefined);
    const granted = await approvals.ask(talk.thread, questionAbout("a".repeat(64)), "granted");
    await approvals.decide({
      conversation: talk.thread,
      approval: granted.approval.id,
      choice: "once",
      presence,
    });
    await approvals.ask(talk.thread, questionAbout("b".repeat(64)), "open");
    expect(await autoApprove.isOn(talk.thread)).toBe(true);
    expect(await grants.list(talk.thread)).toHaveLength(1);
    expect(await approvals.waiting(talk.thread)).toHaveLength(1);
    await talk.rig.people.archive(talk.ada, talk.thread);
    await talk.rests();
    await until(async () => !(await autoApprove.isOn(talk.thread)), "the end of auto-approve");
    expect(await questions.waiting(talk.thread)).toEqual([]);
    expect(await grants.list(talk.thread)).toEqual([]);
    expect(await approvals.waiting(talk.thread)).toEqual([]);
  });

  it("begins nothing more when the thread is archived, not even what was queued", async () => {
    await using talk = await Talk.start();
    talk.model.script(({ users }) =>
      users.some((text) => text.includes("later"))
        ? say("I should not.")
        : call("terminal_operations", { operation: "run_command", command: "sleep 60" }),
    );
    await talk.say("begin");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await talk.say("queue later");
    await talk.say("queue even later");
    await until(async () => (await talk.store.inbox.pending()).length === 0, "all of it");
    await talk.rig.people.archive(talk.ada, talk.thread);
    await talk.rests();
    expect((await talk.lines()).filter((kind) => kind === "turn.started")).toHaveLength(1);
    expect((await talk.lines()).filter((kind) => kind === "turn.shown")).toHaveLength(1);
  });

  it("of an unknown button is answered", async () => {
    await using talk = await Talk.start();
    await talk.rig.people.deliver({
      id: "click-1",
      thread: talk.thread,
      actor: { platform: "memory", id: talk.ada.id, kind: "member", groups: [] },
      actorName: "Ada",
      channel: "C1",
      isChannelMember: true,
      at: new Date().toISOString(),
      type: "click",
      action: "approve:no-such-approval:once",
    });
    await talk.hears("belongs to another thread or no longer exists");
  });

  it("5.12 is answered where everybody reads it when nobody can be told alone, and is done with", async () => {
    await using talk = await Talk.start();
    await talk.bot[Symbol.asyncDispose]();
    const adapter = new Proxy(talk.rig.adapter, {
      get: (target, key) => {
        if (key === "whisper")
          return () => Promise.reject(new DeliveryError("never", "Not in this place."));
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    await talk.startBot(talk.store, adapter);
    await talk.rig.people.stop(talk.ada, talk.thread);
    await talk.sees("Nothing is running in this thread");
    await talk.rests();
    expect(talk.texts()).toHaveLength(1);
    expect(talk.problems).toEqual([]);
  });

  it("keeps to itself what a model says to call people", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("Hey @everyone, see [here](https://example.com/x)")]);
    await talk.say("hello");
    await talk.sees("Hey");
    await talk.rests();
    expect(await talk.rig.people.alarms(talk.thread)).toEqual([]);
  });
});
