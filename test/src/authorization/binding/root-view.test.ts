import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Lab, permissionLab } from "../../../support/permission-lab.ts";

const RUN = "terminal_operations.run_command";

describe("what root may read of the workspace", () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await permissionLab();
    for (const name of ["deploy.sh", "app.conf", "dir/a", "dir/b", "sub/tool.py", "a.tar"])
      lab.files.write(name, "x\n");
    for (const name of ["Makefile", "app/Makefile"]) lab.files.write(name, "install:\n\ttrue\n");
    lab.files.write("pkg/setup.py", "");
    execFileSync("git", ["init", "-q", lab.files.path("repo")]);
    lab.files.write("repo/src/a.c", "");
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  const question = (command: string) => lab.question(RUN, { command });

  it.each([
    "sudo id",
    "sudo apt-get update",
    "sudo cp app.conf /etc/app.conf",
    "sudo tee /etc/app.conf < app.conf",
    "cat app.conf | sudo tee /etc/app.conf",
    "sudo cp -a app.conf /etc/",
    "sudo bash deploy.sh",
    "sudo python3 sub/tool.py",
    "cd sub && sudo python3 tool.py",
    "sudo tar -xf a.tar -C /opt",
    "sudo pwd",
  ])("is nothing where copies stand for all files: %s", async (command) => {
    expect((await question(command)).call.run).toMatchObject({ readable: [], confined: true });
  });

  it.each([
    ["sudo cp -r dir /opt/", ["/workspace/dir"]],
    ["sudo cp --parents app.conf /etc/", ["/workspace/app.conf"]],
    ["sudo find dir -type f", ["/workspace/dir"]],
    ["sudo du -s /workspace/dir /workspace/sub", ["/workspace/dir", "/workspace/sub"]],
    ["sudo ls /workspace", ["/workspace"]],
    ["sudo rsync -a dir/ /opt/dir/", ["/workspace/dir"]],
    ["sudo git -C repo log", ["/workspace/repo"]],
    ["sudo git -C repo/src status", ["/workspace/repo"]],
    ["sudo make install", ["/workspace"]],
    ["sudo make -C app install", ["/workspace/app"]],
    ["cd app && sudo make install", ["/workspace/app"]],
    ["sudo pip install ./pkg", ["/workspace"]],
  ])("is what the card names and no copy stands for: %s", async (command, expected) => {
    expect((await question(command)).call.run?.readable).toEqual(expected);
  });

  it("is on the card where the command also runs code that is verified", async () => {
    const { effect } = await question("cd app && sudo make install");
    expect(effect.notes).toContain(
      "This may run more code from the workspace: everything in /workspace/app at that time.",
    );
    expect((await question("sudo bash deploy.sh")).effect.notes.join()).not.toContain(
      "at that time",
    );
  });

  it("does not concern commands of the agent", async () => {
    const { call } = await question("git -C repo push /nowhere HEAD:refs/heads/side");
    expect(call).toMatchObject({ identity: "agent", run: { readable: [] } });
  });

  it("makes the command ask for a phrase where the kernel cannot hold root to it", async () => {
    const open = {
      ...lab.workspace,
      inspectCode: async (asked: Parameters<typeof lab.workspace.inspectCode>[0]) => ({
        ...(await lab.workspace.inspectCode(asked)),
        confines: false,
      }),
    };
    const asked = await lab.question(RUN, { command: "sudo id" }, { workspace: async () => open });
    expect(asked).toMatchObject({ risk: "phrase", call: { run: { confined: false } } });
    expect(asked.effect.reasons[0]).toMatch(/kernel cannot keep root from workspace files/);
    expect((await question("sudo id")).risk).toBe("click");
  });
});
