import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { terminalOperations } from "../../../src/contract/tools/terminal-operations.ts";
import { quickestMs } from "../../support/quickest.ts";
import { running, TerminalLab } from "../../support/terminals.ts";

const SESSION = { session_id: "thread" };

describe("create_session", () => {
  it("2.30 6.2 returns the open terminal for the same directory, and a new one for another", async () => {
    await using lab = new TerminalLab();
    const first = await lab.call("create_session", { working_directory: "." });
    expect(first).toMatchObject({
      session_id: "thread",
      status: "created",
      tty_name: "tty1",
      working_directory: lab.settings.workspaceDir,
    });
    const pid = lab.terminals.get("thread").pid;
    const again = await lab.call("create_session", {
      working_directory: lab.settings.workspaceDir,
    });
    expect(again).toMatchObject({ status: "existing" });
    expect(lab.terminals.get("thread").pid).toBe(pid);
    const other = await lab.call("create_session", { working_directory: "/usr" });
    expect(other).toMatchObject({ status: "created", working_directory: "/usr" });
    expect(lab.terminals.get("thread").pid).not.toBe(pid);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    expect(await lab.output("pwd")).toBe("/usr\n");
  });

  it("2.30 opens one terminal for two that ask at once", async () => {
    await using lab = new TerminalLab();
    const both = await Promise.all([lab.call("create_session"), lab.call("create_session")]);
    expect(both.map(({ status }) => status).sort()).toEqual(["created", "existing"]);
    expect(lab.terminals.list()).toHaveLength(1);
  });

  it("2.30 refuses another conversation's id", async () => {
    await using lab = new TerminalLab();
    const refused = await lab.call("create_session", { conversation_id: "other" });
    expect(refused).toMatchObject({ success: false, kind: "permissionDenied" });
    expect(lab.terminals.list()).toEqual([]);
  });

  it("6.4 opens nothing in a directory that does not exist", async () => {
    await using lab = new TerminalLab();
    const refused = await lab.call("create_session", { working_directory: "/nope" });
    expect(refused).toMatchObject({ success: false });
    expect(refused.message).toContain("does not exist");
    expect(lab.terminals.list()).toEqual([]);
  });

  it("6.1 opens one terminal per conversation", async () => {
    await using lab = new TerminalLab();
    await lab.run("A=first", {}, { conversation: "one" });
    await lab.run("A=second", {}, { conversation: "two" });
    const { output } = await lab.run("echo $A", {}, { conversation: "one" });
    expect(output).toBe("first\n");
    expect(lab.terminals.list().map(({ session_id }) => session_id)).toEqual(["one", "two"]);
  });

  it("6.13 never gives a name twice", async () => {
    await using lab = new TerminalLab();
    await lab.call("create_session", {}, { conversation: "one" });
    await lab.call("create_session", {}, { conversation: "two" });
    await lab.terminals.close("one");
    await lab.call("create_session", {}, { conversation: "three" });
    const names = lab.terminals.list().map(({ tty_name }) => tty_name);
    expect(new Set(names).size).toBe(2);
    expect(names.every((name) => /^tty\d+$/.test(name))).toBe(true);
  });
});

describe("send_input", () => {
  it("2.31 types exactly what it is given and returns what came of it", async () => {
    await using lab = new TerminalLab();
    await lab.run("echo earlier");
    const result = await lab.call("send_input", { ...SESSION, input: "echo h''i\r\n" });
    expect(result).toMatchObject({ success: true, status: "sent", input: "echo h''i\r\n" });
    expect(String(result.output).match(/^hi$/gm)).toHaveLength(1);
    expect(result.output).not.toContain("earlier");
    const { output } = lab.terminals.getOutput("thread", Number(result.from_index));
    expect(output.length).toBe(Number(result.end_index) - Number(result.from_index));
  });

  it("2.31 runs a line that came in two parts, and hints at the missing Enter", async () => {
    await using lab = new TerminalLab();
    await lab.call("create_session");
    const first = await lab.call("send_input", { ...SESSION, input: "echo a" });
    expect(first.hint).toContain("\\r");
    const second = await lab.call("send_input", { ...SESSION, input: " b\r\n" });
    expect(second.output).toMatch(/^a b$/m);
    expect(second.hint).toBeUndefined();
  });

  it("2.31 refuses empty input and a terminal that is not there", async () => {
    await using lab = new TerminalLab();
    const { params } = terminalOperations.operations.send_input;
    expect(params.safeParse({ ...SESSION, input: "" }).success).toBe(false);
    const refused = await lab.call("send_input", { ...SESSION, input: "x\r" });
    expect(refused).toMatchObject({ success: false });
    expect(refused.message).toContain("not found");
  });

  it("2.31 answers a question that a command asks", async () => {
    await using lab = new TerminalLab();
    const asking = lab.run("read -p 'sure? ' answer; echo got $answer");
    await expect.poll(() => lab.terminals.find("thread")?.ring.slice(0) ?? "").toMatch(/sure\? $/);
    await lab.call("send_input", { ...SESSION, input: "yes\r" });
    expect((await asking).output).toBe("sure? yes\ngot yes\n");
  });

  it("2.35 writes nothing into another conversation's terminal", async () => {
    await using lab = new TerminalLab();
    await lab.call("create_session");
    const before = lab.terminals.getHistory("thread");
    const other = { conversation: "other" };
    for (const [name, args] of [
      ["send_input", { ...SESSION, input: "touch intruder\r" }],
      ["get_output", SESSION],
      ["get_history", SESSION],
      ["close_session", SESSION],
    ] as const) {
      expect(await lab.call(name, args, other)).toMatchObject({ kind: "permissionDenied" });
    }
    // Keys of the other one would come to the shell before these.
    expect(await lab.output("echo mine")).toBe("mine\n");
    expect(lab.terminals.getHistory("thread").slice(before.length)).not.toContain("intruder");
    expect(existsSync(join(lab.settings.workspaceDir, "intruder"))).toBe(false);
  });
});

describe("directories, closing, resizing", () => {
  it("2.29 makes a directory with its parents, once", async () => {
    await using lab = new TerminalLab();
    const path = join(lab.settings.workspaceDir, "a/b/c");
    expect(await lab.call("create_directory", { dirPath: "a/b/c" })).toMatchObject({
      path,
      created: true,
    });
    expect(existsSync(path)).toBe(true);
    expect(await lab.call("create_directory", { dirPath: "a/b/c" })).toMatchObject({
      created: false,
    });
    writeFileSync(join(path, "file"), "");
    const refused = await lab.call("create_directory", { dirPath: "a/b/c/file" });
    expect(refused).toMatchObject({ success: false });
    const below = await lab.call("create_directory", { dirPath: "a/b/c/file/d" });
    expect(below).toMatchObject({ success: false });
  });

  it("2.34 closes a terminal with everything in it, once", async () => {
    await using lab = new TerminalLab();
    await lab.run("sleep 4711.2 & setsid sleep 4711.2 &");
    const { pid } = lab.terminals.get("thread");
    expect(await lab.call("close_session", SESSION)).toMatchObject({ status: "closed" });
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    expect(running("sleep 4711.2")).toEqual([]);
    for (const name of ["get_output", "get_history", "close_session"] as const) {
      const refused = await lab.call(name, SESSION);
      expect(refused).toMatchObject({ success: false });
      expect(refused.message).toContain("not found");
    }
  });

  it("2.36 warns of remote shells", () => {
    expect(terminalOperations.description).toContain("ssh");
  });

  it("6.8 resizes the live terminal", async () => {
    await using lab = new TerminalLab();
    await lab.call("create_session");
    lab.terminals.resize("thread", { rows: 40, cols: 120 });
    expect(await lab.output("stty size")).toBe("40 120\n");
    expect(lab.terminals.list()).toMatchObject([{ rows: 40, cols: 120, state: "idle" }]);
  });

  it("6.9 ends a shell that ignores SIGTERM within a second, after 100 ms of grace", async () => {
    await using lab = new TerminalLab();
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await lab.run("trap '' TERM HUP");
      const { pid } = lab.terminals.get("thread");
      times.push(await quickestMs(1, () => lab.terminals.close("thread")));
      expect(existsSync(`/proc/${pid}`)).toBe(false);
      expect(lab.terminals.list()).toEqual([]);
    }
    expect(Math.min(...times)).toBeLessThan(1_000);
  });

  it("6.12 adds what ran elsewhere to the history, once per call", async () => {
    await using lab = new TerminalLab();
    lab.terminals.annotate("thread", "call-1", "# apt install jq\ndone");
    await lab.run("echo here");
    lab.terminals.annotate("thread", "call-2", "# second\n");
    lab.terminals.annotate("thread", "call-2", "# second\n");
    const history = lab.terminals.getHistory("thread");
    expect(history).toContain("# apt install jq\r\ndone\r\n");
    expect(history.indexOf("apt install")).toBeLessThan(history.indexOf("echo here"));
    expect(history.match(/# second\r\n/g)).toHaveLength(1);
    expect(history).toMatch(/# second\r\n[^\r\n]*[$#] $/);
    expect(await lab.output("echo fine")).toBe("fine\n");
  });
});
