/**
 * Measures, and says whether the figures are within their bounds:
 *
 *   npm run -s bench -- NAME [--brief] [--json]
 *   npm run -s bench -- NAME … --base REVISION [--rounds 3] [--json]
 *
 * The second form runs the benchmarks of an earlier revision and of this tree in turns, and compares them.
 */
import { parseArgs } from "node:util";
import { BENCHES, type BenchName, isBenchName } from "./benches.ts";
import { type Comparison, compareWithRevision, InterruptedError } from "./compare/compare.ts";

const { values, positionals } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    brief: { type: "boolean", default: false },
    base: { type: "string" },
    rounds: { type: "string", default: "3" },
  },
  allowPositionals: true,
});
const rounds = Number(values.rounds);
const names = positionals.filter(isBenchName);
const isUnderstood =
  names.length === positionals.length &&
  (values.base === undefined ? names.length === 1 : names.length > 0) &&
  Number.isInteger(rounds) &&
  rounds > 0;

if (!isUnderstood) {
  console.error(
    `Usage: npm run -s bench -- NAME [--json], or NAME … --base REVISION [--rounds N] [--json]. NAME is one of ${Object.keys(BENCHES).join(", ")}.`,
  );
  process.exitCode = 2;
} else if (values.base === undefined) {
  for (const name of names) await measure(name);
} else {
  await compare(values.base);
}

async function measure(name: BenchName): Promise<void> {
  const bench = await BENCHES[name]();
  const figures = { name, ...(await bench({ effort: values.brief ? "brief" : "full" })) };
  if (values.json) console.log(JSON.stringify(figures));
  else console.table(figures);
  process.exitCode = figures.ok ? 0 : 1;
}

async function compare(revision: string): Promise<void> {
  try {
    print(await compareWithRevision({ names, revision, rounds }));
  } catch (error) {
    // Ctrl-C is no fault: no stack trace.
    if (!(error instanceof InterruptedError)) throw error;
    console.error(error.message);
    process.exitCode = 130;
  }
}

function print(comparison: Comparison): void {
  if (values.json) console.log(JSON.stringify(comparison));
  else {
    for (const [name, { figures, withinOwnBounds }] of Object.entries(comparison.benches)) {
      console.log(`${name}: within its own bounds in ${withinOwnBounds.after} of ${rounds} rounds`);
      console.table(figures);
    }
    const { base, seconds, ok } = comparison;
    console.log(`${ok ? "ok" : "not ok"}, compared with ${base} in ${seconds} s`);
  }
  process.exitCode = comparison.ok ? 0 : 1;
}
