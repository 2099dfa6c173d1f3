import { afterEach, describe, expect, it } from "vitest";
import type { Shell } from "../../../src/contract/workspace/shell.ts";
import { type Lab, NOON, permissionLab } from "../../support/permission-lab.ts";

const RUN = "terminal_operations.run_command";

let lab: Lab;
afterEach(() => lab[Symbol.asyncDispose]());
const labFor = async (shell: Shell) => {
  lab = await permissionLab({ shell });
  return lab;
};

describe("the guard in a thread with another shell [16.10]", () => {
  it.each(["zsh", "fish"] as const)("allows a plain command, for %s alone", async (shell) => {
    await labFor(shell);
    expect(await lab.check(RUN, { command: "git status | head" })).toMatchObject({
      outcome: "allowed",
      shell,
    });
    expect(await lab.check("terminal_operations.create_session", {})).toMatchObject({ shell });
  });

  it("names no shell in a thread of bash", async () => {
    await labFor("bash");
    expect(await lab.check(RUN, { command: "ls (a)*" })).not.toHaveProperty("shell");
    expect(await lab.check(RUN, { command: "ls" })).not.toHaveProperty("shell");
  });

  it.each([
    ["zsh", "echo *(e:'x':)"],
    ["fish", "echo (git push)"],
  ] as const)(
    "binds what only %s can read to that shell, and says so on the card",
    async (shell, command) => {
      await labFor(shell);
      const { call, effect, reason, isUnparsed, timedScope } = await lab.question(RUN, { command });
      expect(call.run).toMatchObject({ shell, command });
      expect(JSON.stringify(effect)).toContain(`Runs in ${shell}.`);
      expect(reason).toContain(`${shell} may read this differently from bash`);
      expect(isUnparsed).toBe(true);
      expect(timedScope).toBeUndefined();
    },
  );

  it("runs an approved command in bash where its text means the same", async () => {
    await labFor("fish");
    const { call, effect } = await lab.question(RUN, { command: "git push origin topic" });
    expect(call.run).not.toHaveProperty("shell");
    expect(JSON.stringify(effect)).not.toContain("Runs in");
  });

  it("asks anew when the shell has changed since, because the approval was for another one", async () => {
    await labFor("fish");
    const command = "echo (git push)";
    const before = await lab.question(RUN, { command });
    const later = lab.again({ shellOf: async () => "zsh" });
    const verdict = await lab.checkBy(later, RUN, { command });
    expect(verdict).toMatchObject({
      outcome: "ask",
      question: { call: { run: { shell: "zsh" } } },
    });
    expect(verdict).not.toMatchObject({ question: { digest: before.digest } });
  });

  it("lets root run only what bash reads", async () => {
    await labFor("fish");
    expect(await lab.check(RUN, { command: "sudo apt-get install (cat list)" })).toMatchObject({
      outcome: "denied",
      reason: expect.stringContaining("Root commands run in bash"),
    });
    const { call } = await lab.question(RUN, { command: "sudo apt-get install jq" });
    expect(call.run).not.toHaveProperty("shell");
  });

  it("reads a background command as bash, which runs it", async () => {
    await labFor("fish");
    const command = "for i in 1 2; do echo $i; done";
    expect(await lab.check(RUN, { command, isBackground: true })).toMatchObject({
      outcome: "allowed",
    });
    expect(await lab.check(RUN, { command })).toMatchObject({ outcome: "ask" });
  });

  it("reads what is typed as the terminal's own shell does", async () => {
    await labFor("bash");
    const terminals = async () => [
      {
        ...{ session_id: "s", tty_name: "tty1", pid: 1, created: NOON.toISOString() },
        ...({ working_directory: "/workspace", state: "idle", shell: "zsh" } as const),
        ...{ exit_code: null, rows: 24, cols: 80, end_index: 0 },
      },
    ];
    const workspace = async () => ({ ...lab.workspace, terminals });
    const typed = (input: string) =>
      lab.check("terminal_operations.send_input", { session_id: "s", input }, { workspace });
    expect(await typed("ls -la\r")).toMatchObject({ outcome: "allowed" });
    expect(await typed("=git push\r")).toMatchObject({ outcome: "denied" });
    expect(await typed("ls # ; git push\r")).toMatchObject({ outcome: "denied" });
  });

  it.each([
    ["zsh -c 'git status'", "free"],
    ["zsh -c \"echo *(e:'git push':)\"", "click"],
    ["zsh -c 'repeat 2 git push'", "click"],
    ["zsh <<< '=git push'", "click"],
  ])("rates code for a zsh that a command starts: %s", async (command, risk) => {
    await labFor("bash");
    const verdict = await lab.check(RUN, { command });
    expect(verdict.outcome).toBe(risk === "free" ? "allowed" : "ask");
  });
});
