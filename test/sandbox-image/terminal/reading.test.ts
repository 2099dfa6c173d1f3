import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { terminalOperations } from "../../../src/contract/tools/terminal-operations.ts";
import { TerminalLab } from "../../support/terminals.ts";

const SESSION = { session_id: "thread" };

describe("reading a terminal", () => {
  it("2.32 reconstructs the exact stream by polling", async () => {
    await using lab = new TerminalLab();
    await lab.call("create_session");
    const job = lab.run("for i in $(seq 1 400); do printf '日本語 %s 🚢é\\n' $i; done");
    let polled = "";
    let from = 0;
    const poll = async () => {
      const piece = await lab.call("get_output", { ...SESSION, from_index: from });
      expect(piece.from_index).toBe(from);
      polled += piece.output;
      from = Number(piece.end_index);
    };
    let isOver = false;
    void job.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await poll();
      await tick();
    }
    const { history } = await lab.call("get_history", SESSION);
    while (polled.length < String(history).length) await poll();
    // The prompt may have come meanwhile.
    expect(polled.slice(0, String(history).length)).toBe(history);
    expect(history).toContain("日本語 400 🚢é\r\n");
  });

  it("2.32 gives nothing beyond the end and refuses a negative index", async () => {
    await using lab = new TerminalLab();
    await lab.call("create_session");
    expect(await lab.call("get_output", { ...SESSION, from_index: 10_000 })).toMatchObject({
      success: true,
      output: "",
    });
    const { params } = terminalOperations.operations.get_output;
    expect(params.safeParse({ ...SESSION, from_index: -1 }).success).toBe(false);
  });

  it("6.6 says how much of a too old index is gone", async () => {
    await using lab = new TerminalLab();
    await lab.run("head -c 10000000 /dev/zero | tr '\\0' x | fold -w 79");
    const result = await lab.call("get_output", { ...SESSION, from_index: 0 });
    expect(result.dropped).toBeGreaterThan(8_000_000);
    expect(result.from_index).toBe(result.dropped);
    expect(String(result.output).length).toBe(Number(result.end_index) - Number(result.from_index));
    expect(String(result.output).length).toBeLessThanOrEqual(4 * 1024 * 1024);
  });

  it("6.5 keeps a megabyte of multi-byte text whole", async () => {
    await using lab = new TerminalLab();
    const line = "žluťoučký kůň 🐎 日本語";
    writeFileSync(join(lab.settings.workspaceDir, "text"), `${line}\n`.repeat(22_000));
    await lab.call("create_session");
    let seen = "";
    lab.terminals.follow("thread", 0, (piece) => {
      seen += piece.output;
      lab.terminals.ack("thread", piece.from_index + piece.output.length);
    });
    await lab.run("cat text");
    await expect.poll(() => seen.split(`${line}\r\n`).length).toBe(22_001);
    expect(seen).not.toContain("\ufffd");
  });

  it("2.26 shows the screen as a person would see it", async () => {
    await using lab = new TerminalLab();
    expect(await lab.call("get_terminal_buffer")).toMatchObject({ success: true, buffer: "" });
    await lab.run("seq 1 100");
    const { buffer } = await lab.call("get_terminal_buffer");
    const lines = String(buffer).split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines).toContain("100");
    expect(lines).not.toContain("50");
    await lab.run("clear");
    const cleared = String((await lab.call("get_terminal_buffer")).buffer);
    expect(cleared.split("\n").length).toBeLessThanOrEqual(2);
    expect((await lab.call("get_history", SESSION)).history).toContain("\r\n50\r\n");
  });

  it("2.26 shows a true screen after a flood and a resize", async () => {
    await using lab = new TerminalLab();
    await lab.call("create_session");
    await lab.call("get_terminal_buffer");
    await lab.run("seq 1 200000");
    lab.terminals.resize("thread", { rows: 40, cols: 120 });
    expect(await lab.output("stty size")).toBe("40 120\n");
    const { buffer, rows, cols } = await lab.call("get_terminal_buffer");
    expect({ rows, cols }).toEqual({ rows: 40, cols: 120 });
    const lines = String(buffer).split("\n");
    expect(lines).toContain("200000");
    expect(lines.at(-2)).toBe("40 120");
  });

  it("2.27 knows the last command, typed or run", async () => {
    await using lab = new TerminalLab();
    expect(await lab.call("get_last_command")).toMatchObject({ success: true, command: null });
    await lab.run("false");
    const last = await lab.call("get_last_command");
    expect(last).toMatchObject({ command: "false", exitCode: 1 });
    expect(Date.parse(String(last.timestamp))).toBeGreaterThan(Date.now() - 60_000);
    await lab.call("send_input", { ...SESSION, input: "(exit 7)\r" });
    expect(await lab.call("get_last_command")).toMatchObject({ command: "(exit 7)", exitCode: 7 });
    const long = `echo ${"long ".repeat(40)}end`;
    await lab.call("send_input", { ...SESSION, input: `${long}\r` });
    expect(await lab.call("get_last_command")).toMatchObject({ command: long, exitCode: 0 });
    const other = await lab.call("get_last_command", {}, { conversation: "other" });
    expect(other).toMatchObject({ command: null });
  });

  it("2.28 has no selection of its own", async () => {
    await using lab = new TerminalLab();
    const result = await lab.call("get_terminal_selection");
    expect(result).toMatchObject({ success: true, selection: "" });
    expect(result.message).toBeTruthy();
  });

  it("2.33 6.11 keeps the history and the code of a shell that exited", async () => {
    await using lab = new TerminalLab();
    await lab.run("echo last words; exit 3");
    const history = await lab.call("get_history", SESSION);
    expect(history).toMatchObject({ state: "exited", exit_code: 3 });
    expect(history.history).toContain("last words");
    expect(lab.terminals.list()).toMatchObject([{ state: "exited", exit_code: 3 }]);
  });

  it("decodes code page 437 where create_session asks for it [6.5, 15.18]", async () => {
    await using lab = new TerminalLab();
    const box = "printf '\\xc9\\xcd\\xbb\\n'";
    const open = (params: object) => lab.call("create_session", params);
    expect(await open({ encoding: "cp437" })).toMatchObject({ status: "created" });
    expect(await lab.output(box)).toBe("╔═╗\n");
    expect(await open({})).toMatchObject({ status: "existing" });
    expect(await lab.output(box)).toBe("╔═╗\n");
    expect(await open({ encoding: "utf8" })).toMatchObject({ status: "created" });
    expect(await lab.output("printf '╔═╗\\n'")).toBe("╔═╗\n");
  });
});
