import { symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readPolicy } from "../../../src/authorization/policy/policy.ts";
import { NoWorkspaceError } from "../../../src/contract/permission/gate.ts";
import { keyOf, labsPerTest, person } from "../../support/permission-lab.ts";

const CREATE = "file_operations.create_file";
const DELETE = "file_operations.delete_file";
const RUN = "terminal_operations.run_command";
const inside = { filePath: "notes.md", content: "x" };
const outside = { filePath: "/etc/x", content: "x" };
const scratch = { filePath: "/tmp/some/x", content: "x" };

const lab = labsPerTest();

describe("the guard", () => {
  it("4.1 4.2 inside the workspace: allowed without asking", async () => {
    const { check } = await lab();
    expect(await check(CREATE, inside)).toMatchObject({ outcome: "allowed", ground: "no-risk" });
  });

  it("4.1 4.2 outside: asks, naming the path and the workspace", async () => {
    const { check } = await lab();
    const verdict = await check(CREATE, outside);
    expect(verdict).toMatchObject({ outcome: "ask", question: { risk: "click" } });
    expect(verdict.reason).toContain("/etc/x");
    expect(verdict.reason).toContain("/workspace");
  });

  it("4.2 no workspace: asks", async () => {
    const { check } = await lab();
    const workspace = () => Promise.reject(new NoWorkspaceError());
    expect(await check(CREATE, inside, { workspace })).toMatchObject({ outcome: "ask" });
  });

  it("4.1 4.2 no conversation: denied where somebody would have to be asked", async () => {
    const { check } = await lab();
    expect(await check(CREATE, outside, { conversation: "" })).toMatchObject({ outcome: "denied" });
    expect(await check(CREATE, inside, { conversation: "" })).toMatchObject({ outcome: "allowed" });
  });

  it("throws when it cannot know, so that nothing runs", async () => {
    const { check } = await lab();
    const workspace = () => Promise.reject(new Error("the engine is gone"));
    await expect(check(CREATE, inside, { workspace })).rejects.toThrow("the engine is gone");
  });

  it("4.3 follows links and dots before it compares", async () => {
    const { check, files } = await lab();
    symlinkSync("/etc", files.path("link"));
    const at = async (filePath: string) => (await check(CREATE, { filePath, content: "" })).outcome;
    expect(await at("link/passwd")).toBe("ask");
    expect(await at("a/../../x")).toBe("ask");
    expect(await at("./a")).toBe("allowed");
  });

  it("4.4 a neighbour whose name begins alike is outside; the workspace itself is inside", async () => {
    const { check, files } = await lab();
    const at = async (filePath: string) => (await check(CREATE, { filePath, content: "" })).outcome;
    expect(await at(`${files.dir}-other/x`)).toBe("ask");
    expect(await at(`${files.dir}/x`)).toBe("allowed");
    expect(await at(`${files.dir}//x`)).toBe("allowed");
    expect(await at(files.dir)).toBe("allowed");
  });

  it.each([
    [CREATE, { filePath: "/etc/x", content: "" }],
    ["file_operations.replace_string", { filePath: "/etc/x", oldString: "a", newString: "b" }],
    [
      "file_operations.multi_replace_string",
      { filePath: "/etc/x", replacements: [{ oldString: "a", newString: "b" }] },
    ],
    [
      "file_operations.insert_edit",
      { filePath: "/etc/x", lineNumber: 1, newText: "a", insertOperation: "insert" },
    ],
    ["file_operations.rename_file", { oldPath: "/etc/x", newPath: "y" }],
    ["file_operations.rename_file", { oldPath: "/etc/y", newPath: "/etc/x" }],
    [DELETE, { filePath: "/etc/x" }],
    ["file_operations.apply_patch", { patchContent: patchOf("/etc/x") }],
    ["file_operations.apply_patch", { patchContent: patchOf("../../../../../../etc/x") }],
    ["file_operations.apply_patch", { patchContent: patchOf("a"), target_directory: "/etc" }],
    ["terminal_operations.create_directory", { dirPath: "/etc/x" }],
    [RUN, { command: "ls", working_directory: "/etc" }],
    ["terminal_operations.create_session", { working_directory: "/etc" }],
    ["build_and_version_control.run_task", { label: "t", workspaceFolder: "/etc" }],
    ["build_and_version_control.git_commit", { message: "m", repositoryPath: "/etc" }],
  ])("4.5 %s %j asks", async (key, params) => {
    const { check } = await lab();
    const verdict = await check(key, params);
    expect(verdict).toMatchObject({ outcome: "ask" });
    expect(verdict.reason).toContain("is outside the workspace");
  });

  it("4.6 reads do not ask, unless it is set so", async () => {
    const read = ["file_operations.read_file", { filePath: "/etc/hostname" }] as const;
    const { check } = await lab();
    expect(await check(...read)).toMatchObject({ outcome: "allowed" });
    const strict = await lab({ policy: "outsideReads: ask" });
    expect(await strict.check(...read)).toMatchObject({ outcome: "ask" });
    expect(await strict.check("file_operations.read_file", { filePath: "a" })).toMatchObject({
      outcome: "allowed",
    });
  });

  it("2.17 a dry run of a patch needs nobody, and a deletion in one is elevated", async () => {
    const { check, question } = await lab();
    const patchContent = patchOf("/etc/x");
    const dry = await check("file_operations.apply_patch", { patchContent, dry_run: true });
    expect(dry).toMatchObject({ outcome: "allowed" });
    const deletion = "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    const asked = await question("file_operations.apply_patch", { patchContent: deletion });
    expect(asked.risk).toBe("click");
  });

  it("asks before what may run by itself later is written, and not before it is read", async () => {
    const { check, question } = await lab();
    const asked = await question(CREATE, { filePath: ".git/hooks/pre-commit", content: "x" });
    expect(asked).toMatchObject({ risk: "click" });
    expect(asked.timedScope).toBeUndefined();
    const read = await check("file_operations.read_file", { filePath: ".bashrc" });
    expect(read).toMatchObject({ outcome: "allowed" });
  });

  it("4.10 the policy raises create_file, and then it asks inside, too", async () => {
    const { check, question } = await lab({ policy: `operations: { ${CREATE}: elevated }` });
    expect((await question(CREATE, inside)).risk).toBe("click");
    const other = { filePath: "a", oldString: "a", newString: "b" };
    expect(await check("file_operations.replace_string", other)).toMatchObject({
      outcome: "allowed",
    });
  });

  it("16.8 the policy lowers, forbids and makes high", async () => {
    const { check, question } = await lab({
      policy: `operations: { ${DELETE}: standard, ${CREATE}: denied, ${RUN}: high }`,
    });
    expect((await question(DELETE, { filePath: "a" })).risk).toBe("click");
    expect(await check(CREATE, inside)).toMatchObject({ outcome: "denied" });
    expect((await question(RUN, { command: "ls" })).risk).toBe("phrase");
  });

  it("a phrase call is never granted for a time [4.14]", async () => {
    const { question } = await lab({ policy: `operations: { "${CREATE}": phrase }` });
    const asked = await question(CREATE, { filePath: "a.txt", content: "" });
    expect(asked).toMatchObject({ risk: "phrase" });
    expect(asked.timedScope).toBeUndefined();
  });

  it("4.10 deleting always asks", async () => {
    const { question } = await lab();
    expect(await question(DELETE, { filePath: "a" })).toMatchObject({ risk: "click" });
  });

  it("16.5 an allowed path never asks, and a denied one is denied even inside and to its author", async () => {
    const alice = person("alice");
    const policy =
      "paths: [{ path: '/data/**', effect: allow }, { path: '**/.env', effect: deny }]";
    const { check } = await lab({ policy, people: [alice] });
    const data = await check(CREATE, { filePath: "/data/x", content: "" });
    expect(data).toMatchObject({ outcome: "allowed", ground: "policy", as: "root" });
    expect(await check(DELETE, { filePath: "/data/x" })).toMatchObject({ outcome: "allowed" });
    const env = { filePath: "a/.env", content: "" };
    expect(await check(CREATE, env)).toMatchObject({ outcome: "denied" });
    expect(await check(CREATE, env, { isUserInitiated: true })).toMatchObject({
      outcome: "denied",
    });
    const read = await check("file_operations.read_file", { filePath: "a/.env" });
    expect(read).toMatchObject({ outcome: "denied" });
  });

  it("16.5 a command that says it writes a denied path is denied, also through a link", async () => {
    const policy = "paths: [{ path: '**/.env', effect: deny }]";
    // The guard takes the shell to stand in /workspace, and these files are elsewhere.
    const classes = { "echo x > alias": { writes: ["alias"] } };
    const { check, files } = await lab({ policy, classes });
    symlinkSync(files.path(".env"), files.path("alias"));
    const verdict = await check(RUN, { command: "echo x > alias" });
    expect(verdict).toMatchObject({ outcome: "denied" });
  });

  it("outside working hours click and phrase calls are denied, free ones run [16.6]", async () => {
    const policy = "workingHours: { timeZone: UTC, from: '08:00', to: '18:00' }";
    const night = await lab({ policy });
    expect((await night.question(DELETE, { filePath: "a" })).risk).toBe("click");
    night.clock.now = new Date("2030-01-02T23:00:00Z");
    expect(await night.check(DELETE, { filePath: "a" })).toMatchObject({ outcome: "denied" });
    expect(await night.check(CREATE, scratch)).toMatchObject({ outcome: "denied" });
    expect(await night.check(CREATE, inside)).toMatchObject({ outcome: "allowed" });
  });

  it("a policy can deny phrase calls alone outside working hours [16.6]", async () => {
    const policy = "workingHours: { timeZone: UTC, from: '08:00', to: '18:00', risks: [high] }";
    const night = await lab({ policy });
    night.clock.now = new Date("2030-01-02T23:00:00Z");
    expect(await night.check(DELETE, { filePath: "a" })).toMatchObject({ outcome: "ask" });
    const command = "sudo rm -rf /opt/old";
    expect(await night.check(RUN, { command })).toMatchObject({ outcome: "denied" });
  });
});

describe("who is behind the call", () => {
  const own = { isUserInitiated: true };

  it("4.2 a direct command counts as approved by its author, if they may approve it", async () => {
    const { check } = await lab({ people: [person("alice")] });
    expect(await check(CREATE, outside, own)).toMatchObject({
      outcome: "allowed",
      ground: "user-initiated",
      approvers: [keyOf("alice")],
      as: "root",
    });
    expect(await check(CREATE, outside)).toMatchObject({ outcome: "ask" });
  });

  it("4.2 the high list still asks its author", async () => {
    const { check } = await lab({ people: [person("alice", { kind: "owner" })] });
    expect(await check(RUN, { command: "sudo rm -rf /opt/old" }, own)).toMatchObject({
      outcome: "ask",
    });
  });

  it.each(["guest", "external", "bot", "self", "deactivated"] as const)(
    "4.2 a direct command of a %s is not approved by its author",
    async (kind) => {
      const { check } = await lab({ people: [person("alice", { kind })] });
      expect(await check(CREATE, outside, own)).toMatchObject({ outcome: "ask" });
    },
  );

  it("4.2 nor is one of somebody unknown, or where two people are needed", async () => {
    const nobody = await lab();
    expect(await nobody.check(CREATE, outside, own)).toMatchObject({ outcome: "ask" });
    const two = await lab({ people: [person("alice")], policy: "twoPersons: [standard]" });
    expect(await two.check(CREATE, outside, own)).toMatchObject({ outcome: "ask" });
  });
});

describe("auto-approve", () => {
  const admin = person("carol");
  const policy = "admins: ['chat:T1:carol']\nautoApprove: { permitted: true, longest: 30m }";

  it("4.23 lets the call pass, says so aloud, and asks again once it is off", async () => {
    const { check, authorization, warnings } = await lab({ policy });
    const on = await authorization.autoApprove.turnOn("A", admin);
    expect(on).toMatchObject({ outcome: "set", announcement: expect.stringContaining("30 min") });
    expect(warnings).toEqual([expect.stringContaining("Auto-approve is on")]);
    expect(await check(CREATE, outside)).toMatchObject({
      outcome: "allowed",
      ground: "auto-approve",
    });
    expect(await check(CREATE, outside, { conversation: "B" })).toMatchObject({ outcome: "ask" });
    await authorization.autoApprove.turnOff("A", person("bob"));
    expect(await check(CREATE, outside)).toMatchObject({ outcome: "ask" });
  });

  it("4.23 is refused to everybody whom the policy does not name", async () => {
    const { check, authorization } = await lab({ policy });
    const tried = await authorization.autoApprove.turnOn("A", person("bob"));
    expect(tried).toMatchObject({ outcome: "refused" });
    expect(await check(CREATE, outside)).toMatchObject({ outcome: "ask" });
  });

  it("4.24 never covers the high list, and ends at its instant", async () => {
    const { check, authorization, clock } = await lab({ policy });
    await authorization.autoApprove.turnOn("A", admin, 60);
    expect(await check(RUN, { command: "sudo rm -rf /opt/old" })).toMatchObject({ outcome: "ask" });
    clock.now = new Date(clock.now.getTime() + 59_999);
    expect(await check(CREATE, outside)).toMatchObject({ outcome: "allowed" });
    clock.now = new Date(clock.now.getTime() + 1);
    expect(await check(CREATE, outside)).toMatchObject({ outcome: "ask" });
  });

  it("4.19 survives a restart", async () => {
    const { authorization, again } = await lab({ policy });
    await authorization.autoApprove.turnOn("A", admin);
    expect(await again().autoApprove.isOn("A")).toBe(true);
  });

  it("ends where a new policy forbids it [4.24]", async () => {
    const { authorization, again } = await lab({ policy });
    await authorization.autoApprove.turnOn("A", admin);
    const forbidding = readPolicy("version: 1\nautoApprove: { permitted: false }");
    expect(await again({ policy: forbidding }).autoApprove.isOn("A")).toBe(false);
  });

  it("lasts no longer than the policy permits, however long is asked for [4.24]", async () => {
    const { authorization, clock } = await lab({ policy });
    await authorization.autoApprove.turnOn("A", admin, 7_200);
    clock.now = new Date(clock.now.getTime() + 30 * 60_000);
    expect(await authorization.autoApprove.isOn("A")).toBe(false);
  });
});

function patchOf(path: string): string {
  return `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-a\n+b\n`;
}
