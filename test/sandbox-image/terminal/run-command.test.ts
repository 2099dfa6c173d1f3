import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { terminalOperations } from "../../../src/contract/tools/terminal-operations.ts";
import { ownMs } from "../../support/own-clock.ts";
import { TerminalLab } from "../../support/terminals.ts";

describe("run_command in the foreground", () => {
  it("2.22 has the eleven operations", async () => {
    await using lab = new TerminalLab();
    const names = Object.keys(terminalOperations.operations).sort();
    expect(Object.keys(lab.terminals.handlers).sort()).toEqual(names);
    expect(names).toHaveLength(11);
  });

  it("2.23 keeps directory and environment from one command to the next", async () => {
    await using lab = new TerminalLab();
    await lab.run("cd /tmp && export A=1; f() { echo from f; }; declare -a list=(x y)");
    expect(await lab.output("echo $A $PWD; f; echo $list")).toBe("1 /tmp\nfrom f\nx\n");
  });

  it("2.23 waits for a quiet command", async () => {
    await using lab = new TerminalLab();
    const result = await lab.run("sleep 1.7; echo done");
    expect(result).toMatchObject({ success: true, output: "done\n", exit_code: 0 });
    expect(result.duration_ms).toBeGreaterThan(1600);
  });

  it("2.23 gives output and code of a command that fails", async () => {
    await using lab = new TerminalLab();
    expect(await lab.run("false")).toMatchObject({
      success: false,
      kind: "executionFailed",
      exit_code: 1,
    });
    expect(await lab.output("echo $?")).toBe("1\n");
    const result = await lab.run("echo before; (exit 42)");
    expect(result).toMatchObject({ success: false, exit_code: 42, output: "before\n" });
    expect(result.message).toContain("42");
  });

  it("2.23 cuts long output with a notice", async () => {
    await using lab = new TerminalLab();
    const result = await lab.run("seq 1 20000");
    expect(result.truncated).toBe(true);
    expect(String(result.output).length).toBeLessThanOrEqual(60 * 1024);
    expect(result.output).toMatch(/^1\n2\n/);
    expect(result.output).toMatch(/\n20000\n$/);
    expect(result.output).toContain("characters left out");
    expect(await lab.run("seq 1 100")).toMatchObject({ truncated: false });
  });

  it("2.23 runs several lines as one command", async () => {
    await using lab = new TerminalLab();
    expect(await lab.output("for i in 1 2; do\n  echo $i\ndone\ncat <<EOF\nit's\nEOF")).toBe(
      "1\n2\nit's\n",
    );
  });

  it.each(["echo 'open", 'echo "open', "echo $(", "if true; then", "for", "cat <<EOF", "echo \\"])(
    "2.23 does not hang at %j",
    async (command) => {
      await using lab = new TerminalLab();
      const began = ownMs();
      await lab.run(command);
      expect(ownMs() - began).toBeLessThan(30_000);
      expect(await lab.output("echo still here")).toBe("still here\n");
    },
  );

  it("2.23 returns output without escape sequences", async () => {
    await using lab = new TerminalLab();
    const command = "printf '\\e[31mred\\e[0m \\e]0;title\\a10%%\\r20%%\\n\\e]52;c;eA==\\aend\\n'";
    expect(await lab.output(command)).toBe("20%\nend\n");
  });

  it("2.23 is not fooled by marks in the output", async () => {
    await using lab = new TerminalLab();
    const forged = "\\e]133;D;0;1;0123456789abcdef\\a\\e]133;B\\a";
    const result = await lab.run(`printf '${forged}'; sleep 0.3; echo real; (exit 9)`);
    expect(result).toMatchObject({ exit_code: 9, output: "real\n" });
  });

  it("2.23 applies working_directory to one command, unless it goes elsewhere itself", async () => {
    await using lab = new TerminalLab();
    const home = `${lab.settings.workspaceDir}\n`;
    expect(await lab.output("pwd", { working_directory: "/usr" })).toBe("/usr\n");
    expect(await lab.output("pwd")).toBe(home);
    await lab.run("cd /tmp", { working_directory: "/usr" });
    expect(await lab.output("pwd")).toBe("/tmp\n");
    const missing = await lab.run("pwd", { working_directory: "nowhere" });
    expect(missing).toMatchObject({ success: false });
    expect(missing.message).toContain("does not exist");
  });

  it("2.23 goes back from working_directory after a timeout, too", async () => {
    await using lab = new TerminalLab();
    await lab.run("sleep 60", { working_directory: "/usr", timeout: 1 });
    expect(await lab.output("pwd")).toBe(`${lab.settings.workspaceDir}\n`);
  });

  it("2.23 ends a flood about two seconds after it began where that is its timeout, and the next command works", async () => {
    await using lab = new TerminalLab();
    await lab.output("echo ready");
    const began = ownMs();
    const result = await lab.run("yes", { timeout: 2 });
    expect(result).toMatchObject({ success: false, kind: "timeout", truncated: true });
    expect(result.output).toMatch(/^y\ny\n/);
    expect(await lab.output("echo next")).toBe("next\n");
    expect(ownMs() - began).toBeLessThan(3_000);
  });

  it("2.23 says so when the shell itself is stuck and had to go", async () => {
    await using lab = new TerminalLab();
    const result = await lab.run("trap '' INT; while :; do :; done", { timeout: 1 });
    expect(result).toMatchObject({ kind: "timeout" });
    expect(result.notice).toContain("lost");
    const next = await lab.run("echo new");
    expect(next).toMatchObject({ success: true, output: "new\n" });
    expect(next.notice).toContain("lost");
  });

  it("2.23 reports progress while it runs", async () => {
    await using lab = new TerminalLab();
    const seen: string[] = [];
    // It goes on once its last words were told.
    const progress = (text: string) => {
      seen.push(text);
      writeFileSync(join(lab.settings.workspaceDir, `told-${seen.length}`), "");
    };
    const told = (times: number) => `until [ -e told-${times} ]; do sleep 0.05; done`;
    await lab.run(`echo one; ${told(1)}; echo two; ${told(2)}`, {}, { progress });
    expect(seen).toEqual(["one\n", "one\ntwo\n"]);
  });

  it("2.23 runs commands that come at the same time one after the other", async () => {
    await using lab = new TerminalLab();
    const results = await Promise.all(
      ["a", "b", "c"].map((name) => lab.output(`sleep 0.1; echo ${name}`)),
    );
    expect(results).toEqual(["a\n", "b\n", "c\n"]);
  });

  it("2.23 refuses while something typed is running, and says what", async () => {
    await using lab = new TerminalLab();
    await lab.call("create_session");
    await lab.call("send_input", { session_id: "thread", input: "sleep 50\r" });
    const refused = await lab.run("echo no");
    expect(refused).toMatchObject({ success: false, kind: "executionFailed", running: "sleep 50" });
    expect(refused.message).toContain("Ctrl-C");
    await lab.call("send_input", { session_id: "thread", input: "\x03" });
    expect(await lab.output("echo yes")).toBe("yes\n");
  });

  it("2.23 is not disturbed by half a typed line", async () => {
    await using lab = new TerminalLab();
    await lab.call("create_session");
    await lab.call("send_input", { session_id: "thread", input: "echo 'half\r" });
    await lab.call("send_input", { session_id: "thread", input: "typed" });
    expect(await lab.output("echo whole")).toBe("whole\n");
  });

  it("2.24 never answers with an earlier result", async () => {
    await using lab = new TerminalLab();
    expect(await lab.output("date +%N")).not.toBe(await lab.output("date +%N"));
  });

  it("2.23 takes a command of a megabyte", async () => {
    await using lab = new TerminalLab();
    const content = "0123456789abcde\n".repeat(65_536);
    await lab.run(`cat > big <<'EOF'\n${content}EOF`);
    expect(readFileSync(join(lab.settings.workspaceDir, "big"), "utf8")).toBe(content);
  });

  it("says that the shell has ended where a profile ends it, and not that it is busy", async () => {
    await using lab = new TerminalLab({ profile: "exit 3" });
    expect(await lab.run("echo never")).toMatchObject({
      success: false,
      message: expect.stringMatching(/^The shell exited before its prompt \(exit code 3\)/),
    });
  });

  it("2.23 runs the first command of a warm workspace at once", async () => {
    await using lab = new TerminalLab({ profile: "echo once >> ~/starts" });
    const starts = () => readFileSync(join(lab.settings.homeDir, "starts"), "utf8");
    await lab.terminals.prewarm();
    // No shell has to start any more: that is what takes the time.
    expect(starts()).toBe("once\n");
    expect(await lab.output("pwd")).toBe(`${lab.settings.workspaceDir}\n`);
    expect(starts()).toBe("once\n");
    expect(lab.terminals.list()).toHaveLength(1);
  });

  it("rehearses a command in a terminal of which nothing remains", async () => {
    await using lab = new TerminalLab({ profile: "echo $BASHPID >> ~/starts" });
    const starts = () => readFileSync(join(lab.settings.homeDir, "starts"), "utf8").split("\n");
    await lab.terminals.rehearse();
    const [spare, rehearsal] = starts();
    expect(lab.terminals.list()).toEqual([]);
    expect(existsSync(`/proc/${rehearsal}`)).toBe(false);
    expect(await lab.output("echo $$")).toBe(`${spare}\n`);
    expect(lab.terminals.list()).toMatchObject([{ tty_name: "tty1" }]);
    expect(starts()).toHaveLength(3);
  });
});
