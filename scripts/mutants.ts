/**
 * Puts one fault after the other into a copy of the tree and runs the tests that must find it:
 *
 *   npm run mutants [-- WORD …]                  the named faults, or those whose file or fault contains a word
 *   npm run mutants -- --random 100 --seed 7     so many faults drawn over all sources
 */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { approvalMutants } from "./mutants/authorization/approvals.ts";
import { guardMutants } from "./mutants/authorization/guard.ts";
import { levelMutants } from "./mutants/authorization/levels.ts";
import { peopleMutants } from "./mutants/authorization/people.ts";
import { ruleMutants } from "./mutants/authorization/rules.ts";
import { forgeryMutants } from "./mutants/forgeries.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { concernedTests, readImporters } from "./mutants/random/concerned-tests.ts";
import { type DrawnMutant, drawMutants } from "./mutants/random/draw.ts";
import { redactionMutants } from "./mutants/redaction.ts";
import { todoMutants } from "./mutants/todos.ts";
import { TreeCopy } from "./mutants/tree-copy.ts";

type Verdict = "killed" | "survived" | "sick";

const ROOT = join(import.meta.dirname, "..");
/** The nearest tests find most faults, so the others run only when those have not. */
const BATCHES = [6, 30, 60];

const { values, positionals } = parseArgs({
  options: { random: { type: "string" }, seed: { type: "string", default: "1" } },
  allowPositionals: true,
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
process.exitCode = values.random === undefined ? await tryNamed() : await tryRandom();

async function tryNamed(): Promise<number> {
  const mutants = [
    ...peopleMutants,
    ...guardMutants,
    ...levelMutants,
    ...ruleMutants,
    ...approvalMutants,
    ...redactionMutants,
    ...todoMutants,
    ...forgeryMutants,
  ].filter(
    ({ file, fault }) =>
      positionals.length === 0 ||
      positionals.some((word) => file.includes(word) || fault.includes(word)),
  );
  const stale = mutants.filter((mutant) => !isApplicable(mutant));
  for (const { fault, file } of stale) {
    console.log(`stale     ${file}: ${fault}. Its text must stand in the file exactly once.`);
  }
  if (stale.length > 0 || mutants.length === 0) return 1;
  const passing = new Map<string, boolean>();
  const killed = await tryAll(mutants, (copy, mutant) => tryMutant(copy, mutant, passing));
  return killed === mutants.length ? 0 : 1;
}

function isApplicable({ file, text }: Mutant): boolean {
  return readFileSync(join(ROOT, file), "utf8").split(text).length === 2;
}

/** "sick": the test fails without the fault, too, and so it proves nothing. */
async function tryMutant(
  copy: TreeCopy,
  { file, text, replacement, test }: Mutant,
  passing: Map<string, boolean>,
): Promise<Verdict> {
  const isHealthy = passing.get(test) ?? (await copy.runTests([test])) === "passed";
  passing.set(test, isHealthy);
  if (!isHealthy) return "sick";
  const change = (original: string) => original.replace(text, () => replacement);
  const result = await copy.with(file, change, () => copy.runTests([test]));
  return result === "failed" ? "killed" : "survived";
}

/** Names survivors so that each gets a test or a reason. */
async function tryRandom(): Promise<number> {
  const count = Number(values.random);
  const seed = Number(values.seed);
  if (!Number.isInteger(count) || count < 1 || !Number.isInteger(seed)) {
    console.error("Usage: npm run mutants -- --random COUNT [--seed SEED]");
    return 2;
  }
  const drawn = drawMutants(ROOT, { count, seed });
  const importers = readImporters(ROOT);
  const killed = await tryAll(drawn, (copy, mutant) => tryDrawn(copy, mutant, importers));
  return killed >= drawn.length * 0.9 ? 0 : 1;
}

async function tryDrawn(
  copy: TreeCopy,
  { file, start, end, replacement }: DrawnMutant,
  importers: Map<string, string[]>,
): Promise<Verdict> {
  const tests = concernedTests(importers, file);
  const change = (text: string) => text.slice(0, start) + replacement + text.slice(end);
  return copy.with(file, change, async () => {
    let from = 0;
    for (const size of BATCHES) {
      const batch = tests.slice(from, from + size);
      from += size;
      if (batch.length === 0) break;
      const result = await copy.runTests(batch, ["unit", "docker"]);
      if (result === "failed" || result === "timeout") return "killed";
    }
    return "survived";
  });
}

/** Two copies take mutants in turns until none is left. Resolves with the number of killed ones. */
async function tryAll<One extends { readonly file: string; readonly fault: string }>(
  mutants: readonly One[],
  tryOne: (copy: TreeCopy, mutant: One) => Promise<Verdict>,
): Promise<number> {
  const waiting = [...mutants];
  let killed = 0;
  const work = async () => {
    using copy = new TreeCopy();
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const verdict = await tryOne(copy, mutant);
      if (verdict === "killed") killed += 1;
      console.log(`${verdict.padEnd(9)} ${mutant.file}: ${mutant.fault}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
  console.log(`${killed} of ${mutants.length} killed`);
  return killed;
}
