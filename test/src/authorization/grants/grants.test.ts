import { describe, expect, it } from "vitest";
import type { NewGrant } from "../../../../src/authorization/grants/grants.ts";
import type { GrantScope } from "../../../../src/contract/permission/approval.ts";
import { keyOf, labsPerTest, person } from "../../../support/permission-lab.ts";

const CREATE = "file_operations.create_file";
const DELETE = "file_operations.delete_file";
const RUN = "terminal_operations.run_command";
const at = (filePath: string) => ({ filePath, content: "x" });

const lab = labsPerTest();

const grantOf = (scope: GrantScope, more: Partial<NewGrant> = {}): NewGrant => ({
  operation: CREATE,
  scope,
  approvers: [keyOf("carol")],
  shown: "/tmp/d/x",
  ...more,
});
const inD: GrantScope = { kind: "directories", directories: ["/tmp/d"] };

describe("grants", () => {
  it("4.14 last 300 s and serve once unless something else is said", async () => {
    const { authorization } = await lab();
    const grant = await authorization.grants.give("A", grantOf(inD));
    expect(grant.oneTime).toBe(true);
    expect(Date.parse(grant.expiresAt) - Date.parse(grant.grantedAt)).toBe(300_000);
  });

  it("4.13 are listed with who gave them, what was shown and how long they last", async () => {
    const { authorization, clock } = await lab();
    await authorization.grants.give("A", grantOf(inD));
    clock.now = new Date(clock.now.getTime() + 60_000);
    expect(await authorization.grants.list("A")).toMatchObject([
      { operation: CREATE, approvers: [keyOf("carol")], shown: "/tmp/d/x", secondsLeft: 240 },
    ]);
    expect(await authorization.grants.list("B")).toEqual([]);
  });

  it("4.15 end at the very instant of their expiry", async () => {
    const { authorization, check, clock } = await lab();
    await authorization.grants.give("A", grantOf(inD, { oneTime: false }));
    clock.now = new Date(clock.now.getTime() + 299_999);
    expect(await check(CREATE, at("/tmp/d/x"))).toMatchObject({
      outcome: "allowed",
      ground: "grant",
      approvers: [keyOf("carol")],
    });
    clock.now = new Date(clock.now.getTime() + 1);
    expect(await check(CREATE, at("/tmp/d/x"))).toMatchObject({ outcome: "ask" });
    expect(await authorization.grants.list("A")).toEqual([]);
  });

  it("4.15 a one-time grant serves once", async () => {
    const { authorization, check } = await lab();
    await authorization.grants.give("A", grantOf(inD));
    expect(await check(CREATE, at("/tmp/d/x"))).toMatchObject({ outcome: "allowed" });
    expect(await check(CREATE, at("/tmp/d/x"))).toMatchObject({ outcome: "ask" });
    expect(await authorization.grants.list("A")).toEqual([]);
  });

  it("4.15 serve no other thread, operation or directory", async () => {
    const { authorization, check } = await lab();
    await authorization.grants.give("A", grantOf(inD, { oneTime: false }));
    const asks = { outcome: "ask" };
    expect(await check(CREATE, at("/tmp/d/x"), { conversation: "B" })).toMatchObject(asks);
    expect(await check(DELETE, { filePath: "/tmp/d/x" })).toMatchObject(asks);
    expect(await check(CREATE, at("/tmp/e/x"))).toMatchObject(asks);
    expect(await check(CREATE, at("/tmp/d/e/x"))).toMatchObject(asks);
    expect(await check(CREATE, at("/tmp/dd"))).toMatchObject(asks);
    expect(await check(CREATE, at("/tmp/d/y"))).toMatchObject({ outcome: "allowed" });
  });

  it("serve a rename only when both ends lie in their directories", async () => {
    const { authorization, check } = await lab();
    const operation = "file_operations.rename_file";
    await authorization.grants.give("A", grantOf(inD, { operation, oneTime: false }));
    const rename = (oldPath: string, newPath: string) => check(operation, { oldPath, newPath });
    expect(await rename("/tmp/d/a", "/tmp/d/b")).toMatchObject({ outcome: "allowed" });
    expect(await rename("/tmp/d/a", "/tmp/e/b")).toMatchObject({ outcome: "ask" });
  });

  it("4.16 a call inside the workspace, or one that makes no sense, uses nothing up", async () => {
    const { authorization, check } = await lab();
    await authorization.grants.give("A", grantOf(inD));
    expect(await check(CREATE, at("inside.txt"))).toMatchObject({ ground: "no-risk" });
    await expect(async () => check(CREATE, { content: "no path" })).rejects.toThrow("filePath");
    expect(await check(CREATE, at("/tmp/d/x"))).toMatchObject({ ground: "grant" });
  });

  it("4.17 one operation's or all can be taken back", async () => {
    const { authorization, check } = await lab();
    const { grants } = authorization;
    await grants.give("A", grantOf(inD, { oneTime: false }));
    await grants.give("A", grantOf(inD, { operation: DELETE, oneTime: false }));
    expect(await grants.revoke("A", { by: keyOf("bob"), operation: CREATE })).toBe(1);
    expect(await check(CREATE, at("/tmp/d/x"))).toMatchObject({ outcome: "ask" });
    expect(await check(DELETE, { filePath: "/tmp/d/x" })).toMatchObject({ outcome: "allowed" });
    expect(await grants.revoke("A", { by: "archived" })).toBe(1);
    expect(await check(DELETE, { filePath: "/tmp/d/x" })).toMatchObject({ outcome: "ask" });
    expect(await grants.revoke("A", { by: "archived" })).toBe(0);
  });

  it("4.19 a restart neither loses nor prolongs them", async () => {
    const { authorization, again, clock } = await lab();
    const given = await authorization.grants.give("A", grantOf(inD, { oneTime: false }));
    expect(await again().grants.list("A")).toMatchObject([{ id: given.id }]);
    clock.now = new Date(clock.now.getTime() + 300_000);
    expect(await again().grants.list("A")).toEqual([]);
  });

  it("4.20 of two processes that want a one-time grant, one gets it", async () => {
    const { authorization, again } = await lab();
    const other = again();
    await authorization.grants.give("A", grantOf(inD));
    const need = { operation: CREATE, digest: "d", timedScope: inD, unprivileged: true };
    const got = await Promise.all(
      [authorization, other, authorization, other].map(({ grants }) =>
        grants.use("A", need, "call"),
      ),
    );
    expect(got.filter(Boolean)).toHaveLength(1);
  });

  it("no wide grant serves root, the high list, what could not be read, or a sensitive path", async () => {
    // Even if the parser named them something that could be granted.
    const classes = { "sudo id": { grantKey: "sudo id" }, "odd 'one": { grantKey: "odd one" } };
    const { authorization, check } = await lab({ classes });
    const wide: GrantScope[] = [
      { kind: "unprivileged" },
      { kind: "directories", directories: ["/etc", "/workspace"] },
      { kind: "program", program: "sudo id" },
      { kind: "program", program: "odd one" },
    ];
    for (const operation of [CREATE, RUN]) {
      for (const scope of wide) {
        await authorization.grants.give("A", grantOf(scope, { operation, oneTime: false }));
      }
    }
    const asks = { outcome: "ask" };
    expect(await check(CREATE, at("/etc/x"))).toMatchObject(asks);
    expect(await check(CREATE, at(".git/hooks/pre-commit"))).toMatchObject(asks);
    expect(await check(RUN, { command: "sudo id" })).toMatchObject(asks);
    expect(await check(RUN, { command: "odd 'one" })).toMatchObject(asks);
    expect(await check(CREATE, at("/tmp/any/x"))).toMatchObject({ outcome: "allowed" });
  });

  it("a grant for a program serves that program and subcommand, and no other", async () => {
    const { authorization, check } = await lab({ policy: `operations: { ${RUN}: elevated }` });
    const scope: GrantScope = { kind: "program", program: "git commit" };
    await authorization.grants.give("A", grantOf(scope, { operation: RUN, oneTime: false }));
    expect(await check(RUN, { command: "git commit -m x" })).toMatchObject({ outcome: "allowed" });
    expect(await check(RUN, { command: "git add x" })).toMatchObject({ outcome: "ask" });
  });

  it("2.21 one call uses one grant, once", async () => {
    const { authorization, question, check } = await lab({ people: [person("alice")] });
    const asked = await question(CREATE, at("/tmp/d/x"));
    const { approval } = await authorization.approvals.ask("A", asked, "call-1");
    await authorization.approvals.decide({
      conversation: "A",
      approval: approval.id,
      choice: "once",
      presence: person("alice"),
    });
    expect(await check(CREATE, at("/tmp/d/x"))).toMatchObject({ outcome: "allowed" });
    expect(await check(CREATE, at("/tmp/d/x"))).toMatchObject({ outcome: "ask" });
  });
});
