import { symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { keyOf, labsPerTest, person } from "../../support/permission-lab.ts";

const CREATE = "file_operations.create_file";
const RUN = "terminal_operations.run_command";
const TYPE = "terminal_operations.send_input";
const type = (input: string) => ({ session_id: "s", input });

const lab = labsPerTest();

describe("commands", () => {
  it.each(["ls -la", "grep sudo file", "cp a b", "echo x > notes.md", "git commit -m x"])(
    "4.11 %j reads, or writes inside the sandbox, and runs",
    async (command) => {
      const { check } = await lab();
      expect(await check(RUN, { command })).toMatchObject({ outcome: "allowed" });
    },
  );

  it.each([
    ["phrase", "rm -rf /"],
    ["phrase", "git push -f"],
    ["phrase", "sudo rm -rf /opt/old"],
    ["click", "git push origin topic"],
    ["click", "echo ok; sudo id"],
    ["click", "X=1 sudo id"],
    ["click", "bash -c 'sudo id'"],
    ["click", "cp tool /opt/tool"],
  ])("needs a %s for %j [4.11]", async (risk, command) => {
    const { question } = await lab();
    expect(await question(RUN, { command })).toMatchObject({ risk });
  });

  it("a file created in /etc as root ranks no lower than a copy to /opt [4.11]", async () => {
    const { question } = await lab();
    const created = await question(CREATE, { filePath: "/etc/x", content: "" });
    expect(created.risk).toBe((await question(RUN, { command: "cp a /opt/a" })).risk);
  });

  it("discarding work is free while the checkpoint has all of it, and a click otherwise [DESIGN 6]", async () => {
    const { check, question } = await lab();
    const command = "git reset --hard";
    const gap = (problem: string | undefined) => ({ checkpointGap: async () => problem });
    expect(await check(RUN, { command }, gap(undefined))).toMatchObject({ outcome: "allowed" });
    const asked = await question(RUN, { command }, gap("too many files"));
    expect(asked).toMatchObject({
      risk: "click",
      reason: expect.stringContaining("too many files"),
    });
    expect(await check(RUN, { command: "ls" }, gap("too many files"))).toMatchObject({
      outcome: "allowed",
    });
  });

  it("4.11 what cannot be read asks by button and can be granted only once", async () => {
    const { question } = await lab();
    const asked = await question(RUN, { command: "echo 'open" });
    expect(asked).toMatchObject({ risk: "click", call: { identity: "agent" } });
    expect(asked.timedScope).toBeUndefined();
    expect(asked.reason).toContain("cannot be judged");
    expect(asked.isUnparsed).toBe(true);
  });

  it("text that cannot be parsed lowers nothing [4.11]", async () => {
    const { question } = await lab();
    for (const push of ["git push --force", "force=--force; git push $force"]) {
      const asked = await question(RUN, { command: `${push}; echo 'open` });
      expect(asked).toMatchObject({ risk: "phrase", isUnparsed: true });
    }
  });

  it("text that cannot be parsed is never approved by its author or by auto-approve [4.11]", async () => {
    const alice = person("alice");
    const { check, authorization } = await lab({ people: [alice] });
    const own = { isUserInitiated: true, userId: keyOf("alice") };
    const command = "echo 'open";
    expect(await check(RUN, { command: "sudo id" }, own)).toMatchObject({ outcome: "allowed" });
    expect(await check(RUN, { command }, own)).toMatchObject({ outcome: "ask" });
    const owner = person("boss", { kind: "owner" });
    await authorization.autoApprove.turnOn("A", owner, 300);
    expect(await check(RUN, { command: "sudo id" })).toMatchObject({ ground: "auto-approve" });
    expect(await check(RUN, { command })).toMatchObject({ outcome: "ask" });
  });

  it("refuses to type a line that would need an approval, and says how to run it; keys without Enter are free [4.11]", async () => {
    const { check } = await lab();
    expect(await check(TYPE, type("ls\r"))).toMatchObject({ outcome: "allowed" });
    expect(await check(TYPE, type("sudo id"))).toMatchObject({ outcome: "allowed" });
    const verdict = await check(TYPE, type("\r"));
    expect(verdict).toMatchObject({
      outcome: "denied",
      reason: expect.stringMatching(/run_command/),
    });
  });

  it("4.11 a line typed in pieces is judged as a whole, and a refused piece was never typed", async () => {
    const { check } = await lab();
    const outcome = async (input: string) => (await check(TYPE, type(input))).outcome;
    expect(await outcome("echo ")).toBe("allowed");
    expect(await outcome("$(sudo id)\r")).toBe("denied");
    expect(await outcome("x\r")).toBe("allowed");
    expect(await outcome("sud")).toBe("allowed");
    expect(await outcome("o id\r")).toBe("denied");
    expect(await check(RUN, { command: "ls" })).toMatchObject({ outcome: "allowed" });
    expect(await outcome("o id\r")).toBe("allowed");
  });

  const TASK = "build_and_version_control.create_and_run_task";
  const task = (command: string, ...args: string[]) => ({
    task: { label: "t", type: "shell", command, args },
  });

  it("4.11 a task's command and its arguments are shown like a command", async () => {
    const { question } = await lab();
    const asked = await question(TASK, task("npm", "run", "a b"));
    expect(asked).toMatchObject({ risk: "click", call: { identity: "agent" } });
    expect(asked.effect.command).toBe("npm 'run' 'a b'");
  });

  it.each([
    ["env", "sudo", "i d"],
    ["git push"],
    ["git", "push", "origin", "main"],
    ["npm publish"],
    ["kubectl delete ns prod"],
    ["cat ~/.ssh/id_rsa"],
    ["echo $(("],
    ["$x"],
  ])("4.11 a task runs no command that would need an approval: %s", async (...words) => {
    const { check, files } = await lab();
    files.write("f", "1");
    const [command = "", ...args] = words;
    expect(await check(TASK, task(command, ...args))).toMatchObject({
      outcome: "denied",
      reason: expect.stringMatching(/Run it with run_command/),
    });
    // The same words in a command of its own do ask, or say why not.
    const text = [command, ...args.map((arg) => `'${arg}'`)].join(" ");
    expect((await check(RUN, { command: text })).outcome).not.toBe("allowed");
  });

  it("4.12 sudo asks, runs as root once approved, and never in the background", async () => {
    const { check, question } = await lab();
    const asked = await question(RUN, { command: "sudo apt install x" });
    expect(asked).toMatchObject({ risk: "click", call: { identity: "root" } });
    const verdict = await check(RUN, { command: "sudo id", isBackground: true });
    expect(verdict).toMatchObject({
      outcome: "denied",
      reason: expect.stringMatching(/without sudo/),
    });
  });

  it("root is for sudo and for files beyond what the workspace's user may write", async () => {
    const { question } = await lab();
    const created = (filePath: string) => question(CREATE, { filePath, content: "" });
    expect((await created("/etc/x")).call.identity).toBe("root");
    expect((await created("/tmp/some/x")).call.identity).toBe("agent");
    const cd = await question(RUN, { command: "ls", working_directory: "/etc" });
    expect(cd.call).toMatchObject({ identity: "agent", workingDirectory: "/etc" });
  });

  it("as root the resolved path is what is bound and run", async () => {
    const { question, files } = await lab();
    symlinkSync("/etc", files.path("link"));
    const asked = await question(CREATE, { filePath: "link/x", content: "" });
    expect(asked.call.params).toMatchObject({ filePath: "/etc/x" });
  });
});
