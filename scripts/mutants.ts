import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { approvalMutants } from "./mutants/authorization/approvals.ts";
import { guardMutants } from "./mutants/authorization/guard.ts";
import { peopleMutants } from "./mutants/authorization/people.ts";
import { forgeryMutants } from "./mutants/forgeries.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { redactionMutants } from "./mutants/redaction.ts";
import { todoMutants } from "./mutants/todos.ts";

// Puts one fault after the other into a copy of the tree and runs the test that must find it. The tree itself is
// only read. An argument chooses the mutants whose file or fault contains it.

const ROOT = join(import.meta.dirname, "..");
const COPIED = [
  "src",
  "adapters",
  "prompts",
  "test",
  "sandbox-image",
  "scripts",
  "package.json",
  "tsconfig.json",
  "vitest.config.ts",
];
const DEADLINE_MS = 180_000;

const [wanted = ""] = process.argv.slice(2);
const mutants = [
  ...peopleMutants,
  ...guardMutants,
  ...approvalMutants,
  ...redactionMutants,
  ...todoMutants,
  ...forgeryMutants,
].filter(({ file, fault }) => file.includes(wanted) || fault.includes(wanted));
const copies: string[] = [];
process.once("exit", () => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const killed = await main();
console.log(`${killed} of ${mutants.length} killed`);
process.exitCode = killed === mutants.length && mutants.length > 0 ? 0 : 1;

async function main(): Promise<number> {
  const stale = mutants.filter((mutant) => !isApplicable(mutant));
  for (const { fault, file } of stale) {
    console.log(`stale     ${file}: ${fault}. Its text must stand in the file exactly once.`);
  }
  if (stale.length > 0) return 0;
  const waiting = [...mutants];
  const workers = Array.from({ length: Math.min(2, availableParallelism()) }, () => work(waiting));
  return (await Promise.all(workers)).reduce((sum, count) => sum + count, 0);
}

function isApplicable({ file, text }: Mutant): boolean {
  return readFileSync(join(ROOT, file), "utf8").split(text).length === 2;
}

/** Takes mutants until none is left, in a copy of its own. Answers how many were killed. */
async function work(waiting: Mutant[]): Promise<number> {
  const copy = copyOfTree();
  const passing = new Map<string, boolean>();
  let count = 0;
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const verdict = await tryOut(copy, mutant, passing);
    if (verdict === "killed") count += 1;
    console.log(`${verdict.padEnd(9)} ${mutant.file}: ${mutant.fault}`);
  }
  return count;
}

function copyOfTree(): string {
  const copy = mkdtempSync(join(tmpdir(), "deckhand-mutants-"));
  copies.push(copy);
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** "sick": the test fails without the fault, too, and so it proves nothing. */
async function tryOut(
  copy: string,
  { file, text, replacement, test }: Mutant,
  passing: Map<string, boolean>,
): Promise<"killed" | "survived" | "sick"> {
  const healthy = passing.get(test) ?? (await failedTests(copy, test)) === 0;
  passing.set(test, healthy);
  if (!healthy) return "sick";
  const path = join(copy, file);
  const original = readFileSync(path, "utf8");
  writeFileSync(
    path,
    original.replace(text, () => replacement),
  );
  try {
    const failures = await failedTests(copy, test);
    return failures !== undefined && failures > 0 ? "killed" : "survived";
  } finally {
    writeFileSync(path, original);
  }
}

/** How many tests of the file fail; undefined when it could not be run, as with a fault that is no program. */
async function failedTests(copy: string, test: string): Promise<number | undefined> {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  await run(copy, [
    "run",
    "--project=unit",
    "--bail=1",
    "--reporter=json",
    `--outputFile=${report}`,
    test,
  ]);
  try {
    const { numFailedTests, numPassedTests } = JSON.parse(readFileSync(report, "utf8"));
    return numFailedTests + numPassedTests > 0 ? numFailedTests : undefined;
  } catch {
    // No report: the run did not get that far.
    return undefined;
  }
}

function run(copy: string, args: readonly string[]): Promise<void> {
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const child = spawn(process.execPath, [vitest, ...args], {
    cwd: copy,
    stdio: "ignore",
    timeout: DEADLINE_MS,
    killSignal: "SIGKILL",
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve());
  });
}
