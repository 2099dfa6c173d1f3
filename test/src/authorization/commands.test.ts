import { symlinkSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { type Lab, type LabOptions, permissionLab } from "../../support/permission-lab.ts";

const CREATE = "file_operations.create_file";
const RUN = "terminal_operations.run_command";
const TYPE = "terminal_operations.send_input";
const type = (input: string) => ({ session_id: "s", input });

const labs: Lab[] = [];
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab[Symbol.asyncDispose]();
});
async function lab(options?: LabOptions): Promise<Lab> {
  const made = await permissionLab(options);
  labs.push(made);
  return made;
}

describe("commands", () => {
  it.each(["ls -la", "grep sudo file", "cp a b", "echo x > notes.md", "git commit -m x"])(
    "4.11 %j reads, or writes inside the sandbox, and runs",
    async (command) => {
      const { check } = await lab();
      expect(await check(RUN, { command })).toMatchObject({ outcome: "allowed" });
    },
  );

  it.each(["rm -rf /", "git push", "echo ok; sudo id", "X=1 sudo id", "bash -c 'sudo id'"])(
    "4.11 %j is high",
    async (command) => {
      const { question } = await lab();
      expect(await question(RUN, { command })).toMatchObject({ risk: "high" });
    },
  );

  it("4.11 what cannot be read asks by button and can be granted only once", async () => {
    const { question } = await lab();
    const asked = await question(RUN, { command: "echo 'open" });
    expect(asked).toMatchObject({ risk: "elevated", call: { identity: "agent" } });
    expect(asked.timedScope).toBeUndefined();
    expect(asked.reason).toContain("cannot be read for sure");
  });

  it("4.11 what cannot be read and is dangerous besides is high", async () => {
    const { question } = await lab();
    const asked = await question(RUN, { command: "sudo id; echo 'open" });
    expect(asked.risk).toBe("high");
  });

  it("4.11 a typed line counts like a command, and keys without Enter do not", async () => {
    const { check, question } = await lab();
    expect(await check(TYPE, type("ls\r"))).toMatchObject({ outcome: "allowed" });
    expect(await check(TYPE, type("sudo id"))).toMatchObject({ outcome: "allowed" });
    const asked = await question(TYPE, type("\r"));
    expect(asked).toMatchObject({ risk: "high", effect: { command: "sudo id" } });
  });

  it("4.11 a line typed in pieces is judged as a whole, and a refused piece was never typed", async () => {
    const { check } = await lab();
    const outcome = async (input: string) => (await check(TYPE, type(input))).outcome;
    expect(await outcome("echo ")).toBe("allowed");
    expect(await outcome("$(sudo id)\r")).toBe("ask");
    expect(await outcome("x\r")).toBe("allowed");
    expect(await outcome("sud")).toBe("allowed");
    expect(await outcome("o id\r")).toBe("ask");
    expect(await check(RUN, { command: "ls" })).toMatchObject({ outcome: "allowed" });
    expect(await outcome("o id\r")).toBe("allowed");
  });

  it("4.11 a task's command and its arguments count like a command", async () => {
    const { question } = await lab();
    const task = { label: "t", type: "shell", command: "env", args: ["sudo", "i d"] };
    const asked = await question("build_and_version_control.create_and_run_task", { task });
    expect(asked).toMatchObject({ risk: "high", call: { identity: "agent" } });
    expect(asked.effect.command).toBe("env 'sudo' 'i d'");
  });

  it("4.12 sudo asks, runs as root once approved, and never in the background", async () => {
    const { check, question } = await lab();
    const asked = await question(RUN, { command: "sudo apt install x" });
    expect(asked).toMatchObject({ risk: "high", call: { identity: "root" } });
    const verdict = await check(RUN, { command: "sudo id", isBackground: true });
    expect(verdict).toMatchObject({ outcome: "denied" });
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
