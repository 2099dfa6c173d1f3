import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Authorization } from "../../../src/authorization/authorization.ts";
import { readPolicy } from "../../../src/authorization/policy/policy.ts";
import type { ApprovalQuestion } from "../../../src/contract/permission/approval.ts";
import type { Store } from "../../../src/contract/store.ts";
import { Journal } from "../../../src/journal/journal.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { StoreSettings as Settings, type StoreSettings } from "../../../src/store/settings.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";
import { type Lab, NOON, permissionLab, person } from "../../support/permission-lab.ts";
import { startRedis, type TestRedis } from "../../support/redis.ts";
import { caseCount } from "../../support/thorough.ts";

const RACES = caseCount({ perChange: 250, all: 2000 });
const AT_ONCE = 25;
const POLICY = readPolicy(
  "version: 1\nroles: { sre: ['chat:T1:carol'] }\napprovers: [{ who: [requester, role:sre] }]\napprovalsExpireAfter: 10m",
);
const DEADLINE = NOON.getTime() + 600_000;

let redis: TestRedis;
let directory: string;
beforeAll(async () => {
  redis = await startRedis();
  directory = makeDataDirectory("races");
});
afterAll(async () => {
  await redis[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

describe.each([
  ["SQLite", () => ({ kind: "sqlite", file: join(directory, "store.db") })],
  ["Redis", () => ({ kind: "redis", url: redis.url })],
] as const)("on %s", (_name, settings) => {
  it(`P-A14 ${RACES} races of approvers, consumers, expiry and double clicks have one outcome each`, async () => {
    const parsed: StoreSettings = Settings.parse(settings());
    await using one = await openStore(parsed);
    await using two = await openStore(parsed);
    await using lab = await permissionLab({ policy: POLICY, store: one });
    const question = await lab.question("file_operations.delete_file", { filePath: "a" });
    const tally = new Map<string, number>();
    for (let first = 0; first < RACES; first += AT_ONCE) {
      const batch = Array.from({ length: AT_ONCE }, (_, index) => first + index);
      const ends = await Promise.all(batch.map((race) => run(lab, two, question, race)));
      for (const end of ends) tally.set(end, (tally.get(end) ?? 0) + 1);
    }
    // Each way to end it has won at times: the races were real ones.
    expect([...tally.keys()].sort()).toEqual(["cancel", "deny", "expired", "once"]);
    expect([...tally.values()].reduce((sum, count) => sum + count)).toBe(RACES);
  });
});

/** One approval, wanted by many at the same moment in two processes. Answers how it ended. */
async function run(
  lab: Lab,
  otherStore: Store,
  question: ApprovalQuestion,
  race: number,
): Promise<string> {
  const conversation = `race-${race}`;
  // The clocks of two machines never agree: at times one of them is past the deadline.
  const clocks = [DEADLINE - 1, race % 5 === 0 ? DEADLINE : DEADLINE - 2];
  // The questions are asked on one of the two connections, which makes it the slower one: they take turns.
  const stores = race % 2 === 0 ? [lab.store, otherStore] : [otherStore, lab.store];
  const [here, there] = [replica(lab, stores[0], clocks[0]), replica(lab, stores[1], clocks[1])];
  const asker = lab.again({ now: () => NOON });
  const { approval } = await asker.approvals.ask(conversation, question, "call");

  const click = ({ approvals }: Authorization, who: string, choice: "once" | "deny" | "cancel") =>
    approvals.decide({ conversation, approval: approval.id, choice, presence: person(who) });
  const use = ({ grants }: Authorization) =>
    grants.use(conversation, { ...need(question), operation: question.call.operation }, "call");
  const contenders = shuffled(race, [
    () => click(here, "alice", "once"),
    () => click(here, "alice", "once"),
    () => click(there, "carol", "once"),
    () => click(there, "carol", "deny"),
    () => click(here, "alice", "cancel"),
    () => there.approvals.expire(conversation, approval.id),
  ]);
  const outcomes = await Promise.all(contenders.map((contend) => contend()));
  const used = await Promise.all([here, there, here, there].map(use));

  const lines = await otherStore.read(conversation);
  const count = (kind: string) => lines.filter((line) => line.kind === kind).length;
  const end = (await there.approvals.find(conversation, approval.id))?.decision?.choice ?? "none";
  const deciders = outcomes.filter(({ outcome }) => outcome === "decided").length;
  expect(count("approval.decided")).toBe(1);
  expect(deciders).toBe(end === "expired" ? 0 : 1);
  expect(count("grant.given")).toBe(end === "once" ? 1 : 0);
  expect(used.filter(Boolean)).toHaveLength(end === "once" ? 1 : 0);
  expect(count("grant.used")).toBe(end === "once" ? 1 : 0);
  return end;
}

function replica(lab: Lab, store: Store = lab.store, time = DEADLINE): Authorization {
  return lab.again({ journal: new Journal(store), now: () => new Date(time) });
}

function need({ digest, timedScope }: ApprovalQuestion) {
  return { digest, timedScope, unprivileged: true };
}

/** Another order for every race, the same at every run. */
function shuffled<T>(race: number, things: readonly T[]): T[] {
  const lot = (index: number) => createHash("sha256").update(`${race} ${index}`).digest("hex");
  return things
    .map((thing, index) => ({ thing, lot: lot(index) }))
    .sort((one, other) => (one.lot < other.lot ? -1 : 1))
    .map(({ thing }) => thing);
}
