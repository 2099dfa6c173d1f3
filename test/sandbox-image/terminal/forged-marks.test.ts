import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MarkCheck } from "../../../sandbox-image/server/terminal/mark-check.ts";
import { MarkParser } from "../../../sandbox-image/server/terminal/marks.ts";
import { Ring } from "../../../sandbox-image/server/terminal/ring.ts";
import { ShellState } from "../../../sandbox-image/server/terminal/shell-state.ts";
import { TerminalLab } from "../../support/terminals.ts";
import { until } from "../../support/until.ts";

/** Writes the marks of a finished command to the terminal, with a nonce that it has learned. */
const forge = (nonce: string, pid = "$$") =>
  `(sleep 0.3; printf '\\e]133;D;0;%s;%s\\a\\e]133;B;%s\\a' "${pid}" "${nonce}" "${nonce}" > /dev/tty) &`;
const NESTED = '$(cat "$(ls -d SCRATCH/t*/ | tail -n 1)nested")';

let lab: TerminalLab;
beforeEach(() => {
  lab = new TerminalLab();
});
afterEach(() => lab[Symbol.asyncDispose]());

describe("marks forged by a background job [2.23]", () => {
  it("control: without a check against the process table, a known nonce ends the command", () => {
    const shell = new ShellState(new Ring(1000));
    const marks = new MarkParser({ own: "known", nested: "other" }, shell);
    marks.push("\x1b]133;D;0;1;known\x07\x1b]133;B;known\x07");
    expect(shell.phase).toBe("prompt");
    marks.push("\x1b]133;C;known\x07working\x1b]133;D;0;1;known\x07\x1b]133;B;known\x07");
    expect(shell.phase).toBe("prompt");
    expect(shell.last?.exitCode).toBe(0);
  });

  it.each([
    ["the nonce of the terminal's own shell, leaked by a subshell", forge("$__deckhand_nonce")],
    ["the nonce of nested shells", forge(NESTED)],
    [
      "the nonce of nested shells, and the pid of the running command",
      forge(NESTED, "$(pgrep -n -x sleep)"),
    ],
    ["the nonce of nested shells, and the job's own pid", forge(NESTED, "$BASHPID")],
  ])("do not end the command in the foreground: %s", async (_what, attack) => {
    await lab.run("true");
    const text = attack.replaceAll("SCRATCH", lab.settings.scratchDir);
    const result = await lab.run(`${text} sleep 1.2; echo real; (exit 3)`);
    expect(result).toMatchObject({ exit_code: 3 });
    expect(result.output).toContain("real");
    expect(Number(result.duration_ms)).toBeGreaterThan(1000);
    expect(await lab.output("echo usable")).toBe("usable\n");
  });

  it.each([
    ["between the commands of a list", "for i in 1 2 3 4 5 6; do sleep 0.2; done"],
    [
      "while the shell computes",
      "sleep 0.5; for ((i = 0; i < 200000; i++)); do :; done; sleep 0.5",
    ],
    [
      "while the shell runs builtins",
      "sleep 0.5; for i in {1..20000}; do printf -v x %s y; done; sleep 0.5",
    ],
  ])("do not end the command when they are repeated, %s", async (_when, work) => {
    await lab.run("true");
    const forged = forge("$__deckhand_nonce").replace(/^\(sleep 0.3; (.*)\) &$/, "$1");
    const attack = `(sleep 0.3; for i in {1..600}; do ${forged}; sleep 0.005; done) &`;
    const result = await lab.run(`${attack} job=$!; ${work}; echo real; kill $job; (exit 3)`);
    expect(result.output).toContain("real");
    expect(result).toMatchObject({ exit_code: 3 });
    expect(await lab.output("echo usable")).toBe("usable\n");
  });

  it.each([
    ["lives on", "true"],
    ["is gone", "kill -KILL $!; wait $! 2> /dev/null; true"],
  ])("do not take the place of the true prompt, whether the job %s", async (_what, after) => {
    const own = Number(await lab.output("echo $$"));
    const started = await lab.output("(while :; do sleep 1; done) 2> /dev/null & echo $!");
    const job = Number(started.trim().split("\n").at(-1));
    expect(job).toBeGreaterThan(1);
    const seen: string[] = [];
    const check = new MarkCheck(() => own, {
      text: () => undefined,
      mark: (mark) => seen.push(mark.kind === "done" ? `done ${mark.exitCode}` : mark.kind),
    });
    check.mark({ kind: "done", exitCode: 3, shellPid: own }, "own");
    check.mark({ kind: "done", exitCode: 0, shellPid: job }, "nested");
    check.mark({ kind: "prompt" }, "own");
    await lab.run(after);
    await until(() => seen.length > 1, "the prompt is told");
    check.end();
    expect(seen).toEqual(["done 3", "prompt"]);
  });

  it("find the own shell's nonce in no file, environment or command line", async () => {
    const nonce = String(await lab.output('echo "$__deckhand_nonce"')).trim();
    expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    const search = [
      `grep -rl ${nonce.slice(0, 31)}[${nonce.slice(31)}] ${lab.settings.scratchDir} ~ | grep -v history`,
      `env | grep ${nonce.slice(0, 31)}[${nonce.slice(31)}]`,
      `bash -c 'set' | grep __deckhand_nonce=`,
    ];
    for (const command of search) expect(await lab.output(command)).toBe("");
    expect(await lab.output("ls /proc/$$/fd | grep -x 9; true")).toBe("");
  });
});
