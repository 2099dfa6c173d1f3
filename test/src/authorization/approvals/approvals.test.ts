import { rmSync, symlinkSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import type { Click } from "../../../../src/authorization/approvals/click.ts";
import { readPolicy } from "../../../../src/authorization/policy/policy.ts";
import type { Approval } from "../../../../src/contract/permission/approval.ts";
import type { Presence } from "../../../../src/contract/platform/actor.ts";
import type { ToolContext } from "../../../../src/contract/tools/tool-call.ts";
import {
  keyOf,
  type Lab,
  type LabOptions,
  permissionLab,
  person,
  place,
} from "../../../support/permission-lab.ts";

const CREATE = "file_operations.create_file";
const DELETE = "file_operations.delete_file";
const RUN = "terminal_operations.run_command";
const SRE = "roles: { sre: ['chat:T1:carol', 'chat:T1:dora'] }\n";
const RISKS = "risks: [standard, elevated, high]";

const labs: Lab[] = [];
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab[Symbol.asyncDispose]();
});

/** A lab in which one call has been asked about. */
async function asked({
  key = DELETE,
  params = { filePath: "a.txt" } as object,
  more = {} as Partial<ToolContext>,
  ...options
}: LabOptions & {
  key?: string;
  params?: object;
  more?: Partial<ToolContext>;
} = {}) {
  const lab = await permissionLab(options);
  labs.push(lab);
  const question = await lab.question(key, params, more);
  const { approval } = await lab.authorization.approvals.ask("A", question, "call-1");
  const click = (who: Presence, more: Partial<Click> = {}) =>
    lab.authorization.approvals.decide({
      conversation: "A",
      approval: approval.id,
      choice: "once",
      presence: who,
      ...more,
    });
  return { ...lab, question, approval, click, retry: () => lab.check(key, params, more) };
}

const alice = person("alice");
const bob = person("bob");
const carol = person("carol");
const dora = person("dora");

describe("an approval", () => {
  it("4.8 runs the stored call once, and asks again for the next", async () => {
    const { click, retry, approval } = await asked();
    expect(approval.call).toMatchObject({ operation: DELETE, params: { filePath: "a.txt" } });
    expect(await click(alice)).toMatchObject({ outcome: "decided", decision: { choice: "once" } });
    expect(await retry()).toMatchObject({ outcome: "allowed", approvers: [keyOf("alice")] });
    expect(await retry()).toMatchObject({ outcome: "ask" });
  });

  it("4.8 the same call that waits is not asked about a second time", async () => {
    const { authorization, question, approval } = await asked();
    const again = await authorization.approvals.ask("A", question, "call-2");
    expect(again).toMatchObject({ isNew: false, approval: { id: approval.id } });
    const both = await Promise.all(
      ["x", "y"].map((id) => authorization.approvals.ask("B", question, id)),
    );
    expect(new Set(both.map((one) => one.approval.id)).size).toBe(1);
  });

  it("P-D2 a call that was decided on before its asker heard of it is not asked about again", async () => {
    const { authorization, question, approval, click } = await asked();
    await click(alice, { name: "Alice" });
    const { approvals } = authorization;
    const afterCrash = await approvals.ask("A", question, "call-1");
    expect(afterCrash).toMatchObject({
      isNew: false,
      approval: { id: approval.id, decision: { choice: "once", names: ["Alice"] } },
    });
    const anotherCall = await approvals.ask("A", question, "call-2");
    expect(anotherCall.isNew).toBe(true);
  });

  it("4.8 belongs to its call: a later call that is the same is asked about, whatever became of the first", async () => {
    const { authorization, again, check, click } = await asked();
    await click(alice);
    const later = (callId: string) => check(DELETE, { filePath: "a.txt" }, { callId });
    expect(await later("call-2")).toMatchObject({ outcome: "ask" });
    // Neither does another process take it for the later call.
    const [given] = await again().grants.list("A");
    expect(given).toMatchObject({ oneTime: true, scope: { kind: "call", callId: "call-1" } });
    const { scope } = given ?? {};
    const digest = scope?.kind === "call" ? scope.digest : "";
    const need = { operation: DELETE, digest, unprivileged: true };
    expect(await again().grants.use("A", need, "call-2")).toBeUndefined();
    // The bot went down between the decision and the start: the same call goes on.
    expect(await again().grants.use("A", need, "call-1")).toMatchObject({ id: given?.id });
    expect(await authorization.grants.use("A", need, "call-1")).toBeUndefined();
  });

  it("4.8 that was given by an earlier version and names no call serves none", async () => {
    const { authorization, question, retry } = await asked();
    await authorization.grants.give("A", {
      operation: DELETE,
      scope: { kind: "call", digest: question.digest },
      approvers: [keyOf("alice")],
      shown: "a.txt",
    });
    expect(await authorization.grants.list("A")).toHaveLength(1);
    expect(await retry()).toMatchObject({ outcome: "ask" });
  });

  it("is asked about again where the decision is known and was not enough", async () => {
    const { authorization, question, approval, click } = await asked();
    await click(alice);
    const again = await authorization.approvals.ask("A", question, "call-1", { isAgain: true });
    expect(again.isNew).toBe(true);
    expect(again.approval.id).not.toBe(approval.id);
    expect(approval.effect.notes).toEqual([]);
    expect(again.approval.effect.notes[0]).toMatch(/approved.* its effect or files changed/);
  });

  it("says on the second card that the rules changed after the first was approved", async () => {
    const { authorization, question, click } = await asked();
    await click(alice);
    const { call } = question;
    const renewed = { ...question, digest: "0".repeat(64), call: { ...call, policy: "other" } };
    const { approval } = await authorization.approvals.ask("A", renewed, "call-1");
    expect(approval.effect.notes[0]).toMatch(/approved.* the rules for approvals changed/);
  });

  it("explains nothing where the first card was denied", async () => {
    const { authorization, question, click } = await asked();
    await click(alice, { choice: "deny" });
    const renewed = { ...question, digest: "0".repeat(64) };
    const { approval } = await authorization.approvals.ask("A", renewed, "call-1");
    expect(approval.effect.notes).toEqual([]);
  });

  it("4.9 a link that was swapped since the question leads to another question", async () => {
    const lab = await permissionLab();
    labs.push(lab);
    symlinkSync("/tmp/one", lab.files.path("link"));
    const params = { filePath: "link/x", content: "x" };
    const question = await lab.question(CREATE, params);
    const { approvals } = lab.authorization;
    const { approval } = await approvals.ask("A", question, "call-1");
    rmSync(lab.files.path("link"));
    symlinkSync("/tmp/two", lab.files.path("link"));
    const click = { conversation: "A", approval: approval.id, presence: alice } as const;
    expect(await approvals.decide({ ...click, choice: "once" })).toMatchObject({
      outcome: "decided",
    });
    const verdict = await lab.check(CREATE, params);
    expect(verdict).toMatchObject({ outcome: "ask" });
    expect(verdict.reason).toContain("/tmp/two/x");
  });

  it("4.9 a file that was changed since the diff was shown leads to another question", async () => {
    const lab = await permissionLab({ policy: `operations: { ${CREATE}: elevated }` });
    labs.push(lab);
    lab.files.write("a.txt", "one\n");
    const params = { filePath: "a.txt", content: "two\n", overwrite: true };
    const { approvals } = lab.authorization;
    const { approval } = await approvals.ask("A", await lab.question(CREATE, params), "call-1");
    lab.files.write("a.txt", "something else\n");
    await approvals.decide({
      conversation: "A",
      approval: approval.id,
      choice: "once",
      presence: alice,
    });
    expect(await lab.check(CREATE, params)).toMatchObject({ outcome: "ask" });
  });

  it("another requester, conversation or policy does not profit from it", async () => {
    const { click, check, checkBy, again } = await asked();
    await click(alice);
    const params = { filePath: "a.txt" };
    expect(await check(DELETE, params, { userId: keyOf("bob") })).toMatchObject({ outcome: "ask" });
    expect(await check(DELETE, params, { conversation: "B" })).toMatchObject({ outcome: "ask" });
    const policy = readPolicy("version: 1\nguests: talk");
    expect(await checkBy(again({ policy }), DELETE, params)).toMatchObject({ outcome: "ask" });
    expect(await checkBy(again(), DELETE, params)).toMatchObject({ outcome: "allowed" });
  });

  it("4.18 approved once for one path, the other path asks", async () => {
    const { click, check } = await asked({ key: CREATE, params: file("/tmp/d/a") });
    await click(alice);
    expect(await check(CREATE, file("/tmp/d/b"))).toMatchObject({ outcome: "ask" });
    expect(await check(CREATE, file("/tmp/d/a"))).toMatchObject({ outcome: "allowed" });
  });

  it("4.18 approved for 5 min, the same directory does not ask until then", async () => {
    const { click, check, clock } = await asked({ key: CREATE, params: file("/tmp/d/a") });
    clock.now = new Date(clock.now.getTime() + 3_600_000);
    expect(await click(alice, { choice: "timed" })).toMatchObject({ outcome: "decided" });
    expect(await check(CREATE, file("/tmp/d/a"))).toMatchObject({ outcome: "allowed" });
    expect(await check(CREATE, file("/tmp/d/b"))).toMatchObject({ outcome: "allowed" });
    expect(await check(CREATE, file("/tmp/e/b"))).toMatchObject({ outcome: "ask" });
    clock.now = new Date(clock.now.getTime() + 300_000);
    expect(await check(CREATE, file("/tmp/d/b"))).toMatchObject({ outcome: "ask" });
  });

  it("has no timed answer where it offers none", async () => {
    const { click, retry } = await asked({ key: CREATE, params: file("/etc/x") });
    expect(await click(alice, { choice: "timed" })).toMatchObject({ outcome: "refused" });
    expect(await retry()).toMatchObject({ outcome: "ask" });
  });

  it("denied, with its reason, permits nothing", async () => {
    const { click, retry, authorization, approval } = await asked();
    const denied = await click(alice, { choice: "deny", reason: "not on a Friday" });
    expect(denied).toMatchObject({ decision: { choice: "deny", reason: "not on a Friday" } });
    expect(await retry()).toMatchObject({ outcome: "ask" });
    expect(await authorization.approvals.find("A", approval.id)).toMatchObject({
      decision: { by: [keyOf("alice")] },
    });
  });

  it("4.30 is decided by the first click; later clicks learn who decided and when", async () => {
    const { click, clock } = await asked();
    const [first, second] = await Promise.all([click(alice), click(alice, { choice: "deny" })]);
    expect([first, second].map(({ outcome }) => outcome).sort()).toEqual(["already", "decided"]);
    expect(await click(alice)).toMatchObject({
      outcome: "already",
      decision: { by: [keyOf("alice")], at: clock.now.toISOString() },
    });
  });

  it("P-A4 is known in its own thread only", async () => {
    const { click } = await asked();
    expect(await click(alice, { conversation: "B" })).toMatchObject({ outcome: "unknown" });
    expect(await click(alice, { approval: "nonsense" })).toMatchObject({ outcome: "unknown" });
  });

  it("5.2 waits for days, and 5.12 through restarts", async () => {
    const { approval, clock, again, retry } = await asked();
    clock.now = new Date(clock.now.getTime() + 48 * 3_600_000);
    const restarted = again();
    expect(await restarted.approvals.waiting("A")).toHaveLength(1);
    const decided = await restarted.approvals.decide({
      conversation: "A",
      approval: approval.id,
      choice: "once",
      presence: alice,
    });
    expect(decided).toMatchObject({ outcome: "decided" });
    expect(await retry()).toMatchObject({ outcome: "allowed" });
  });

  it("5.13 is cancelled with its run, and then no click counts", async () => {
    const { authorization, click, retry } = await asked();
    expect(await authorization.approvals.cancelAll("A", keyOf("bob"))).toHaveLength(1);
    expect(await click(alice)).toMatchObject({
      outcome: "already",
      decision: { choice: "cancel" },
    });
    expect(await retry()).toMatchObject({ outcome: "ask" });
    expect(await authorization.grants.list("A")).toEqual([]);
    expect(await authorization.approvals.cancelAll("A", keyOf("bob"))).toEqual([]);
  });

  it("expires where the policy says so, at the very instant", async () => {
    const { click, clock, authorization, retry } = await asked({
      policy: "approvalsExpireAfter: 10m",
    });
    clock.now = new Date(clock.now.getTime() + 600_000);
    expect(await authorization.approvals.waiting("A")).toEqual([]);
    expect(await click(alice)).toMatchObject({
      outcome: "already",
      decision: { choice: "expired" },
    });
    expect(await retry()).toMatchObject({ outcome: "ask" });
  });

  it("lists what waits, for whom and since when", async () => {
    const { authorization, approval, clock } = await asked();
    expect(await authorization.approvals.waiting()).toMatchObject([
      {
        conversation: "A",
        requester: keyOf("alice"),
        since: clock.now.toISOString(),
        approval: { id: approval.id },
      },
    ]);
  });

  it("P-A6 that does not fit its card can be denied and not approved", async () => {
    const { click, retry, approval } = await asked({
      key: RUN,
      params: { command: "x".repeat(100_000) },
      policy: `operations: { ${RUN}: elevated }`,
    });
    expect(await click(alice)).toEqual({
      outcome: "refused",
      reason: approval.effect.notApprovable,
    });
    expect(await retry()).toMatchObject({ outcome: "ask" });
    expect(await click(alice, { choice: "deny" })).toMatchObject({ outcome: "decided" });
  });
});

describe("the phrase of the high list", () => {
  const options: LabOptions & { key: string; params: object } = {
    key: RUN,
    params: { command: "sudo rm -rf /opt/old" },
    policy: `${SRE}approvers: [{ who: [role:sre], ${RISKS} }]`,
  };
  const phraseOf = ({ effect }: Approval) => effect.phrase ?? "none";

  it("has to be typed as it is shown; only blanks around it are ignored", async () => {
    const { click, approval, retry } = await asked(options);
    expect(await click(carol)).toMatchObject({ outcome: "refused" });
    for (const wrong of [phraseOf(approval).toUpperCase(), phraseOf(approval).replace(" ", "  ")]) {
      expect(await click(carol, { phrase: wrong })).toMatchObject({ outcome: "refused" });
    }
    expect(await click(carol, { phrase: `\t ${phraseOf(approval)} \n` })).toMatchObject({
      outcome: "decided",
    });
    expect(await retry()).toMatchObject({ outcome: "allowed", as: "root" });
  });

  it("names the effect, so that the phrase of another call does not fit; three wrong ones are enough [P-A18]", async () => {
    const { click, approval, authorization } = await asked(options);
    expect(phraseOf(approval)).toBe("delete /opt/old");
    for (const left of ["Tries left: 2.", "Tries left: 1.", "Ask another approver."]) {
      expect(await click(carol, { phrase: "delete /opt/new" })).toMatchObject({
        outcome: "refused",
        reason: `The phrase does not match. ${left}`,
      });
    }
    expect(await click(carol, { phrase: phraseOf(approval) })).toMatchObject({
      outcome: "refused",
      reason: "You mistyped the phrase three times. Ask another approver.",
    });
    const now = await authorization.approvals.find("A", approval.id);
    const answer = { choice: "once", presence: carol } as const;
    expect(authorization.approvals.refusalTo(now, answer)).toContain("three times");
    expect(await click(dora, { phrase: phraseOf(approval) })).toMatchObject({ outcome: "decided" });
  });

  it("two open requests with the same phrase are not told apart by typing it in the thread", async () => {
    const { authorization, question, approval } = await asked({ ...options, people: [carol] });
    const { approvals } = authorization;
    await approvals.ask("A", { ...question, digest: "a".repeat(64) }, "call-9");
    const text = phraseOf(approval);
    const typed = await approvals.answer({ conversation: "A", presence: carol, text });
    expect(typed).toMatchObject({ outcome: "refused", reason: expect.stringContaining("Several") });
  });

  it("a typed yes is not enough, the typed phrase is", async () => {
    const { authorization, approval } = await asked({ ...options, people: [carol] });
    const typed = (text: string) =>
      authorization.approvals.answer({ conversation: "A", presence: carol, text });
    expect(await typed("yes")).toMatchObject({ outcome: "refused" });
    expect(await typed(phraseOf(approval))).toMatchObject({ outcome: "decided" });
  });
});

describe("typed answers", () => {
  it.each([
    ["Yes, proceed", "once"],
    ["no", "deny"],
    ["don't", "deny"],
  ])("5.6 %j decides: %s", async (text, choice) => {
    const { authorization } = await asked({ people: [alice] });
    const typed = { conversation: "A", presence: alice, text };
    expect(await authorization.approvals.answer(typed)).toMatchObject({ decision: { choice } });
  });

  it.each<[string, Presence[]]>([
    ["has left the channel", [{ ...alice, place: { ...alice.place, isChannelMember: false } }]],
    ["is a guest by now", [{ ...alice, actor: { ...alice.actor, kind: "guest" } }]],
    ["is nobody any more", []],
  ])("P-A2 decide nothing where whoever said them %s", async (_, people) => {
    const { authorization, approval } = await asked({ people });
    const typed = { conversation: "A", presence: alice, text: "yes" };
    expect(await authorization.approvals.answer(typed)).toMatchObject({ outcome: "refused" });
    expect((await authorization.approvals.find("A", approval.id))?.decision).toBeUndefined();
  });

  it("4.27 anything else is no decision, and several questions need their buttons", async () => {
    const { authorization, question } = await asked();
    const typed = (text: string) =>
      authorization.approvals.answer({ conversation: "A", presence: alice, text });
    expect(await typed("what does it do")).toEqual({ outcome: "neither" });
    const other = { ...question, digest: "f".repeat(64) };
    await authorization.approvals.ask("A", other, "call-2");
    expect(await typed("yes")).toMatchObject({ outcome: "refused" });
  });
});

describe("two people", () => {
  const policy = `${SRE}approvers: [{ who: [role:sre], ${RISKS} }]\ntwoPersons: [elevated]`;

  it("are both needed, and one person is never two", async () => {
    const { click, retry } = await asked({ policy, people: [carol, dora] });
    expect(await click(carol)).toMatchObject({ outcome: "counted", missing: 1 });
    expect(await click(carol)).toMatchObject({ outcome: "refused" });
    expect(await retry()).toMatchObject({ outcome: "ask" });
    expect(await click(dora)).toMatchObject({
      outcome: "decided",
      decision: { by: [keyOf("carol"), keyOf("dora")] },
    });
    expect(await retry()).toMatchObject({ outcome: "allowed" });
  });

  it("mean the narrower of what they clicked, and one no is enough", async () => {
    const narrow = await asked({ policy, people: [carol, dora] });
    await narrow.click(carol, { choice: "timed" });
    expect(await narrow.click(dora)).toMatchObject({ decision: { choice: "once" } });
    const no = await asked({ policy, people: [carol, dora] });
    await no.click(carol);
    expect(await no.click(dora, { choice: "deny" })).toMatchObject({
      decision: { choice: "deny" },
    });
  });

  it("P-A2 who may not approve any more does not count any more", async () => {
    const { click } = await asked({ policy, people: [dora] });
    expect(await click(carol)).toMatchObject({ outcome: "counted" });
    expect(await click(dora)).toMatchObject({ outcome: "counted", missing: 1 });
  });
});

describe("P-A3 somebody whose words went into the request", () => {
  const MEMBERS = `approvers: [{ who: [members], ${RISKS} }]\n`;
  const another = `${MEMBERS}anotherPerson: [standard, elevated]`;
  const two = `${MEMBERS}twoPersons: [standard, elevated]`;
  const more = { contributors: [keyOf("bob")] };
  const people = [alice, bob, carol, dora];

  it("is not the other person whom the policy wants, and is told why", async () => {
    const { click, retry, approval } = await asked({ policy: another, people, more });
    expect(approval.call).toMatchObject({ requester: keyOf("alice"), ...more });
    expect(await click(alice)).toMatchObject({ outcome: "refused" });
    expect(await click(bob)).toEqual({
      outcome: "refused",
      reason: expect.stringContaining("Your message is part of this request"),
    });
    expect(await retry()).toMatchObject({ outcome: "ask" });
    expect(await click(carol)).toMatchObject({ outcome: "decided" });
    expect(await retry()).toMatchObject({ outcome: "allowed", approvers: [keyOf("carol")] });
  });

  it("is none of the two whom the policy wants; whoever asked is the first at most", async () => {
    const { click, retry } = await asked({ policy: two, people, more });
    expect(await click(alice)).toMatchObject({ outcome: "counted", missing: 1 });
    expect(await click(bob)).toMatchObject({ outcome: "refused" });
    expect(await click(carol)).toMatchObject({ outcome: "decided" });
    expect(await retry()).toMatchObject({ outcome: "allowed" });
  });

  it("counts like everybody else where one person is enough", async () => {
    const { click } = await asked({ policy: MEMBERS, people, more });
    expect(await click(bob)).toMatchObject({ outcome: "decided" });
  });

  it("may take it back, like whoever asked", async () => {
    const { click } = await asked({ policy: another, people, more });
    expect(await click(bob, { choice: "deny" })).toMatchObject({ decision: { choice: "deny" } });
  });

  it("is not served by a timed grant that they gave for somebody else's request", async () => {
    const params = file("/tmp/d/a");
    const lab = await asked({ key: CREATE, params, policy: another, people });
    expect(await lab.click(bob, { choice: "timed" })).toMatchObject({ outcome: "decided" });
    const next = (context: Partial<ToolContext>) => lab.check(CREATE, file("/tmp/d/b"), context);
    expect(await next({})).toMatchObject({ outcome: "allowed" });
    expect(await next({ userId: keyOf("bob") })).toMatchObject({ outcome: "ask" });
    expect(await next(more)).toMatchObject({ outcome: "ask" });
    expect(await next({ contributors: [keyOf("dora")] })).toMatchObject({ outcome: "allowed" });
  });

  it("cannot permit by words what takes two people", async () => {
    const lab = await permissionLab({ policy: two, people });
    labs.push(lab);
    const { questions } = lab.authorization;
    const ask = { conversation: "A", callId: "q", prompt: "?", authorizeOperation: DELETE };
    await questions.ask(ask, keyOf("alice"), more.contributors);
    const says = (presence: Presence) =>
      questions.answer({ conversation: "A", callId: "q", presence, text: "yes" });
    expect(await says(bob)).toMatchObject({ outcome: "refused" });
    expect(await says(carol)).toMatchObject({ outcome: "answered" });
    const verdict = await lab.check(DELETE, { filePath: "a.txt" });
    expect(verdict, "one person's yes is not two").toMatchObject({ outcome: "ask" });
  });

  it("stays so in another process, and stands on record", async () => {
    const { again, approval, audit } = await asked({ policy: another, people, more });
    const { approvals } = again();
    const click = { conversation: "A", approval: approval.id, choice: "once" } as const;
    expect(await approvals.decide({ ...click, presence: bob })).toMatchObject({
      outcome: "refused",
    });
    expect(await approvals.decide({ ...click, presence: carol })).toMatchObject({
      outcome: "decided",
    });
    const entries = (await audit.forConversation("A")).map(({ entry }) => entry);
    expect(entries.find(({ kind }) => kind === "approval.asked")?.details).toEqual(more);
  });
});

describe("every way to answer, by whoever should not", () => {
  const strangers: Readonly<Record<string, Presence>> = {
    other: bob,
    guest: person("carol", { kind: "guest" }),
    external: person("carol", { kind: "external", team: "T2" }),
    deactivated: person("carol", { kind: "deactivated" }),
    bot: person("carol", { kind: "bot" }),
    "own bot": person("carol", { kind: "self" }),
    "somebody who has left": { ...carol, place: place({ isChannelMember: false }) },
    "the same id elsewhere": person("carol", { platform: "elsewhere" }),
  };
  const policy = `${SRE}approvers: [{ who: [role:sre], ${RISKS} }]`;
  const calls = {
    "a write outside": { key: CREATE, params: file("/tmp/d/a") },
    "a deletion": { key: DELETE, params: { filePath: "a" } },
    "a phrase call": { key: RUN, params: { command: "sudo rm -rf /opt/old" } },
  };
  const rows = Object.keys(strangers).flatMap((who) =>
    (Object.keys(calls) as (keyof typeof calls)[]).map((asks) => ({ who, asks })),
  );

  it.each(rows)("P-A1 $who, $asks: nothing changes by any of ten ways", async ({ who, asks }) => {
    const { click, authorization, approval, store } = await asked({ ...calls[asks], policy });
    const { approvals, questions } = authorization;
    const ask = { conversation: "A", callId: "q", prompt: "?", authorizeOperation: DELETE };
    await questions.ask(ask, keyOf("alice"));
    const before = await store.read("A");
    const presence = strangers[who] as Presence;
    const phrase = approval.effect.phrase ?? "x";
    const say = (text: string) => approvals.answer({ conversation: "A", presence, text });
    const reply = (text: string) =>
      questions.answer({ conversation: "A", callId: "q", presence, text });
    const outcomes = [
      await click(presence),
      await click(presence, { phrase }),
      await click(presence, { choice: "timed", phrase }),
      await click(presence, { choice: "deny" }),
      await click(presence, { choice: "cancel" }),
      await say("yes"),
      await say("no"),
      await say(phrase),
      await reply("yes"),
      await reply("no"),
    ].map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome !== "refused" && outcome !== "neither")).toEqual(
      [],
    );
    expect(await store.read("A")).toEqual(before);
    expect(await click(carol, { phrase })).toMatchObject({ outcome: "decided" });
  });

  it("4.29 another's click is refused with a reason, and the approver's still works", async () => {
    const { click } = await asked({ policy });
    expect(await click(bob)).toMatchObject({ outcome: "refused", reason: expect.any(String) });
    expect(await click(carol)).toMatchObject({ outcome: "decided" });
  });

  it("whoever asked may take it back without being an approver", async () => {
    const { click } = await asked({ policy });
    expect(await click(alice)).toMatchObject({ outcome: "refused" });
    expect(await click(alice, { choice: "cancel" })).toMatchObject({
      decision: { choice: "cancel" },
    });
  });
});

function file(filePath: string) {
  return { filePath, content: "x" };
}
