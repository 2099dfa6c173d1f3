import { afterEach, describe, expect, it } from "vitest";
import type { Presence } from "../../../../src/contract/platform/actor.ts";
import { keyOf, type Lab, permissionLab, person } from "../../../support/permission-lab.ts";

const CREATE = "file_operations.create_file";
const alice = person("alice");
const labs: Lab[] = [];
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab[Symbol.asyncDispose]();
});

const olga = person("olga", { kind: "owner" });

async function asked(
  more: { authorizeOperation?: string } = {},
  people: readonly Presence[] = [alice, olga],
) {
  const lab = await permissionLab({ people });
  labs.push(lab);
  const { questions } = lab.authorization;
  const question = { conversation: "A", callId: "q1", prompt: "Which one?", ...more };
  await questions.ask(question, keyOf("alice"));
  const answer = (text: string, presence = alice, conversation = "A") =>
    questions.answer({ conversation, callId: "q1", presence, text });
  return { ...lab, questions, question, answer };
}

describe("questions to people", () => {
  it("5.4 the first answer counts, and an unknown id has none", async () => {
    const { answer, questions } = await asked();
    const both = await Promise.all([answer("the red one"), answer("the blue one")]);
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(["already", "answered"]);
    const unknown = { conversation: "A", callId: "other", presence: alice, text: "x" };
    expect(await questions.answer(unknown)).toEqual({ outcome: "unknown" });
    expect(await questions.waiting("A")).toEqual([]);
  });

  it("5.4 the same call id in two threads is two questions", async () => {
    const { answer, questions } = await asked();
    const there = { conversation: "B", callId: "q1", prompt: "Else?" };
    await questions.ask(there, keyOf("alice"));
    await answer("for B", alice, "B");
    expect(await questions.waiting("A")).toMatchObject([{ prompt: "Which one?" }]);
    expect(await questions.waiting("B")).toEqual([]);
  });

  it("5.12 asking again with the same call id asks nobody twice and finds the answer", async () => {
    const { answer, question, again, store } = await asked();
    await answer("the red one");
    const lines = await store.read("A");
    const found = await again().questions.ask(question, keyOf("alice"));
    expect(found.answer).toMatchObject({ text: "the red one", by: keyOf("alice") });
    expect(await store.read("A")).toEqual(lines);
  });

  it("5.13 cancelling ends the wait and grants nothing", async () => {
    const { questions, answer, authorization } = await asked({ authorizeOperation: CREATE });
    expect(await questions.cancelAll("A", keyOf("bob"))).toHaveLength(1);
    expect(await answer("yes")).toMatchObject({
      outcome: "already",
      question: { answer: { meaning: "cancelled" } },
    });
    expect(await authorization.grants.list("A")).toEqual([]);
  });

  it("4.14 a yes to a permission grants it for five minutes, more than once", async () => {
    const { answer, check, authorization } = await asked({ authorizeOperation: CREATE });
    expect(await answer("Yes, proceed")).toMatchObject({ meaning: "approve" });
    expect(await authorization.grants.list("A")).toMatchObject([
      { operation: CREATE, oneTime: false, secondsLeft: 300 },
    ]);
    for (const filePath of ["/tmp/a", "/tmp/b"]) {
      expect(await check(CREATE, { filePath, content: "" })).toMatchObject({ outcome: "allowed" });
    }
    const root = await check(CREATE, { filePath: "/etc/x", content: "" });
    expect(root).toMatchObject({ outcome: "ask" });
  });

  it("4.28 only a yes grants, and only where a permission was asked for", async () => {
    const plain = await asked();
    expect(await plain.answer("yes")).toMatchObject({ outcome: "answered", meaning: "approve" });
    expect(await plain.authorization.grants.list("A")).toEqual([]);
    for (const text of ["no", "maybe later", "not ok"]) {
      const { answer, authorization } = await asked({ authorizeOperation: CREATE });
      expect(await answer(text)).toMatchObject({ outcome: "answered" });
      expect(await authorization.grants.list("A")).toEqual([]);
    }
  });

  it("4.29 is answered by whoever it is for, and a yes by whoever may permit it", async () => {
    const { answer, questions, again } = await asked({ authorizeOperation: CREATE });
    expect(await answer("yes", person("bob"))).toMatchObject({ outcome: "refused" });
    const robot = person("alice", { kind: "bot" });
    const bots = again({ people: { find: async () => robot } }).questions;
    const yes = { conversation: "A", callId: "q1", presence: robot, text: "yes" };
    expect(await bots.answer(yes)).toMatchObject({ outcome: "refused" });
    expect(await questions.waiting("A")).toHaveLength(1);
    expect(await answer("yes", olga)).toMatchObject({ outcome: "answered" });
  });

  it.each<[string, Presence[]]>([
    ["has left the channel", [{ ...alice, place: { ...alice.place, isChannelMember: false } }]],
    ["is a guest by now", [{ ...alice, actor: { ...alice.actor, kind: "guest" } }]],
    ["is nobody any more", []],
  ])("P-A2 permits nothing where whoever says yes %s", async (_, people) => {
    const { answer, questions } = await asked({ authorizeOperation: CREATE }, people);
    expect(await answer("yes")).toMatchObject({ outcome: "refused" });
    expect(await questions.waiting("A")).toHaveLength(1);
  });

  it("4.23 auto-approve makes the timed grant without a question", async () => {
    const { questions, authorization } = await asked();
    await questions.grantUnasked("A", CREATE);
    expect(await authorization.grants.list("A")).toMatchObject([
      { operation: CREATE, approvers: ["auto-approve"], oneTime: false },
    ]);
  });
});
