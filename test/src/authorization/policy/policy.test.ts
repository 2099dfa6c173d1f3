import { describe, expect, it } from "vitest";
import {
  defaultPolicy,
  readPolicy,
  withChannelApprovers,
  withOwners,
} from "../../../../src/authorization/policy/policy.ts";
import { isWithin, levelOf, pathRule } from "../../../../src/authorization/policy/policy-rules.ts";
import { UnusableFileError } from "../../../../src/lib/yaml-file.ts";

function problemsOf(text: string, operations?: string[], servers?: string[]): string {
  try {
    readPolicy(text, {
      name: "policy.yaml",
      ...(operations ? { operations } : {}),
      ...(servers ? { servers } : {}),
    });
    return "";
  } catch (error) {
    if (!(error instanceof UnusableFileError)) throw error;
    return error.message;
  }
}

describe("the policy file", () => {
  it("names every problem at once, with its place and what to write", () => {
    const message = problemsOf(
      [
        "version: 1",
        "roles:",
        "  sre: [alice]",
        "approvers:",
        "  - who: [role:nobody]",
        "    risks: [huge]",
        "paths:",
        "  - { path: '**/.env', effect: forbid }",
        "workingHours: { timeZone: Mars/Base, from: '8', to: '18:00' }",
        "autoApprove: { permitted: true, longest: 99h }",
        "aprovers: []",
      ].join("\n"),
    );
    expect(message).toContain("policy.yaml is invalid");
    expect(message).toContain("roles.sre[0] (line 3): must be an id");
    expect(message).toContain("approvers[0].risks[0] (line 6): must be click or phrase");
    expect(message).toContain("paths[0].effect (line 8): must be allow, ask or deny");
    expect(message).toContain("workingHours.timeZone (line 9)");
    expect(message).toContain("workingHours.from (line 9)");
    expect(message).toContain("autoApprove.longest (line 10): must be at most 24h");
    expect(message).toContain("aprovers");
  });

  it("refuses a role that is nowhere, and an operation that is not there", () => {
    const text = [
      "version: 1",
      "approvers: [{ who: [role:sre] }]",
      "operations: { file_operations.creat_file: elevated, file_operations.*: safe }",
    ].join("\n");
    const message = problemsOf(text, ["file_operations.create_file"]);
    expect(message).toContain(
      "approvers[0].who[0] (line 2): the role sre is not defined under roles",
    );
    expect(message).toContain("operations.file_operations.creat_file (line 3)");
    expect(message).not.toContain("file_operations.*");
  });

  it("takes tools of a server that is configured and not running, and no others", () => {
    const text = "version: 1\noperations: { github.search: safe, 'githib.*': denied }";
    const message = problemsOf(text, ["think"], ["github"]);
    expect(message).toContain(
      "operations.githib.* (line 2): the operation githib.* does not exist",
    );
    expect(message).not.toContain("github.search");
  });

  it.each(["alice", "@alice", "Alice Smith", "slack", ":U1", "role:", "group:x"])(
    "does not take %j for a person, since names can be changed",
    (name) => {
      const text = `version: 1\nadmins: [${JSON.stringify(name)}]`;
      expect(problemsOf(text)).toContain("admins[0] (line 2)");
    },
  );

  it.each(["", "version: 2", "[", "a: 1\na: 2", "version: 1\nroles: 3"])(
    "refuses %j instead of falling back to anything",
    (text) => {
      expect(problemsOf(text)).toContain("is invalid");
    },
  );

  it("takes an empty list of approvers for nobody", () => {
    expect(readPolicy("version: 1\napprovers: []").approvers).toEqual([]);
  });

  it("gives every different policy a different hash, and the same one the same", () => {
    const one = readPolicy("version: 1\nguests: talk");
    expect(one.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(readPolicy("# said otherwise\nguests: 'talk'\nversion: 1").hash).toBe(one.hash);
    expect(defaultPolicy().hash).not.toBe(one.hash);
  });

  it("16.8 sets levels: the most exact line counts", () => {
    const policy = readPolicy(
      "version: 1\noperations: { '*': denied, file_operations.*: elevated, file_operations.read_file: safe }",
    );
    expect(levelOf(policy, "file_operations.read_file", "safe")).toBe("safe");
    expect(levelOf(policy, "file_operations.create_file", "standard")).toBe("elevated");
    expect(levelOf(policy, "memory_operations.store_memory", "safe")).toBe("denied");
    expect(levelOf(defaultPolicy(), "x.y", "standard")).toBe("standard");
  });

  it("reads the words free, click and phrase as levels of an operation [16.8]", () => {
    const policy = readPolicy("version: 1\noperations: { a.b: free, a.c: click, a.d: phrase }");
    expect(["a.b", "a.c", "a.d"].map((name) => levelOf(policy, name, "standard"))).toEqual([
      "safe",
      "elevated",
      "high",
    ]);
  });

  it("has another hash with other owners", () => {
    const owned = withOwners(defaultPolicy(), ["slack:T1:U1"]);
    expect(owned.hash).not.toBe(defaultPolicy().hash);
    expect(withOwners(defaultPolicy(), ["slack:T1:U2"]).hash).not.toBe(owned.hash);
  });

  it("16.5 a deny is stronger than an ask, and an ask than an allow", () => {
    const policy = readPolicy(
      [
        "version: 1",
        "paths:",
        "  - { path: '/data/**', effect: allow }",
        "  - { path: '**/.env', effect: deny }",
        "  - { path: 'vendor/**', effect: ask, access: [write] }",
        "  - { path: '/data/kept/**', effect: ask }",
      ].join("\n"),
    );
    const rule = (resolved: string, access: "read" | "write" = "write") =>
      pathRule(policy, { resolved, access });
    expect(rule("/data/x")).toBe("allow");
    expect(rule("/data/.env")).toBe("deny");
    expect(rule("/workspace/.env", "read")).toBe("deny");
    expect(rule("/data/kept/x")).toBe("ask");
    expect(rule("/workspace/vendor/x")).toBe("ask");
    expect(rule("/workspace/vendor/x", "read")).toBeUndefined();
  });

  it.each([
    ["2030-01-02T06:59:59Z", false],
    ["2030-01-02T07:00:00Z", true],
    ["2030-01-02T16:59:59Z", true],
    ["2030-01-02T17:00:00Z", false],
    ["2030-01-05T12:00:00Z", false],
    ["2030-07-02T06:00:00Z", true],
  ])("16.6 in Berlin from 8 to 18, at %s: %s", (time, within) => {
    const { workingHours } = readPolicy(
      "version: 1\nworkingHours: { timeZone: Europe/Berlin, from: '08:00', to: '18:00' }",
    );
    expect(workingHours && isWithin(workingHours, new Date(time))).toBe(within);
  });

  it("the approvers of channels are part of it: their roles must be there, and its hash tells", () => {
    const policy = defaultPolicy();
    expect(withChannelApprovers(policy, {}).hash).toBe(policy.hash);
    expect(withChannelApprovers(policy, { web: ["members"] }).hash).not.toBe(policy.hash);
    expect(() => withChannelApprovers(policy, { web: ["members", "role:sre"] })).toThrow(
      "web: the role sre",
    );
  });

  it("16.6 hours may go past midnight", () => {
    const { workingHours } = readPolicy(
      "version: 1\nworkingHours: { timeZone: UTC, days: [wed], from: '22:00', to: '06:00' }",
    );
    const at = (time: string) =>
      workingHours && isWithin(workingHours, new Date(`2030-01-02T${time}:00Z`));
    expect(["23:00", "05:59", "06:00", "12:00"].map(at)).toEqual([true, true, false, false]);
  });
});
