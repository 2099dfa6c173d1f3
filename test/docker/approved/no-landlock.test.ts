import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApprovedRuns, openApprovedRuns } from "../../support/approved-runs.ts";
import { command } from "../../support/engine.ts";

/** The profile of workspaces on an engine that answers as a kernel without Landlock does. */
function profileWithoutLandlock(): string {
  const path = new URL("../../../sandbox-image/seccomp.json", import.meta.url);
  const profile = JSON.parse(readFileSync(path, "utf8"));
  const calls: string[] = profile.syscalls[0].names;
  const hidden = calls.filter((name) => name.startsWith("landlock_"));
  profile.syscalls[0].names = calls.filter((name) => !hidden.includes(name));
  profile.syscalls.push({ names: hidden, action: "SCMP_ACT_ERRNO", errnoRet: 38 });
  return JSON.stringify(profile);
}

describe("a workspace whose kernel has no Landlock", () => {
  let lab: ApprovedRuns;
  beforeAll(async () => {
    lab = await openApprovedRuns("a thread without Landlock", {
      seccomp: profileWithoutLandlock(),
    });
    await lab.asAgent("cd /workspace; echo data > file; git init -q -b main repo");
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  it.each(["sudo id -u", "sudo cp file /etc/file", "sudo apt-get --version"])(
    "asks for a phrase for every command of root, and runs it: %s",
    async (text) => {
      const question = await lab.card(text);
      expect(question.risk).toBe("phrase");
      expect(question.effect.phrase).toBeDefined();
      expect(question.effect.reasons).toContain(
        "This machine's kernel cannot keep root from workspace files (no Landlock).",
      );
      expect(question.call.run).toMatchObject({ confined: false });
      expect(await lab.click(question)).toMatchObject({ success: true });
    },
  );

  it("asks for a click as before where the agent runs the command", async () => {
    const question = await lab.card("git -C repo push /tmp/nowhere HEAD:refs/heads/side");
    expect(question.call).toMatchObject({ identity: "agent", run: { confined: true } });
  });

  it("refuses a command that was approved with the boundary", async () => {
    const { call } = await lab.card("sudo touch /etc/ran");
    if (!call.run) throw new Error("The approval binds no run.");
    const run = { ...call.run, confined: true };
    expect(await command(lab.workspace, "sudo touch /etc/ran", { as: "root", run })).toMatchObject({
      success: false,
      changedSinceApproval: true,
    });
    expect(await lab.asRoot("ls /etc/ran 2>&1 || true")).toContain("No such file");
  });
});
