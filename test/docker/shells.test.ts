import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OperationResult } from "../../src/contract/tools/operation.ts";
import { Shell } from "../../src/contract/workspace/shell.ts";
import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { startEngine, type TestEngine } from "../support/engine.ts";
import { until } from "../support/until.ts";

let engine: TestEngine;
let workspace: Workspace;
beforeAll(async () => {
  engine = await startEngine();
  workspace = await engine.workspaces.open("shells", { fence: 1 });
});
afterAll(() => engine[Symbol.asyncDispose]());

/** Each shell has a terminal of its own in the one workspace. */
function use(
  shell: Shell,
  operation: string,
  args: object = {},
  { name = shell, in: place = workspace }: { name?: string; in?: Workspace } = {},
): Promise<OperationResult> {
  return place.call({
    id: randomUUID(),
    tool: "terminal_operations",
    args: { operation, ...args },
    shell,
    terminal: { name, directory: "." },
  });
}

const run = (shell: Shell, command: string, args: object = {}, how = {}) =>
  use(shell, "run_command", { command, ...args }, how);
const output = async (shell: Shell, command: string) => (await run(shell, command)).output;

const HISTORY = { bash: "history", zsh: "fc -l -100", fish: "history" };
const NONCE = "echo $__deckhand_nonce";
const OWN_PID = { bash: "echo $$", zsh: "echo $$", fish: "echo $fish_pid" };
/** Files of a person who sets everything that the marks stand on. */
const OWN_FILES = {
  bash: ["~/.bashrc", "PS1='mine> '; PROMPT_COMMAND=true; PS0=; export MINE=obeyed"],
  zsh: [
    "~/.zshrc",
    "PROMPT='mine> '; precmd_functions=(true); preexec_functions=(); psvar=(); bindkey -v; export MINE=obeyed",
  ],
  fish: [
    "~/.config/fish/config.fish",
    "function fish_prompt; echo 'mine> '; end; fish_vi_key_bindings; set -gx MINE obeyed",
  ],
} as const;
const TAKES_MARKS_AWAY = {
  bash: "PS1='other> '; PROMPT_COMMAND=true; PS0=",
  zsh: "PROMPT='other> '; precmd_functions=(); preexec_functions=(); psvar=(); bindkey -d",
  fish: "function fish_prompt; echo 'other> '; end; bind --erase --all",
};

describe.each(Shell.options)("a terminal of %s [16.10]", (shell) => {
  it.each([
    ["output and exit code 0", "echo hi", { output: "hi\n", exit_code: 0 }],
    ["another exit code", "sh -c 'exit 7'", { output: "", exit_code: 7 }],
    ["output without a last newline", "printf abc", { output: "abc", exit_code: 0 }],
    ["several lines", "echo one\necho two", { output: "one\ntwo\n", exit_code: 0 }],
    ["text that is not ASCII", "echo 'äö ✓'", { output: "äö ✓\n", exit_code: 0 }],
    ["quotes and dollars", `echo "it's" '$HOME'`, { output: "it's $HOME\n", exit_code: 0 }],
    ["a program that is missing", "no-such-program", { exit_code: 127 }],
    ["the end by a signal", "sh -c 'kill -9 $$'", { exit_code: 137 }],
  ])("tells %s", async (_what, command, expected) => {
    expect(await run(shell, command)).toMatchObject(expected);
  });

  it("keeps directory and exported variables from command to command, and tells the directory", async () => {
    const made = await run(shell, `mkdir -p 'ä ${shell}'; cd 'ä ${shell}'; export KEPT=yes`);
    expect(made).toMatchObject({ exit_code: 0, working_directory: `/workspace/ä ${shell}` });
    expect(await output(shell, "echo $KEPT; pwd")).toBe(`yes\n/workspace/ä ${shell}\n`);
    const elsewhere = await run(shell, "pwd", { working_directory: "/tmp" });
    expect(elsewhere).toMatchObject({
      output: "/tmp\n",
      working_directory: `/workspace/ä ${shell}`,
    });
    expect(await output(shell, "pwd; cd /workspace")).toBe(`/workspace/ä ${shell}\n`);
  });

  it("takes an open quote for an error, not for half a line", async () => {
    expect(await run(shell, "echo 'open")).toMatchObject({
      success: false,
      kind: "executionFailed",
    });
    expect(await output(shell, "echo usable")).toBe("usable\n");
  });

  it("stops a command that takes too long, and is usable afterwards", async () => {
    const stopped = await run(shell, "sleep 600", { timeout: 1 });
    expect(stopped).toMatchObject({ success: false, kind: "timeout" });
    expect(stopped.notice).toBeUndefined();
    expect(await output(shell, "echo usable; pgrep -x sleep")).toBe("usable\n");
  });

  it("keeps its commands in the shell's history, and nothing of ours", async () => {
    await run(shell, "echo remembered");
    const history = await output(shell, HISTORY[shell]);
    expect(history).toContain("echo remembered");
    expect(history).not.toMatch(/deckhand|eval/);
  });

  it("runs what is typed, shows it on the screen and tells how it ended", async () => {
    const { session_id } = await use(shell, "create_session");
    await use(shell, "send_input", { session_id, input: "clear; echo typed-in; false\r" });
    const last = () => use(shell, "get_last_command");
    await until(async () => (await last()).exitCode === 1, "the end of the typed command");
    expect(await last()).toMatchObject({ command: "clear; echo typed-in; false" });
    const { buffer } = await use(shell, "get_terminal_buffer");
    expect(buffer).toMatch(/^typed-in$/m);
    // Half a line that stands at the prompt is no part of the next command.
    await use(shell, "send_input", { session_id, input: "echo half" });
    expect(await output(shell, "echo whole")).toBe("whole\n");
  });

  it("runs commands in a bash inside it", async () => {
    const name = `nested-${shell}`;
    expect(await run(shell, "bash", {}, { name })).toMatchObject({ exit_code: 0 });
    const inner = await run(shell, 'echo "$BASH_VERSION"; (exit 5)', {}, { name });
    expect(inner).toMatchObject({ exit_code: 5 });
    expect(inner.output).toMatch(/^5\./);
    await use(shell, "close_session", { session_id: name });
  });

  it("obeys people's own files, which cannot take its marks away", async () => {
    const name = `own-${shell}`;
    const [file, text] = OWN_FILES[shell];
    const lay = `mkdir -p ~/.config/fish; cp ${file} /tmp/before 2>/dev/null; cat > ${file} <<'E'\n${text}\nE`;
    await run("bash", lay);
    expect(await run(shell, "echo $MINE; false", {}, { name })).toMatchObject({
      output: "obeyed\n",
      exit_code: 1,
    });
    await run(shell, TAKES_MARKS_AWAY[shell], {}, { name });
    expect(await run(shell, "echo still; false", {}, { name })).toMatchObject({
      output: "still\n",
      exit_code: 1,
    });
    await use(shell, "close_session", { session_id: name });
    await run("bash", `rm ${file}; mv /tmp/before ${file} 2>/dev/null`);
  });

  it("has a nonce that no other process can read", async () => {
    const nonce = String(await output(shell, NONCE)).trim();
    expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    const pid = String(await output(shell, OWN_PID[shell])).trim();
    const search = `grep -rl ${nonce.slice(0, 31)}[${nonce.slice(31)}] /tmp/.deckhand | wc -l`;
    expect(await output("bash", search)).toBe("0\n");
    for (const file of ["environ", "mem", "fd/9", "maps"])
      expect(await run("bash", `cat /proc/${pid}/${file}`)).toMatchObject({ exit_code: 1 });
    expect(await output(shell, `env | grep -c ${nonce}`)).toBe("0\n");
  });

  it("outlives the bot", async () => {
    await run(shell, "export LIVES=on");
    const again = await (await engine.again()).open("shells", { fence: 2 });
    const how = { in: again };
    expect(await run(shell, "echo $LIVES", {}, how)).toMatchObject({ output: "on\n" });
    workspace = again;
  });
});

describe("a thread that changes its shell [16.10]", () => {
  const name = "changing";

  it("gets a new terminal at the next command, which keeps the directory and says what is lost", async () => {
    await run("bash", "cd /tmp; FORGOTTEN=yes", {}, { name });
    const first = await run("fish", "pwd; echo $FORGOTTEN", {}, { name });
    expect(first).toMatchObject({ output: "/tmp\n\n", working_directory: "/tmp" });
    expect(first.notice).toBe(
      "This ran in fish instead of bash: the directory is kept, variables and functions are lost.",
    );
    expect((await run("fish", "true", {}, { name })).notice).toBeUndefined();
    const found = (await workspace.terminals()).find(({ session_id }) => session_id === name);
    expect(found).toMatchObject({ shell: "fish" });
  });

  it("keeps a terminal in which something runs until that has ended", async () => {
    await run("fish", "sleep 600 &", {}, { name });
    const refused = await run("zsh", "echo hi", {}, { name });
    expect(refused).toMatchObject({ success: false, running: "sleep 600" });
    expect(refused.message).toContain("its fish terminal still runs `sleep 600`");
    await run("fish", "pkill -x sleep", {}, { name });
    expect(await run("zsh", "echo hi", {}, { name })).toMatchObject({ output: "hi\n" });
  });
});

describe("an approved command that only its shell can read [16.10]", () => {
  const approved = (shell: Shell, command: string) =>
    workspace.call({
      id: randomUUID(),
      tool: "terminal_operations",
      args: { operation: "run_command", command },
      as: "agent",
      run: {
        directory: "/workspace",
        command,
        ...(shell === "bash" ? {} : { shell }),
        ...{
          files: [],
          missing: [],
          system: [],
          data: [],
          git: [],
          repositories: [],
          pushes: [],
          changed: [],
          directories: [],
          readable: [],
          confined: true,
        },
      },
    });

  it.each([
    ["zsh", "for i in {1..2}; print -r -- ${(U):-a$i}", "A1\nA2\n"],
    ["fish", "for i in 1 2; echo (string upper a$i); end", "A1\nA2\n"],
    ["bash", 'for ((i = 1; i < 3; i++)); do x=a$i; echo "${x^^}"; done', "A1\nA2\n"],
  ] as const)("runs in %s", async (shell, command, expected) => {
    expect(await approved(shell, command)).toMatchObject({ output: expected, exit_code: 0 });
  });

  it("obeys none of the workload's files", async () => {
    await run(
      "bash",
      "mkdir -p ~/.config/fish/functions ~/.config/fish/conf.d; echo 'echo evil' | tee ~/.zshenv ~/.zshrc " +
        "~/.config/fish/config.fish ~/.config/fish/conf.d/x.fish > /dev/null; " +
        "printf 'function git; echo evil; end\\n' > ~/.config/fish/functions/git.fish",
    );
    expect(await approved("zsh", "print =git")).toMatchObject({ output: "/usr/bin/git\n" });
    expect(await approved("fish", "git --version | string sub -l 3")).toMatchObject({
      output: "git\n",
    });
    await run("bash", "rm -r ~/.zshenv ~/.zshrc ~/.config/fish");
  });
});
