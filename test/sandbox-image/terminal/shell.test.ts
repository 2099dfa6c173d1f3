import { describe, expect, it } from "vitest";
import { TerminalLab } from "../../support/terminals.ts";

describe("the shell of a terminal", () => {
  it("6.7 opens a new shell after exit, and says what is lost", async () => {
    await using lab = new TerminalLab();
    const left = await lab.run("echo bye; exit 3");
    expect(left).toMatchObject({ success: false, exit_code: 3 });
    expect(left.output).toMatch(/^bye\n/);
    expect(left.notice).toContain("exited with code 3");
    const refused = await lab.call("send_input", { session_id: "thread", input: "echo x\r" });
    expect(refused).toMatchObject({ success: false });
    expect(refused.message).toContain("closed");
    const next = await lab.run("echo back");
    expect(next).toMatchObject({ success: true, output: "back\n" });
    expect(next.notice).toContain("lost");
  });

  it("6.12 shows people the command itself, and keeps it in bash's history", async () => {
    await using lab = new TerminalLab();
    await lab.run("echo visible");
    await lab.run("printf 'a\\n'\nprintf 'b\\n'");
    const history = String((await lab.call("get_history", { session_id: "thread" })).history);
    expect(history).toMatch(/[$#] echo visible\r\nvisible\r\n/);
    expect(history).toContain("printf 'a\\n'\r\n> printf 'b\\n'\r\na\r\nb\r\n");
    expect(history).not.toMatch(/eval|133;|deckhand_/);
    expect(await lab.output("history 2")).toMatch(/\d+ {2}printf 'a/);
  });

  it.each([
    ["exit", 0],
    ["exit 3", 3],
    ["false; exit", 1],
    ["cd /; exit 4", 4],
    ["exec true", 0],
  ])("6.12 goes on in the outer shell after `%s` in one inside it", async (leaving, code) => {
    await using lab = new TerminalLab();
    await lab.run("kept=yes");
    await lab.run("bash");
    expect(await lab.run(leaving)).toMatchObject({ exit_code: code });
    expect(await lab.run("echo $kept")).toMatchObject({ success: true, output: "yes\n" });
  });

  it.each(["bash", "exec bash", "exec bash -l", "bash --norc"])(
    "6.12 goes on inside a shell opened by %j",
    async (command) => {
      await using lab = new TerminalLab();
      expect(await lab.run(command, { timeout: 5 })).toMatchObject({ exit_code: 0 });
      expect(await lab.run("echo inner; (exit 5)")).toMatchObject({
        output: "inner\n",
        exit_code: 5,
      });
    },
  );

  it("6.12 survives files that set prompt and PROMPT_COMMAND", async () => {
    await using lab = new TerminalLab({
      profile: "PS1='mine> '; PROMPT_COMMAND='true'; HISTCONTROL=\n",
    });
    expect(await lab.output("echo works")).toBe("works\n");
    await lab.run("PS1='other> '; PROMPT_COMMAND='date > /dev/null'; PS0=");
    expect(await lab.run("echo still; false")).toMatchObject({ output: "still\n", exit_code: 1 });
    expect(await lab.output("history 9")).not.toContain("eval");
  });

  it("6.12 keeps the prompt out of the output where PROMPT_COMMAND runs programs", async () => {
    await using lab = new TerminalLab({ profile: "PS1='mine> '; PROMPT_COMMAND='sleep 0.2'\n" });
    for (const code of [0, 1, 7])
      expect(await lab.run(`echo ${code}; (exit ${code})`)).toMatchObject({
        output: `${code}\n`,
        exit_code: code,
      });
  });

  it("6.3 is an interactive login bash of 80 by 24", async () => {
    await using lab = new TerminalLab();
    const lines = await lab.output(
      "echo $TERM $LANG; shopt login_shell; stty size; echo $-; id -u",
    );
    expect(lines).toMatch(
      /^xterm-256color C.UTF-8\nlogin_shell\s+on\n24 80\n[a-zA-Z]*i[a-zA-Z]*\n\d+\n$/,
    );
  });

  it("6.3 hands on nothing of the server's environment", async () => {
    process.env.DECKHAND_TEST_SECRET = "secret";
    await using lab = new TerminalLab();
    expect(await lab.output("env")).not.toContain("secret");
    expect(await lab.output("ls -1 /proc/$$/fd")).toMatch(/^0\n1\n2\n255\n$/);
    delete process.env.DECKHAND_TEST_SECRET;
  });

  it("returns to a directory whose name has blanks after a command elsewhere [2.23]", async () => {
    await using lab = new TerminalLab();
    await lab.run("mkdir 'a b'; cd 'a b'");
    await lab.run("true", { working_directory: "/usr" });
    expect(await lab.output("pwd")).toBe(`${lab.settings.workspaceDir}/a b\n`);
  });

  it("says plainly that an image has no such shell, and keeps the terminal that is open [16.10]", async () => {
    await using lab = new TerminalLab();
    const shells = lab.settings.terminalShells as Record<string, string>;
    shells.zsh = "/nowhere/zsh";
    await lab.run("cd /tmp");
    const refused = await lab.run("pwd", {}, { shell: "zsh" });
    expect(refused).toMatchObject({ success: false, kind: "executionFailed" });
    expect(refused.message).toMatch(/^This image has no zsh\. Say `shell bash`/);
    expect(await lab.output("pwd")).toBe("/tmp\n");
  });
});
