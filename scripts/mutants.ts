/**
 * Puts one fault after the other into a copy of the tree and runs the tests that must find it:
 *
 *   npm run mutants [-- WORD …]                  the named faults, or those whose file or fault contains a word
 *   npm run mutants -- --random 100 --seed 7     so many faults drawn over all sources
 *
 * With `--copies 1` it keeps one core busy; `--project unit*` leaves out the tests that need Docker.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Health } from "./mutants/health.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { isApplicable, namedMutants } from "./mutants/named.ts";
import { concernedTests, readImporters } from "./mutants/random/concerned-tests.ts";
import { type DrawnMutant, drawMutants } from "./mutants/random/draw.ts";
import { TreeCopy } from "./mutants/tree-copy.ts";

/** "sick": the tests fail without the fault, too, and so they prove nothing. */
type Verdict = { readonly kind: "killed" | "survived" | "sick"; readonly by?: string };

const ROOT = join(import.meta.dirname, "..");
/** The nearest tests find most faults, so the others run only when those have not. */
const BATCHES = [6, 30, 60];

const { values, positionals } = parseArgs({
  options: {
    random: { type: "string" },
    seed: { type: "string", default: "1" },
    copies: { type: "string", default: String(Math.min(2, availableParallelism())) },
    project: { type: "string", multiple: true, default: ["unit*", "docker"] },
  },
  allowPositionals: true,
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
process.exitCode = values.random === undefined ? await tryNamed() : await tryRandom();

async function tryNamed(): Promise<number> {
  const mutants = namedMutants.filter(
    ({ file, fault }) =>
      positionals.length === 0 ||
      positionals.some((word) => file.includes(word) || fault.includes(word)),
  );
  const stale = mutants.filter((mutant) => !isApplicable(ROOT, mutant));
  for (const { fault, file } of stale) {
    console.log(`stale     ${file}: ${fault}. Its text must stand in the file exactly once.`);
  }
  if (stale.length > 0 || mutants.length === 0) return 1;
  const health = new Health();
  const killed = await tryAll(mutants, (copy, mutant) => tryMutant(copy, mutant, health));
  return killed === mutants.length ? 0 : 1;
}

async function tryMutant(
  copy: TreeCopy,
  { file, text, replacement, test }: Mutant,
  health: Health,
): Promise<Verdict> {
  if (!(await health.isHealthy(copy, test))) return { kind: "sick" };
  const change = (original: string) => original.replace(text, () => replacement);
  const run = await copy.with(file, change, () => copy.runTests([test]));
  return run.kind === "failed" ? { kind: "killed", by: test } : { kind: "survived" };
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
  const health = new Health();
  const killed = await tryAll(drawn, (copy, mutant) =>
    tryDrawn(copy, mutant, concernedTests(importers, mutant.file), health),
  );
  return killed >= drawn.length * 0.9 ? 0 : 1;
}

async function tryDrawn(
  copy: TreeCopy,
  { file, start, end, replacement }: DrawnMutant,
  concerned: readonly string[],
  health: Health,
): Promise<Verdict> {
  const change = (text: string) => text.slice(0, start) + replacement + text.slice(end);
  // The tests with Docker run what the image holds, not this copy.
  const projects = file.startsWith("sandbox-image/") ? ["unit*"] : values.project;
  let tests = concerned;
  for (const size of BATCHES) {
    const batch = tests.slice(0, size);
    tests = tests.slice(size);
    if (batch.length === 0) break;
    const run = await copy.with(file, change, () => copy.runTests(batch, { projects }));
    if (run.kind === "timeout") return { kind: "sick" };
    if (run.kind !== "failed") continue;
    const suspects = run.files.length > 0 ? run.files : batch;
    for (const test of suspects) {
      if (await health.isHealthy(copy, test, projects)) return { kind: "killed", by: test };
    }
    // The run ended at a sick test: the others are still to be tried.
    tests = [...batch.filter((test) => !suspects.includes(test)), ...tests];
  }
  return { kind: "survived" };
}

/** The copies take mutants in turns until none is left. Resolves with the number of killed ones. */
async function tryAll<One extends { readonly file: string; readonly fault: string }>(
  mutants: readonly One[],
  tryOne: (copy: TreeCopy, mutant: One) => Promise<Verdict>,
): Promise<number> {
  const waiting = [...mutants];
  let killed = 0;
  const work = async () => {
    using copy = new TreeCopy();
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const { kind, by } = await tryOne(copy, mutant);
      if (kind === "killed") killed += 1;
      console.log(`${kind.padEnd(9)} ${mutant.file}: ${mutant.fault}${by ? `  (${by})` : ""}`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.copies) }, work));
  console.log(`${killed} of ${mutants.length} killed`);
  return killed;
}
