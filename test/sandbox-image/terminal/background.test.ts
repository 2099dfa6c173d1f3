import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { quickestMs } from "../../support/quickest.ts";
import { TerminalLab } from "../../support/terminals.ts";

describe("run_command in the background", () => {
  it("2.23 returns an id and a pid within a second", async () => {
    await using lab = new TerminalLab();
    const started = () => lab.run("sleep 100", { isBackground: true });
    const result = await started();
    const more = await quickestMs(3, started);
    expect(more).toBeLessThan(1_000);
    expect(result).toMatchObject({ success: true, isRunning: true });
    // Empty for a moment while the kernel puts the command in the place of the program that starts it.
    await expect.poll(() => readFileSync(`/proc/${result.pid}/cmdline`, "utf8")).toContain("sleep");
    expect(lab.terminals.backgroundRunning()).toBe(4);
    expect(lab.terminals.list()).toEqual([]);
  });

  it("2.25 shows output so far, then the exit code", async () => {
    await using lab = new TerminalLab();
    const { id } = await lab.run(
      "echo 1; echo 2; until [ -e go ]; do sleep 0.05; done; echo 3; echo bad >&2; exit 4",
      {
        isBackground: true,
      },
    );
    await expect
      .poll(() => lab.call("get_terminal_output", { id }))
      .toMatchObject({
        terminalId: id,
        output: "1\n2\n",
        isRunning: true,
        exitCode: null,
        truncated: false,
      });
    writeFileSync(join(lab.settings.workspaceDir, "go"), "");
    await expect.poll(() => lab.terminals.backgroundRunning()).toBe(0);
    expect(await lab.call("get_terminal_output", { id })).toMatchObject({
      output: "1\n2\n3\nbad\n",
      isRunning: false,
      exitCode: 4,
    });
  });

  it("2.25 refuses an unknown id and another conversation's", async () => {
    await using lab = new TerminalLab();
    const { id } = await lab.run("sleep 100", { isBackground: true });
    expect(await lab.call("get_terminal_output", { id: "bg-99" })).toMatchObject({
      success: false,
    });
    const other = await lab.call("get_terminal_output", { id }, { conversation: "other" });
    expect(other).toMatchObject({ success: false });
  });

  it("2.25 bounds output and number", async () => {
    await using lab = new TerminalLab();
    const { id } = await lab.run("seq 1 200000", { isBackground: true });
    await expect.poll(() => lab.terminals.backgroundRunning()).toBe(0);
    const result = await lab.call("get_terminal_output", { id });
    expect(result.truncated).toBe(true);
    expect(String(result.output).length).toBeLessThanOrEqual(60 * 1024);
    for (let count = 0; count < 32; count++) await lab.run("sleep 100", { isBackground: true });
    const refused = await lab.run("sleep 100", { isBackground: true });
    expect(refused).toMatchObject({ success: false });
    expect(refused.message).toContain("32");
  });

  it("2.23 says so when a program or a directory is missing", async () => {
    await using lab = new TerminalLab();
    writeFileSync(join(lab.settings.workspaceDir, "file"), "");
    const wrong = await lab.run("true", { isBackground: true, working_directory: "file" });
    expect(wrong.message).toContain("is not a directory");
    const { id } = await lab.run("no-such-program", { isBackground: true });
    await expect.poll(() => lab.terminals.backgroundRunning()).toBe(0);
    expect(await lab.call("get_terminal_output", { id })).toMatchObject({ exitCode: 127 });
  });
});
