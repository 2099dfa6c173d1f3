import { describe, expect, it } from "vitest";
import { keyOf, labsPerTest, person } from "../../support/permission-lab.ts";

const CREATE = "file_operations.create_file";
const RUN = "terminal_operations.run_command";
const OUTSIDE = { filePath: "/tmp/d/x", content: "x" };

const lab = labsPerTest();

describe("a preview", () => {
  it("shows level, paths, effect and approvers of a call that needs a click", async () => {
    const { preview, authorization } = await lab({ people: [person("alice"), person("carol")] });
    const seen = await preview(RUN, { command: "sudo touch /etc/motd" });
    expect(seen).toMatchObject({ level: "click", reason: expect.stringMatching(/\w/) });
    const asked = await seen.question();
    expect(asked).toMatchObject({
      outcome: "ask",
      question: {
        risk: "click",
        effect: { command: "sudo touch /etc/motd", runsAs: "root", approvers: expect.any(String) },
      },
    });
    // A preview asks nobody.
    expect(await authorization.approvals.waiting("A")).toEqual([]);
  });

  it("names the level of what is free, and of what the policy forbids", async () => {
    const { preview, files } = await lab({
      policy: `operations: { ${RUN}: denied }`,
    });
    const free = await preview(CREATE, { filePath: files.path("new.txt"), content: "x" });
    expect(free).toMatchObject({ level: "free", paths: [files.path("new.txt")] });
    expect(await free.question()).toBeUndefined();
    const denied = await preview(RUN, { command: "ls" });
    expect(denied.level).toBe("denied");
    expect(await denied.question()).toMatchObject({ outcome: "denied" });
  });

  it("consumes no grant, however often it is made", async () => {
    const { preview, check, authorization } = await lab();
    const params = { ...OUTSIDE, filePath: "/tmp/d/x" };
    await authorization.grants.give("A", {
      operation: CREATE,
      scope: { kind: "directories", directories: ["/tmp/d"] },
      approvers: [keyOf("carol")],
      shown: "/tmp/d/x",
    });
    for (let round = 0; round < 3; round += 1) {
      await (await preview(CREATE, params)).question();
    }
    expect(await authorization.grants.list("A")).toHaveLength(1);
    expect(await check(CREATE, params)).toMatchObject({ outcome: "allowed", ground: "grant" });
    expect(await authorization.grants.list("A")).toEqual([]);
  });
});
