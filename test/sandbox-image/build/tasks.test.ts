import { describe, expect, it } from "vitest";
import { running } from "../../support/terminals.ts";
import { BuildLab } from "./workspace.ts";

// biome-ignore lint/suspicious/noTemplateCurlyInString: the variable of tasks.json
const FOLDER = "${workspaceFolder}";

describe("2.43 create_and_run_task", () => {
  it("runs the command with each argument as one word", async () => {
    await using lab = new BuildLab();
    const args = [
      "[%s]\\n",
      "a b",
      "",
      "$HOME",
      "`id`",
      "';echo x;'",
      '"',
      "*",
      "-n",
      "a\nb",
      "\\",
    ];
    const result = await lab.task({ label: "t", command: "printf", args });
    expect(result).toMatchObject({ success: true, exitCode: 0, status: "finished", label: "t" });
    expect(result.output).toBe(
      args
        .slice(1)
        .map((arg) => `[${arg}]\n`)
        .join(""),
    );
    const echo = await lab.task({ label: "t", command: "echo", args: ["a b"] });
    expect(echo.output).toBe("a b\n");
  });

  it("replaces the task of the same label, per conversation", async () => {
    await using lab = new BuildLab();
    await lab.task({ label: "t", command: "echo one" });
    const again = await lab.task({ label: "t", command: "echo two" });
    expect(again).toMatchObject({ output: "two\n", tasks: ["t"] });
    expect(await lab.call("run_task", { label: "t" })).toMatchObject({ output: "two\n" });
    const other = { conversation: "other" };
    expect(await lab.call("run_task", { label: "t" }, other)).toMatchObject({ success: false });
    expect(await lab.call("get_task_output", { id: "t" }, other)).toMatchObject({ success: false });
  });

  it("tells a failure with its exit code and output", async () => {
    await using lab = new BuildLab();
    const result = await lab.task({ label: "t", command: "echo bad >&2; exit 3" });
    expect(result).toMatchObject({ success: false, exitCode: 3, output: "bad\n" });
    expect(result.message).toContain("exit code 3");
  });

  it("starts a background task and returns its id at once", async () => {
    await using lab = new BuildLab();
    const result = await lab.task({ label: "server", command: "sleep 1000", isBackground: "true" });
    expect(result).toMatchObject({ success: true, status: "running" });
    expect(result).not.toHaveProperty("exitCode");
    expect(lab.background.running.map(({ id }) => id)).toEqual([result.id]);
  });

  it.each([
    [{ type: "shell", command: "x" }, "label"],
    [{ label: "t", command: "x" }, "type"],
    [{ label: "t", type: "shell" }, "command"],
    [{ label: "t", type: "process", command: "x" }, 'type must be "shell"'],
    [{ label: "t", type: "shell", command: "x", args: [5] }, "args"],
    [{ label: "t", type: "shell", command: "x", args: ["a\0b"] }, "NUL"],
  ])("refuses %j and names what is wrong", async (task, named) => {
    await using lab = new BuildLab();
    const result = await lab.call("create_and_run_task", { task });
    expect(result).toMatchObject({ success: false, kind: "invalidParameters" });
    expect(result.message).toContain(named);
  });

  it("refuses a command line that the kernel would not take, and does not store it", async () => {
    await using lab = new BuildLab();
    const result = await lab.task({ label: "t", command: "true", args: ["x".repeat(130_000)] });
    expect(result).toMatchObject({ success: false, kind: "invalidParameters" });
    expect(result.message).toContain("script file");
    expect((await lab.call("run_task", { label: "t" })).message).toContain("Known: none");
  });

  it("15.6 fills in the workspace folder, also one with blanks and quotes", async () => {
    await using lab = new BuildLab();
    const odd = `it's "a" $(touch canary) folder`;
    lab.write(`${odd}/file`, "");
    const task = { label: "t", type: "shell", command: `echo "${FOLDER}"`, args: [`${FOLDER}/x`] };
    const plain = await lab.call("create_and_run_task", { task });
    expect(plain.output).toBe(`${lab.dir} ${lab.dir}/x\n`);
    const result = await lab.call("create_and_run_task", { task, workspaceFolder: odd });
    expect(result.output).toBe(`${lab.path(odd)} ${lab.path(odd)}/x\n`);
    const where = await lab.call("create_and_run_task", {
      task: { label: "p", type: "shell", command: "ls" },
      workspaceFolder: odd,
    });
    expect(where.output).toBe("file\n");
  });

  it("15.6 reads errors out of the output with the named matchers", async () => {
    await using lab = new BuildLab();
    lab.write("sub/x", "");
    lab.write("out", "src/a.ts(3,5): error TS2322: Type 'x'.\nb.c:7:2: warning: unused\n");
    const task = { label: "t", type: "shell", command: "cat ../out; false" };
    const run = (problemMatcher: unknown) =>
      lab.call("create_and_run_task", {
        task: { ...task, problemMatcher },
        workspaceFolder: "sub",
      });
    expect(await run(["$tsc"])).toMatchObject({
      success: false,
      errorCount: 1,
      errors: [{ file: "sub/src/a.ts", line: 3, column: 5, severity: "error", code: "TS2322" }],
    });
    expect(await run(["$tsc", "$gcc"])).toMatchObject({ errorCount: 2 });
    expect(await lab.call("get_task_output", { label: "t" })).toMatchObject({ errorCount: 2 });
    const unknown = await run("$nope");
    expect(unknown).not.toHaveProperty("errors");
    expect(unknown.notice).toContain("$eslint-stylish");
    expect(lab.runs.lastOutput("main")).toContain("TS2322");
  });

  const mark = `${4_000_000 + process.pid}`;
  const command = `(setsid sleep ${mark} &) ; echo begun; trap '' TERM; sleep ${mark}; sleep ${mark}`;

  it("leaves nothing of a task that takes too long", async () => {
    await using lab = new BuildLab({ timeoutMs: 4_000 });
    const late = await lab.task({ label: "late", command });
    expect(late).toMatchObject({ success: false, kind: "timeout", output: "begun\n" });
    expect(late.message).toContain("isBackground: true");
    expect(running(mark)).toEqual([]);
  });

  it("leaves nothing of a task that is cancelled", async () => {
    await using lab = new BuildLab();
    const abort = new AbortController();
    const call = lab.task({ label: "t", command }, { signal: abort.signal });
    await expect.poll(() => running(mark).length).toBeGreaterThan(1);
    expect(await lab.call("get_task_output", { label: "t" })).toMatchObject({ status: "running" });
    abort.abort();
    expect(await call).toMatchObject({ success: false, cancelled: true });
    expect(running(mark)).toEqual([]);
    expect(await lab.call("get_task_output", { label: "t" })).toMatchObject({
      status: "finished",
      exitCode: null,
      output: "begun\n",
    });
  });
});

describe("2.45 get_task_output", () => {
  it("grows while a background task prints, then has the exit code", async () => {
    await using lab = new BuildLab();
    const command = "echo 1; until [ -e go ]; do sleep 0.05; done; echo 2; echo 3; exit 4";
    const { id } = await lab.task({ label: "t", command, isBackground: true });
    const early = { status: "running", exitCode: null, output: "1\n", label: "t" };
    await expect.poll(() => lab.call("get_task_output", { id })).toMatchObject(early);
    lab.write("go", "");
    await expect.poll(() => lab.background.running.length).toBe(0);
    const end = { status: "finished", exitCode: 4, output: "1\n2\n3\n" };
    for (const params of [{ id }, { id: "t" }, { label: "t" }, { task_label: "t" }]) {
      expect(await lab.call("get_task_output", params)).toMatchObject({ success: true, ...end });
    }
  });

  it("bounds the output to 60 KB and keeps its end", async () => {
    await using lab = new BuildLab();
    await lab.task({ label: "t", command: "seq 1 200000" });
    const result = await lab.call("get_task_output", { label: "t" });
    expect(result.truncated).toBe(true);
    expect(String(result.output).length).toBeLessThanOrEqual(60 * 1024);
    expect(result.output).toMatch(/200000\n$/);
  });

  it("answers a label with its newest run, and an unknown one with the known", async () => {
    await using lab = new BuildLab();
    await lab.task({ label: "t", command: "echo old" });
    const { id } = await lab.task({ label: "t", command: "echo new" });
    expect(await lab.call("get_task_output", { label: "t" })).toMatchObject({
      id,
      output: "new\n",
    });
    const unknown = await lab.call("get_task_output", { id: "zzz" });
    expect(unknown).toMatchObject({ success: false, kind: "executionFailed" });
    expect(unknown.message).toContain(`${id} (t)`);
  });

  it("forgets old runs, never running ones", async () => {
    await using lab = new BuildLab();
    const { id } = await lab.task({ label: "server", command: "sleep 1000", isBackground: true });
    for (let n = 0; n < 102; n++) await lab.task({ label: `t${n}`, command: "true" });
    expect(await lab.call("get_task_output", { id })).toMatchObject({ status: "running" });
    expect(await lab.call("get_task_output", { label: "t0" })).toMatchObject({ success: false });
  });
});
