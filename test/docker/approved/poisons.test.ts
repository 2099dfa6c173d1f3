import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Workspace } from "../../../src/contract/workspace/workspace.ts";
import { ContainerShell } from "../../support/container-shell.ts";
import { command, startEngine, type TestEngine } from "../../support/engine.ts";
import { type Lab, permissionLab } from "../../support/permission-lab.ts";
import { POISONS, type Poison, PRELOADED } from "../../support/poisons.ts";
import { caseCount } from "../../support/thorough.ts";

const RUN = "terminal_operations.run_command";
const SEED = 20_261_117;
const POISONS_PER_COMMAND = 12;
/** Each has a workspace of its own: while one waits for the engine, another works. */
const LANES = 2;

/** A command that asks for approval, the programs it starts, and the output of an undisturbed run. */
interface Command {
  readonly text: string;
  readonly programs: readonly string[];
  readonly output: RegExp;
}

const COMMANDS: readonly Command[] = [
  { text: "git push origin main", programs: ["git"], output: /main -> main|up-to-date/ },
  { text: "git push --force origin main", programs: ["git"], output: /main|up-to-date/ },
  { text: "sudo id -u", programs: ["sudo", "id"], output: /^0$/m },
  {
    text: "sudo python3 -m pip --version",
    programs: ["sudo", "python3"],
    output: /^pip \d.* from \/usr\//m,
  },
  { text: "sudo bash deploy.sh", programs: ["sudo", "bash"], output: /^deployed by 0$/m },
  { text: "sudo ./deploy.sh", programs: ["sudo"], output: /^deployed by 0$/m },
  { text: "sudo python3 tool.py", programs: ["sudo", "python3"], output: /^tool by 0$/m },
  { text: "sudo node tool.js", programs: ["sudo", "node"], output: /^tool by 0$/m },
  { text: "sudo apt-get --version", programs: ["sudo", "apt-get"], output: /^apt \d/m },
  { text: "sudo make install", programs: ["sudo", "make"], output: /^installed by 0$/m },
  { text: "make install", programs: ["make"], output: /^installed by 1000$/m },
  {
    text: "npm publish --offline",
    programs: ["npm", "node"],
    output: /lab@1\.0\.0|ENOTCACHED|ENEEDAUTH/,
  },
];

const TEMPLATE = `
set -e; rm -rf /tmp/template /tmp/remote.git; mkdir -p /tmp/template; cd /tmp/template
printf '%s\\n' 'echo "deployed by $(id -u)"' > deploy.sh; sed -i '1i #!/bin/bash' deploy.sh; chmod 755 deploy.sh
printf '%s\\n' 'import json, os, re' 'print("tool by", os.getuid())' > tool.py
printf '%s\\n' 'console.log("tool by " + process.getuid())' > tool.js
printf 'install:\\n\\t@echo "installed by $$(id -u)"\\n' > Makefile
echo '{"name":"lab","version":"1.0.0"}' > package.json
git init -q -b main .; git -c user.name=a -c user.email=a@b add .; git -c user.name=a -c user.email=a@b commit -qm one
git init -q --bare /tmp/remote.git; git remote add origin /tmp/remote.git
`;
/** Runs outside of the poisoned terminal. */
const RESET = `
rm -rf /tmp/armed /home/agent/marks /tmp/shadow /tmp/hashed /tmp/hooks* /tmp/pp /tmp/ro
find /home/agent -mindepth 1 -delete; find /workspace -mindepth 1 -delete; cp -a /tmp/template/. /workspace/
`;

/** A small generator with a fixed seed: every run of the test plants the same. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    yield state / 2 ** 32;
  }
}

function chosen(random: Iterator<number, never>, count: number, from: readonly Poison[]): Poison[] {
  const left = [...from];
  const picked: Poison[] = [];
  while (picked.length < count && left.length > 0) {
    const [one] = left.splice(Math.floor(random.next().value * left.length), 1);
    if (one && !picked.some(({ group }) => group !== undefined && group === one.group))
      picked.push(one);
  }
  return picked;
}

const appliesTo = (poison: Poison, programs: readonly string[]) =>
  !poison.for || poison.for.some((program) => programs.includes(program));

interface Case extends Command {
  readonly program: string;
  readonly poisons: readonly Poison[];
}

function cases(count: number): Case[] {
  const random = numbers(SEED);
  return Array.from({ length: count }, (_, index) => {
    const one = COMMANDS[index % COMMANDS.length] as Command;
    const fit = POISONS.filter((poison) => appliesTo(poison, one.programs));
    const turn = index + Math.floor(index / COMMANDS.length);
    const program = one.programs[turn % one.programs.length] ?? "";
    return { ...one, program, poisons: chosen(random, POISONS_PER_COMMAND, fit) };
  });
}

/** A workspace that poisons are planted in, one set after the other. */
interface Lane extends Disposable {
  readonly name: string;
  readonly workspace: Workspace;
  readonly shell: ContainerShell;
}

async function openLane(engine: TestEngine, name: string): Promise<Lane> {
  const workspace = await engine.workspaces.open(name, { fence: 1 });
  await command(workspace, "true");
  const shell = new ContainerShell(await engine.containerOf(name));
  const source = PRELOADED.replaceAll("'", "'\\''");
  await shell.run(
    `printf '%s' '${source}' > /tmp/p.c; gcc -shared -fPIC -o /tmp/poison.so /tmp/p.c; ${TEMPLATE}`,
  );
  return { name, workspace, shell, [Symbol.dispose]: () => shell[Symbol.dispose]() };
}

describe("a poisoned workspace", () => {
  let engine: TestEngine;
  let lab: Lab;
  let lanes: Lane[];
  beforeAll(async () => {
    engine = await startEngine();
    lab = await permissionLab();
    const names = Array.from({ length: LANES }, (_, index) => `a thread with poisons ${index}`);
    lanes = await Promise.all(names.map((name) => openLane(engine, name)));
  });
  afterAll(async () => {
    for (const lane of lanes) lane[Symbol.dispose]();
    await lab[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
  });

  const tool = ({ workspace }: Lane, name: string, args: Readonly<Record<string, unknown>>) =>
    workspace.call({ id: randomUUID(), tool: name, args });

  const write = (lane: Lane, filePath: string, content: string) =>
    tool(lane, "file_operations", {
      operation: "create_file",
      filePath,
      content,
      overwrite: true,
    });

  const readMarks = async (lane: Lane) => {
    const args = { operation: "read_file", filePath: "/home/agent/marks" };
    const read = await tool(lane, "file_operations", args);
    return read.success ? String(read.content) : "";
  };

  /** The guard's card for the command, and then the run that a click on it starts; or the refusal instead of a card. */
  async function approveAndRun({ workspace }: Lane, text: string) {
    const verdict = await lab.check(RUN, { command: text }, { workspace: async () => workspace });
    if (verdict.outcome === "denied") return { refused: verdict.reason };
    const question = verdict.outcome === "ask" ? verdict.question : undefined;
    if (!question?.call.run) throw new Error(`No approval was asked for ${text}.`);
    const { identity, run } = question.call;
    const result = await command(workspace, text, { as: identity, run });
    return { result, directory: question.effect.workingDirectory };
  }

  /** All differences between the card and the run, and whether the poisons work on the terminal (the control). */
  async function tryCase(lane: Lane, { text, program, poisons, output }: Case) {
    await lane.shell.run(RESET);
    await write(lane, "/tmp/plant.sh", poisons.map(({ plant }) => plant(program)).join("\n"));
    await command(lane.workspace, ". /tmp/plant.sh");
    await write(lane, "/tmp/armed", "");
    const { refused, result, directory } = await approveAndRun(lane, text);
    const marks = await readMarks(lane);
    await command(lane.workspace, `${program} --version`);
    const bites = (await readMarks(lane)) !== "";
    await tool(lane, "terminal_operations", { operation: "close_session", session_id: lane.name });

    const printed = `${result?.output} ${result?.message}`;
    const refusals = poisons.flatMap((poison) => poison.refused ?? []);
    const isAsShown =
      refusals.length > 0
        ? refusals.some((refusal) => refusal.test(refused ?? ""))
        : output.test(printed) && result?.working_directory === directory;
    const names = poisons.map(({ name }) => name).join(" ");
    const difference = { text, program, names, marks, refused, printed, directory };
    return { bites, ...(marks !== "" || !isAsShown ? { difference } : {}) };
  }

  it("shows each poison working on a careless shell", async () => {
    const plain = COMMANDS.map((one) => ({ ...one, text: one.text.replace(/^sudo /, "") }));
    const tries = POISONS.map((poison) => {
      const fit = plain.find(
        ({ programs }) =>
          appliesTo(poison, programs) && (poison.for ?? ["bash"]).some((p) => programs.includes(p)),
      );
      if (!fit) throw new Error(`No command for ${poison.name}.`);
      const program = fit.text.split(" ")[0] ?? "";
      const also = program === "git" ? "git status" : "cd .";
      const lines = `${fit.text}\\nbash -c "${fit.text}"\\n${also}\\nfalse`;
      const plant = Buffer.from(poison.plant(program)).toString("base64");
      return `${RESET} cd /workspace; echo ${plant} | base64 -d > /tmp/plant.sh; printf '\\n/bin/touch /tmp/armed\\n' >> /tmp/plant.sh
bash --rcfile /tmp/plant.sh -i <<< $'${lines}' > /dev/null 2>&1
bash -l <<< '${fit.text}' > /dev/null 2>&1
bash -i <<< '${fit.text}' > /dev/null 2>&1
grep -qsx ${poison.name} /home/agent/marks || echo ${poison.name}`;
    });
    const idle = await Promise.all(
      lanes.map(({ shell }, lane) =>
        shell.run(`${tries.filter((_, index) => index % LANES === lane).join("\n")}\ntrue`),
      ),
    );
    expect(idle.filter((names) => names !== "")).toEqual([]);
  });

  it("changes nothing about what an approved command does", async ({ annotate }) => {
    const least = caseCount({ perChange: 100, all: 5000 });
    const all = cases(Math.ceil(least / POISONS_PER_COMMAND));
    const waiting = all.values();
    const differences: unknown[] = [];
    let bites = 0;
    await Promise.all(
      lanes.map(async (lane) => {
        for (const one of waiting) {
          const outcome = await tryCase(lane, one);
          if (outcome.difference) differences.push(outcome.difference);
          if (outcome.bites) bites += 1;
        }
      }),
    );
    const planted = all.reduce((sum, { poisons }) => sum + poisons.length, 0);
    const figures = `${all.length} approved commands, ${planted} poisons, ${differences.length} differences`;
    await annotate(figures);
    expect(differences).toEqual([]);
    expect(bites).toBeGreaterThan(all.length / 2);
    expect(planted).toBeGreaterThanOrEqual(least);
  }, 3_600_000);
});
