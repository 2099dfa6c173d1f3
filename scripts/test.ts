/**
 * The tests of a change, in two lanes side by side: most tests on the host keep a core busy, most tests with containers
 * and browsers wait for them.
 *
 *   npm test                    both lanes; what the second one prints follows the first, and then the dearest files
 *   npm test -- --changed       one run with these arguments of vitest, over the same tests
 *   npm test -- test/PATH …     the same for some files; a path that matches no test file is an error
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  createReadStream,
  globSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { FileTime } from "./lib/file-time.ts";

const COMPILED = join(import.meta.dirname, "../node_modules/.cache/compiled");
const VITEST = join(import.meta.dirname, "../node_modules/vitest/vitest.mjs");
/** More than there are cores, because most tests wait for something. A worker takes up to a gigabyte. */
const isRoomy = totalmem() > 12 * 2 ** 30;
const HOST = { projects: ["unit", "unit-alone", "unit-programs"], workers: isRoomy ? 5 : 4 };
const CONTAINERS = { projects: ["docker", "browser"], workers: isRoomy ? 4 : 3 };
const ALL = { projects: [...HOST.projects, ...CONTAINERS.projects], workers: 4 };

const MOST_NAMED = 30;

interface RunOptions {
  readonly args?: readonly string[];
  readonly output?: number | "inherit";
  /** A file that gets what each test file took of the processor. */
  readonly times?: string;
}

const children: ChildProcess[] = [];
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    for (const child of children) child.kill(signal);
  });
}

const args = process.argv.slice(2);
const unmatched = pathsWithoutTests(args);
if (unmatched.length > 0) {
  console.error(`No test file matches ${unmatched.join(", ")}.`);
  process.exitCode = 1;
} else process.exitCode = args.length > 0 ? await run(ALL, { args }) : await runBothLanes();

/** Vitest ignores a path that matches nothing where another path matches. */
function pathsWithoutTests(args: readonly string[]): string[] {
  const files = globSync("test/**/*.test.ts", { cwd: join(import.meta.dirname, "..") });
  const partOf = (path: string) => path.replace(/^\.\//, "").replace(/:\d+$/, "");
  const paths = args.filter((arg) => /^(?:\.\/)?test\//.test(arg));
  return paths.filter((path) => !files.some((file) => file.includes(partOf(path))));
}

async function runBothLanes(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "deckhand-test-"));
  try {
    const file = join(directory, "containers.log");
    const log = openSync(file, "w");
    const times = join(directory, "times");
    const containers = run(CONTAINERS, { output: log, times });
    const first = await run(HOST, { times });
    console.log(`Tests on the host: ${outcome(first)}. Those with containers and browsers follow.`);
    const second = await containers;
    closeSync(log);
    await pipeline(createReadStream(file), process.stdout, { end: false });
    printDearest(times);
    console.log(`Tests on the host: ${outcome(first)}. With containers: ${outcome(second)}.`);
    return first || second;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Where time is to be saved: on a busy machine the clock tells nothing. */
function printDearest(times: string): void {
  const lines = readFileSync(times, "utf8").trim().split("\n");
  const files = lines.map((line) => JSON.parse(line) as FileTime);
  const cost = ({ ownMs, programsMs }: FileTime) => (ownMs + programsMs) / 1000;
  const seconds = files.reduce((sum, file) => sum + cost(file), 0);
  console.log(
    `Processor time without containers and browsers: ${seconds.toFixed(0)} s, most of it:`,
  );
  for (const file of files.sort((a, b) => cost(b) - cost(a)).slice(0, MOST_NAMED))
    console.log(`${cost(file).toFixed(1).padStart(6)} s  ${file.file}`);
}

/** Resolves with the exit code. */
async function run(
  { projects, workers }: typeof ALL,
  { args = [], output = "inherit", times }: RunOptions = {},
): Promise<number> {
  const chosen = projects.flatMap((project) => ["--project", project]);
  const command = [VITEST, "run", ...chosen, ...args];
  const env = {
    ...process.env,
    // Many test files have a process of their own, which loads the same packages.
    NODE_COMPILE_CACHE: COMPILED,
    TEST_WORKERS: String(workers),
    ...(times !== undefined && { TEST_PROCESSOR_TIME: times }),
  };
  const child = spawn(process.execPath, command, { stdio: ["inherit", output, output], env });
  children.push(child);
  const [code] = await once(child, "exit");
  return typeof code === "number" ? code : 1;
}

function outcome(code: number): string {
  return code === 0 ? "passed" : "failed";
}
