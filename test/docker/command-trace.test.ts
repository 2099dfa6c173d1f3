import { randomUUID } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openShellParser } from "../../src/authorization/shell/parser.ts";
import { harmlessCommands } from "../data/harmless-commands.ts";
import { docker } from "../support/engine.ts";
import { IMAGE } from "../support/run-in-image.ts";
import { caseCount, coverOf } from "../support/thorough.ts";
import { STARTED_BY_PROFILE, STARTS_HELPERS } from "./command-trace/helpers.ts";
import { madeUpCommands } from "./command-trace/made-up-commands.ts";
import { metCommands } from "./command-trace/met-commands.ts";

const HERE = fileURLToPath(new URL("command-trace/", import.meta.url));
const PLACE = { workspaceDir: "/workspace", homeDir: "/home/agent" };
/** What the kernel keeps of a program's name. */
const COMM_CHARS = 15;
const MADE_UP = caseCount({ perChange: 500, all: 2_500 });

it("4.11 every program that an unasked command really starts is one that the guard foresaw", async () => {
  const parser = await openShellParser();
  const free = Object.values(harmlessCommands)
    .flat()
    .map(([, command]) => command)
    .filter((command) => parser.classify(command, PLACE).risk === "free");
  const commands = coverOf(free, (command) => parser.classify(command, PLACE).programs);
  const { unforeseen, executions } = await unforeseenIn(commands);
  expect(unforeseen).toEqual([]);
  expect(executions, "the tracer saw what ran").toBeGreaterThan(commands.length / 2);
}, 400_000);

it("foresees every program in the classes that it once misread [4.11]", async () => {
  const parser = await openShellParser();
  const asked = metCommands.filter((one) => parser.classify(one, PLACE).risk !== "free");
  expect(asked).toEqual([]);
  const { unforeseen, executions } = await unforeseenIn(metCommands);
  expect(unforeseen).toEqual([]);
  expect(executions, "the tracer saw what ran").toBeGreaterThan(metCommands.length / 2);
});

/** Runs the commands and names each program that one of them started and the guard had not read in it. */
async function unforeseenIn(commands: readonly string[]) {
  const parser = await openShellParser();
  const started = await traceAll(commands);
  const unforeseen = commands.flatMap((command, index) => {
    const { programs } = parser.classify(command, PLACE);
    const login = / -l/.test(command) ? [STARTED_BY_PROFILE] : [];
    const foreseen = [...programs, ...login].map((name) => name.slice(0, COMM_CHARS));
    return (started[index] ?? [])
      .filter(({ starter, program }) => !(starter in STARTS_HELPERS) && !foreseen.includes(program))
      .map(({ starter, program }) => `${starter} started ${program} in: ${command}`);
  });
  return { unforeseen, executions: started.flat().length };
}

it("4.11 the tracer would see a program that was not foreseen", async () => {
  const [started] = await traceAll(["x=i; y=d; $x$y; bash -c 'uname | head -1'"]);
  expect(started?.map(({ starter, program }) => `${starter} ${program}`)).toEqual(
    expect.arrayContaining(["shell id", "shell bash", "bash uname", "bash head"]),
  );
});

it("4.11 bash starts nothing in made-up commands that the guard has not read in them", async () => {
  const seed = 20_260_411;
  const parser = await openShellParser();
  const readable = [...new Set(madeUpCommands(MADE_UP, seed))].filter(
    (command) => parser.classify(command, PLACE).risk === "free",
  );

  const logs = await runInContainer("ask-bash", readable);

  const unforeseen = readable.flatMap((command, index) => {
    const { programs } = parser.classify(command, PLACE);
    const missing = linesOf(logs[index]).filter((name) => !programs.includes(name));
    return missing.length > 0 ? [`${missing.join(", ")} in: ${command}`] : [];
  });
  expect(unforeseen).toEqual([]);
  const ran = logs.filter((log) => log !== "").length;
  expect(ran, "most of them run something").toBeGreaterThan(readable.length / 2);
});

interface Execution {
  readonly starter: string;
  readonly program: string;
}

async function traceAll(commands: readonly string[]): Promise<Execution[][]> {
  const logs = await runInContainer("run-all", commands);
  return logs.map((log) =>
    linesOf(log).map((line) => {
      const [starter = "", program = ""] = line.split("\t");
      return { starter, program };
    }),
  );
}

/** Hands the commands to a script in a throw-away container without a network, and gives the log it made of each. */
async function runInContainer(script: string, commands: readonly string[]): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), "deckhand-trace-"));
  const container = `deckhand-trace-${randomUUID()}`;
  try {
    await layOut(directory, commands);
    await docker(
      ...["create", "--name", container, "--network", "none", "--user", "1000:1000"],
      // To trace its own children a process needs no capability, but ptrace itself.
      ...["--cap-add", "SYS_PTRACE", "--security-opt", "seccomp=unconfined"],
      ...["--tmpfs", "/tmp:exec", "--env", "HOME=/home/agent", "--init"],
      ...["--entrypoint", "bash", IMAGE, `/trace/${script}`],
    );
    await docker("cp", `${directory}/.`, `${container}:/trace`);
    await docker("start", "--attach", container);
    await docker("cp", `${container}:/trace/logs`, `${directory}/logs`);
    const logs = commands.map((_, index) => join(directory, "logs", String(index)));
    return await Promise.all(logs.map((log) => readFile(log, "utf8")));
  } finally {
    await docker("rm", "--force", container).catch(() => undefined); // it may not have been made
    await rm(directory, { recursive: true, force: true });
  }
}

function linesOf(log = ""): string[] {
  return log.split("\n").filter((line) => line !== "");
}

/** Files that most commands find what they look for in. */
const FIXTURE: Readonly<Record<string, string>> = {
  "package.json":
    '{"name":"x","version":"1.0.0","scripts":{"test":"true","build":"true","start":"true"}}',
  Makefile: "all test clean install:\n\t@true\n",
  "README.md": "# x\n",
  "notes.txt": "foo\n",
  "list.txt": "a\nb\n",
  "hello.c": "int main(void) { return 0; }\n",
  "src/app.ts": "// TODO\n",
  "src/a.js": "var x = 1;\n",
  "build/old": "",
  "docs/x.md": "x\n",
  "sub/x": "",
  "scripts/build.sh": "#!/bin/bash\ntrue\n",
  "scripts/common.sh": "common=1\n",
  "run.sh": "true\n",
  "index.js": "1;\n",
  "script.py": "1\n",
  ".venv/bin/activate": "VIRTUAL_ENV=x\n",
  "x.json": '{"a":1}\n',
  "data.json": "[]\n",
  "data.csv": "a,b,c\n",
  "a.txt": "a\n",
  "b.txt": "b\n",
  f: "x\n",
  a: "b\n",
  b: "a\n",
  log: "error\n",
  "words.txt": "a b\n",
  "packages.txt": "a\n",
  "logs/app.log": "x\n",
};

async function layOut(directory: string, commands: readonly string[]): Promise<void> {
  for (const name of ["trace.c", "run-all", "ask-bash"])
    await writeFile(join(directory, name), await readFile(join(HERE, name)));
  await chmod(directory, 0o777); // the container's user builds the tracer and writes the logs there
  await mkdir(join(directory, "commands"));
  for (const [index, command] of commands.entries())
    await writeFile(join(directory, "commands", String(index)), command);
  for (const [name, text] of Object.entries(FIXTURE)) {
    const path = join(directory, "fixture", name);
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, text, { mode: name.endsWith(".sh") ? 0o755 : 0o644 });
  }
}
