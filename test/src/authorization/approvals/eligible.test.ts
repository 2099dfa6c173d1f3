import { describe, expect, it } from "vitest";
import { approverGaps } from "../../../../src/authorization/approvals/approver-gaps.ts";
import { createAuthorize } from "../../../../src/authorization/authorize.ts";
import {
  defaultPolicy,
  readPolicy,
  withOwners,
} from "../../../../src/authorization/policy/policy.ts";
import { AuthorizationSettings } from "../../../../src/authorization/settings.ts";
import type { People } from "../../../../src/contract/platform/actor.ts";
import {
  keyOf,
  type LabOptions,
  permissionLab,
  person,
  place,
} from "../../../support/permission-lab.ts";

const RUN = "terminal_operations.run_command";
const DANGEROUS = { command: "sudo rm -rf /opt/old" };
const alice = person("alice");
const admin = (name: string) => person(name, { isAdministrator: true });

const listing =
  (...names: string[]): NonNullable<People["holders"]> =>
  async (role) =>
    role === "administrators"
      ? { keys: names.map(keyOf), isComplete: true }
      : { keys: [], isComplete: true };

async function ask(options: LabOptions, params: object = DANGEROUS, more = {}) {
  await using lab = await permissionLab(options);
  return await lab.check(RUN, params, more);
}

describe("who could approve a call", () => {
  it("is named on the card, by the names that people know", async () => {
    const olga = { ...admin("olga"), name: "Olga K." };
    const verdict = await ask({ people: [alice, olga], holders: listing("olga") });
    expect(verdict).toMatchObject({
      outcome: "ask",
      question: { effect: { approvers: "Olga K." } },
    });
  });

  it("is named by the role where there are more than three", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const verdict = await ask({ people: names.map(admin), holders: listing(...names) });
    expect(verdict).toMatchObject({ question: { effect: { approvers: "the owners" } } });
  });

  it.each<[string, LabOptions]>([
    ["no administrator", { people: [alice], holders: listing() }],
    [
      "an administrator outside the channel",
      {
        people: [alice, { ...admin("olga"), place: place({ isChannelMember: false }) }],
        holders: listing("olga"),
      },
    ],
    [
      "an administrator who is deactivated",
      {
        people: [alice, person("olga", { isAdministrator: true, kind: "deactivated" })],
        holders: listing("olga"),
      },
    ],
    [
      "an administrator of another team",
      {
        people: [alice, person("olga", { isAdministrator: true, team: "T2" })],
        holders: listing("olga"),
      },
    ],
  ])("is no one with %s: the call is refused at once, with the remedy", async (_, options) => {
    const verdict = await ask(options);
    expect(verdict).toMatchObject({ outcome: "denied", reason: expect.stringContaining("OWNERS") });
  });

  it("needs two where the policy wants two", async () => {
    const policy = "twoPersons: [phrase]";
    const one = await ask({ policy, people: [admin("olga")], holders: listing("olga") });
    expect(one).toMatchObject({
      outcome: "denied",
      reason: expect.stringContaining("two approvers"),
    });
    const two = await ask({
      policy,
      people: [admin("olga"), admin("otto")],
      holders: listing("olga", "otto"),
    });
    expect(two).toMatchObject({ outcome: "ask" });
  });

  it("is asked all the same where the platform cannot list people or fails to", async () => {
    const incomplete: People["holders"] = async () => ({ keys: [], isComplete: false });
    expect(await ask({ people: [alice], holders: incomplete })).toMatchObject({ outcome: "ask" });
    const failing: People["holders"] = async () => {
      throw new Error("down");
    };
    expect(await ask({ people: [alice], holders: failing })).toMatchObject({ outcome: "ask" });
  });

  it("is asked all the same where a person cannot be looked up", async () => {
    await using lab = await permissionLab();
    const people: People = {
      find: async () => {
        throw new Error("down");
      },
      holders: listing("olga"),
    };
    const verdict = await lab.checkBy(lab.again({ people }), RUN, DANGEROUS);
    expect(verdict).toMatchObject({ outcome: "ask" });
  });

  it("leaves out the person who asked for text that cannot be parsed", async () => {
    const people = [alice, { ...admin("olga"), name: "Olga" }];
    const command = "echo $(";
    const alone = await ask({ people: [alice], holders: listing() }, { command });
    expect(alone).toMatchObject({ outcome: "denied" });
    const both = await ask({ people, holders: listing("olga") }, { command });
    expect(both).toMatchObject({ question: { effect: { approvers: "Olga" } } });
  });

  it("never includes a guest's own click call, or one that no human asked for", async () => {
    const file = { filePath: "a.txt" };
    await using lab = await permissionLab({
      people: [person("alice", { kind: "guest" })],
      holders: listing(),
    });
    const verdict = await lab.check("file_operations.delete_file", file);
    expect(verdict).toMatchObject({ outcome: "denied" });
    const alert = await lab.check("file_operations.delete_file", file, { userId: "chat:T1:alert" });
    expect(alert).toMatchObject({ outcome: "denied" });
  });
});

describe("owners", () => {
  const act = { kind: "approve", risk: "phrase", operation: RUN } as const;
  const may = (
    owners: readonly string[],
    actor = admin("olga").actor,
    kind: "approve" | "admin" | "autoApprove" = "approve",
  ) =>
    createAuthorize(withOwners(defaultPolicy(), owners))(
      actor,
      kind === "approve" ? act : { kind },
      place(),
    ).allowed;

  it("are the platform's administrators without OWNERS, for approvals alone", () => {
    expect(may([])).toBe(true);
    expect(may([], alice.actor)).toBe(false);
    expect(may([], admin("olga").actor, "admin")).toBe(false);
    expect(may([], admin("olga").actor, "autoApprove")).toBe(false);
  });

  it("are the people and groups in OWNERS, who then administer the bot, too", () => {
    expect(may([keyOf("alice")])).toBe(false);
    expect(may([keyOf("alice")], alice.actor)).toBe(true);
    expect(may([keyOf("alice")], alice.actor, "autoApprove")).toBe(true);
    const grouped = person("bob", { groups: ["chat:T1:sre"] }).actor;
    expect(may(["group:chat:T1:sre"], grouped)).toBe(true);
    expect(may(["group:chat:T1:ops"], grouped)).toBe(false);
  });

  it("are given as ids; a name is refused with what to write", () => {
    const read = (owners: string) => AuthorizationSettings.safeParse({ owners });
    expect(read(" slack:T1:U1, group:slack:T1:S1 ,").data?.owners).toEqual([
      "slack:T1:U1",
      "group:slack:T1:S1",
    ]);
    expect(read("@alice").error?.message).toContain("platform:team:user");
  });
});

describe("a level without any approver", () => {
  const slack = { platform: "slack", hasTokenOwner: false };
  const web = { platform: "web", hasTokenOwner: true };
  it.each([
    ["no policy", "", [], []],
    ["OWNERS of another platform", "", ["discord:G:U"], ["phrase"]],
    ["OWNERS of this platform", "", ["group:slack:T:S"], []],
    ["an empty list", "approvers: []", [], ["click", "phrase"]],
    [
      "people of another platform",
      "approvers: [{ who: ['discord:G:U'], risks: [click, phrase] }]",
      [],
      ["click", "phrase"],
    ],
    [
      "a role of this platform",
      "roles: { r: ['slack:T:U'] }\napprovers: [{ who: ['role:r'], risks: [click, phrase] }]",
      [],
      [],
    ],
    [
      "channels of another platform",
      "approvers: [{ who: [members], channels: ['discord:G:C'], risks: [click, phrase] }]",
      [],
      ["click", "phrase"],
    ],
  ])("is reported with %s", (_, text, owners, levels) => {
    const policy = withOwners(readPolicy(`version: 1\n${text}`), owners);
    const gaps = approverGaps(policy, [slack]);
    expect(gaps.map((gap) => /level (\w+)/.exec(gap)?.[1])).toEqual(levels);
    for (const gap of gaps) expect(gap).toContain("OWNERS");
  });

  it("is not reported for the web, whose token has an owner", () => {
    expect(approverGaps(withOwners(defaultPolicy(), ["slack:T:U"]), [web])).toEqual([]);
  });
});
