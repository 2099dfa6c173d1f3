import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Workspace } from "../../../src/contract/workspace.ts";
import { command, docker, startEngine, type TestEngine } from "../../support/engine.ts";
import { type Lab, permissionLab } from "../../support/permission-lab.ts";
import { POISONS, type Poison, PRELOADED } from "../../support/poisons.ts";
import { caseCount } from "../../support/thorough.ts";

const RUN = "terminal_operations.run_command";
const CONVERSATION = "a thread with poisons";
const SEED = 20_261_117;
const POISONS_PER_RUN = 8;

/** Commands that ask for approval, the programs they start, and what proves that they ran as they should. */
const COMMANDS: readonly { text: string; programs: readonly string[]; output: RegExp }[] = [
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
/** Started from outside with a clean environment. */
const RESET = `
rm -rf /tmp/armed /tmp/marks /tmp/shadow /tmp/hashed /tmp/hooks* /tmp/pp /tmp/ro
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

describe("a poisoned workspace", () => {
  let engine: TestEngine;
  let lab: Lab;
  let workspace: Workspace;
  let container: string;
  beforeAll(async () => {
    engine = await startEngine();
    lab = await permissionLab();
    workspace = await engine.workspaces.open(CONVERSATION, { fence: 1 });
    await command(workspace, "true");
    container = await engine.containerOf(CONVERSATION);
    const source = PRELOADED.replaceAll("'", "'\\''");
    await asAgent(
      `printf '%s' '${source}' > /tmp/p.c; gcc -shared -fPIC -o /tmp/poison.so /tmp/p.c; ${TEMPLATE}`,
    );
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
  });

  const asAgent = (script: string) =>
    docker(
      "exec",
      "-u",
      "1000:1000",
      "-e",
      "HOME=/home/agent",
      container,
      "bash",
      "-p",
      "-c",
      script,
    );

  const tool = (name: string, args: object) =>
    workspace.call({ id: randomUUID(), tool: name, args: { ...args } as Record<string, unknown> });

  const readMarks = async () => {
    const read = await tool("file_operations", { operation: "read_file", filePath: "/tmp/marks" });
    return read.success ? String(read.content) : "";
  };

  /** The guard's card for the command, and then the run that a click on it starts; or why there is no card. */
  async function approveAndRun(text: string) {
    const verdict = await lab.check(RUN, { command: text }, { workspace: async () => workspace });
    if (verdict.outcome === "denied") return { refused: verdict.reason };
    const question = verdict.outcome === "ask" ? verdict.question : undefined;
    if (!question?.call.run) throw new Error(`No approval was asked for ${text}.`);
    const { identity, run } = question.call;
    const result = await command(workspace, text, { as: identity, run });
    return { result, directory: question.effect.workingDirectory };
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
grep -qsx ${poison.name} /tmp/marks || echo ${poison.name}`;
    });
    expect((await asAgent(tries.join("\n"))).split("\n").filter((line) => line !== "")).toEqual([]);
  });

  it("changes nothing about what an approved command does", async () => {
    const random = numbers(SEED);
    const runs = caseCount({ perChange: 26, all: 640 });
    let cases = 0;
    let bitten = 0;
    for (let index = 0; index < runs; index++) {
      const { text, programs, output } = COMMANDS[
        index % COMMANDS.length
      ] as (typeof COMMANDS)[number];
      const fit = POISONS.filter((poison) => appliesTo(poison, programs));
      const poisons = chosen(random, POISONS_PER_RUN, fit);
      const program = programs[index % programs.length] ?? "";
      await asAgent(RESET);
      const plants = poisons.map((poison) => poison.plant(program)).join("\n");
      await tool("file_operations", {
        operation: "create_file",
        filePath: "/tmp/plant.sh",
        content: plants,
        overwrite: true,
      });
      await command(workspace, ". /tmp/plant.sh");
      await tool("file_operations", {
        operation: "create_file",
        filePath: "/tmp/armed",
        content: "",
        overwrite: true,
      });
      const { refused, result, directory } = await approveAndRun(text);
      const marks = await readMarks();
      const names = poisons.map(({ name }) => name).join(" ");
      expect.soft({ text, names, marks }).toEqual({ text, names, marks: "" });
      const refusing = poisons.find((poison) => poison.refused)?.refused;
      if (refusing) expect.soft(refused).toMatch(refusing);
      else {
        expect.soft(refused).toBeUndefined();
        expect.soft(`${text} [${names}]\n${result?.output} ${result?.message}`).toMatch(output);
        expect.soft(result?.working_directory).toBe(directory);
      }
      // The careless control: the same terminal, with the same poisons, is not to be trusted.
      await command(workspace, `${program} --version`);
      if ((await readMarks()) !== "") bitten += 1;
      await tool("terminal_operations", { operation: "close_session", session_id: CONVERSATION });
      cases += poisons.length;
    }
    expect(bitten).toBeGreaterThan(runs / 2);
    expect(cases).toBeGreaterThanOrEqual(caseCount({ perChange: 200, all: 5000 }));
  }, 3_600_000);
});
