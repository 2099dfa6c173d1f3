/**
 * Runs all properties with random seeds and prints the seed and counterexample of each failure:
 *
 *   npm run fuzz -- --minutes 60
 *   npm run fuzz -- --seed 4711 [FILE …]
 *
 * The second form repeats a failure. A counterexample becomes a named test beside the property.
 */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "..");
const LARGEST_SEED = 2 ** 31 - 1;

const Report = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string().default(""),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});
type Report = z.infer<typeof Report>;

const { values, positionals } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, seed: { type: "string" } },
  allowPositionals: true,
});
const minutes = Number(values.minutes);
const seed = values.seed === undefined ? undefined : Number(values.seed);
if (!(minutes > 0) || (seed !== undefined && !Number.isInteger(seed))) {
  console.error("Usage: npm run fuzz -- [--minutes N | --seed N] [FILE …]");
  process.exit(2);
}

const files = positionals.length > 0 ? positionals : propertyFiles();
const end = performance.now() + minutes * 60_000;
let rounds = 0;
let failures = 0;
do {
  rounds += 1;
  failures += await runRound(seed ?? randomInt(LARGEST_SEED));
} while (seed === undefined && performance.now() < end);
console.log(`${rounds} rounds over ${files.length} files, ${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;

/** Test files that hold properties, or import a module of the tests that does. */
function propertyFiles(): string[] {
  const texts = new Map(
    globSync("test/**/*.ts", { cwd: ROOT }).map((file) => [
      file,
      readFileSync(join(ROOT, file), "utf8"),
    ]),
  );
  const importsOf = (file: string, text: string) =>
    Array.from(text.matchAll(/from "(\.[^"]+)"/g), ([, path = ""]) => join(dirname(file), path));
  const found = new Set<string>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [file, text] of texts) {
      const holds = /\bfc\.(assert|check)\b/.test(text);
      if (holds || importsOf(file, text).some((path) => found.has(path))) found.add(file);
    }
  }
  return [...found].filter((file) => file.endsWith(".test.ts"));
}

async function runRound(roundSeed: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "deckhand-fuzz-"));
  try {
    const path = join(directory, "report.json");
    await runTests(roundSeed, path);
    const report = Report.parse(JSON.parse(readFileSync(path, "utf8")));
    const found = describeFailures(report);
    for (const failure of found) console.log(`seed ${roundSeed}  ${failure}\n`);
    if (found.length === 0) console.log(`seed ${roundSeed}  ${report.numPassedTests} tests passed`);
    return found.length;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function runTests(roundSeed: number, path: string): Promise<void> {
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", "--reporter=json", `--outputFile=${path}`];
  const child = spawn(process.execPath, [...args, ...files], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, PROPERTY_SEED: String(roundSeed) },
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve());
  });
}

function describeFailures({ testResults }: Report): string[] {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(ROOT, name);
    const failed = assertionResults.filter(({ status }) => status === "failed");
    if (failed.length === 0 && message !== "") return [`${file}: ${message}`];
    return failed.map(
      ({ fullName, failureMessages }) =>
        `${file}: ${fullName}\n${(failureMessages ?? []).join("\n")}`,
    );
  });
}
