import { describe, expect, it } from "vitest";
import { createAuthorize } from "../../../src/authorization/authorize.ts";
import {
  defaultPolicy,
  type Policy,
  readPolicy,
  withChannelApprovers,
} from "../../../src/authorization/policy/policy.ts";
import type { AskedLevel } from "../../../src/contract/permission/level.ts";
import type { Act, Actor } from "../../../src/contract/platform/actor.ts";
import { keyOf, person, place } from "../../support/permission-lab.ts";

const RISKS = ["click", "phrase"] as const;

const ACTORS: Readonly<Record<string, Actor>> = {
  requester: person("alice").actor,
  approver: person("carol").actor,
  "group approver": person("gus", { groups: ["chat:T1:S9"] }).actor,
  other: person("bob").actor,
  guest: person("carol", { kind: "guest" }).actor,
  external: person("carol", { kind: "external", team: "T2" }).actor,
  "member of another team": person("carol", { team: "T2" }).actor,
  deactivated: person("carol", { kind: "deactivated" }).actor,
  bot: person("carol", { kind: "bot" }).actor,
  "own bot": person("carol", { kind: "self" }).actor,
  "same id elsewhere": person("carol", { platform: "other" }).actor,
  owner: person("olga", { kind: "owner" }).actor,
};

/** What each may approve, by policy. */
const POLICIES: Readonly<
  Record<string, { policy: Policy; may: Record<string, readonly AskedLevel[]> }>
> = {
  "no roles": {
    policy: defaultPolicy(),
    may: { requester: ["click"], owner: RISKS },
  },
  "named approvers": {
    policy: readPolicy(
      [
        "version: 1",
        "roles: { sre: ['chat:T1:carol', 'group:chat:T1:S9'] }",
        "approvers: [{ who: [role:sre], risks: [standard, elevated, high] }]",
      ].join("\n"),
    ),
    may: { approver: RISKS, "group approver": RISKS },
  },
  "an empty list": { policy: readPolicy("version: 1\napprovers: []"), may: {} },
  "a rule for nobody": { policy: readPolicy("version: 1\napprovers: [{ who: [] }]"), may: {} },
  "another channel": {
    policy: readPolicy(
      "version: 1\napprovers: [{ who: ['chat:T1:carol'], channels: ['chat:T1:C2'] }]",
    ),
    may: {},
  },
  "approvers of the channel's own": {
    policy: withChannelApprovers(readPolicy("version: 1\nroles: { sre: ['chat:T1:carol'] }"), {
      "chat:T1:C1": ["role:sre"],
    }),
    may: { approver: RISKS },
  },
  "approvers of the whole team's": {
    policy: withChannelApprovers(defaultPolicy(), { "chat:T1": ["requester"] }),
    may: { requester: RISKS },
  },
  "another channel's own": {
    policy: withChannelApprovers(defaultPolicy(), { "chat:T1:C": ["chat:T1:carol"] }),
    may: { requester: ["click"], owner: RISKS },
  },
  "another operation": {
    policy: readPolicy(
      "version: 1\napprovers: [{ who: ['chat:T1:carol'], operations: [terminal_operations.*] }]",
    ),
    may: {},
  },
  "another person": {
    policy: readPolicy(
      "version: 1\napprovers: [{ who: [members], risks: [standard, elevated, high] }]\nanotherPerson: [high]",
    ),
    may: {
      requester: ["click"],
      approver: RISKS,
      "group approver": RISKS,
      other: RISKS,
      owner: RISKS,
    },
  },
};

const approve = (risk: AskedLevel): Act => ({
  kind: "approve",
  risk,
  operation: "file_operations.delete_file",
  requester: keyOf("alice"),
});

describe("who may approve", () => {
  const cells = Object.entries(POLICIES).flatMap(([name, { policy, may }]) =>
    Object.keys(ACTORS).flatMap((who) =>
      RISKS.map((risk) => ({ name, policy, who, risk, allowed: !!may[who]?.includes(risk) })),
    ),
  );

  it.each(cells)("4.29 $name: $who, $risk: $allowed", ({ policy, who, risk, allowed }) => {
    const actor = ACTORS[who] as Actor;
    expect(createAuthorize(policy)(actor, approve(risk), place()).allowed).toBe(allowed);
  });

  it("refuses everybody who is not in the channel now, whatever they are", () => {
    const outside = place({ isChannelMember: false });
    const acts: Act[] = [
      ...(["talk", "command", "readThread", "stop"] as const).map((kind) => ({ kind })),
      ...(["changeSettings", "autoApprove", "admin"] as const).map((kind) => ({ kind })),
      ...RISKS.map(approve),
    ];
    for (const actor of Object.values(ACTORS)) {
      for (const act of acts) {
        expect(createAuthorize(defaultPolicy())(actor, act, outside).allowed).toBe(false);
      }
    }
  });

  it("never takes an unknown requester for somebody", () => {
    const act: Act = { kind: "approve", risk: "click", operation: "a.b", requester: undefined };
    expect(createAuthorize(defaultPolicy())(person("alice").actor, act, place()).allowed).toBe(
      false,
    );
  });

  it("lets no one but an owner approve their own text that could not be parsed", () => {
    const authorize = createAuthorize(defaultPolicy());
    const approves = (actor: Actor, isUnparsed: boolean) => {
      const requester = keyOf(actor.id);
      const operation = "terminal_operations.run_command";
      const act: Act = { kind: "approve", risk: "click", operation, requester, isUnparsed };
      return authorize(actor, act, place()).allowed;
    };
    expect(approves(person("alice").actor, false)).toBe(true);
    expect(approves(person("alice").actor, true)).toBe(false);
    expect(approves(person("olga", { kind: "owner" }).actor, true)).toBe(true);
  });

  it("says why to whoever is refused", () => {
    const answer = createAuthorize(defaultPolicy())(person("bob").actor, approve("click"), place());
    expect(answer).toEqual({
      allowed: false,
      reason: "You cannot approve this.",
    });
  });
});

describe("what else people may do", () => {
  const may = (policy: Policy, actor: Actor, kind: Exclude<Act["kind"], "approve">) =>
    createAuthorize(policy)(actor, { kind } as Act, place()).allowed;

  it("members talk, command, read and stop", () => {
    for (const kind of ["talk", "command", "readThread", "stop"] as const) {
      expect(may(defaultPolicy(), person("bob").actor, kind)).toBe(true);
    }
  });

  it("guests read what they see anyway, and talk only where the policy lets them", () => {
    const guest = person("g", { kind: "guest" }).actor;
    expect(may(defaultPolicy(), guest, "readThread")).toBe(true);
    expect(may(defaultPolicy(), guest, "talk")).toBe(false);
    expect(may(readPolicy("version: 1\nguests: talk"), guest, "talk")).toBe(true);
    expect(may(readPolicy("version: 1\nguests: talk"), guest, "command")).toBe(false);
  });

  it("bots may do nothing, ourselves included", () => {
    for (const kind of ["bot", "self"] as const) {
      const actor = person("b", { kind }).actor;
      expect(may(readPolicy("version: 1\nguests: talk"), actor, "talk")).toBe(false);
      expect(may(defaultPolicy(), actor, "readThread")).toBe(false);
    }
  });

  it("4.23 auto-approve is for admins, and for nobody where the policy forbids it", () => {
    const policy = readPolicy("version: 1\nadmins: ['chat:T1:carol']");
    expect(may(policy, person("carol").actor, "autoApprove")).toBe(true);
    expect(may(policy, person("bob").actor, "autoApprove")).toBe(false);
    expect(may(defaultPolicy(), person("bob").actor, "autoApprove")).toBe(false);
    const never = readPolicy(
      "version: 1\nadmins: ['chat:T1:carol']\nautoApprove: { permitted: false }",
    );
    expect(may(never, person("carol").actor, "autoApprove")).toBe(false);
  });

  it("settings and the bot itself are for those whom the policy names", () => {
    const policy = readPolicy("version: 1\nadmins: ['chat:T1:carol']\nsettings: ['chat:T1:bob']");
    expect(may(policy, person("carol").actor, "admin")).toBe(true);
    expect(may(policy, person("bob").actor, "admin")).toBe(false);
    expect(may(policy, person("bob").actor, "changeSettings")).toBe(true);
    expect(may(policy, person("carol").actor, "changeSettings")).toBe(false);
  });
});
