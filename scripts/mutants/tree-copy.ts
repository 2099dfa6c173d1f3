import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "..", "..");
const COPIED = [
  "src",
  "adapters",
  "prompts",
  "docs",
  "test",
  "sandbox-image",
  "scripts",
  "package.json",
  "tsconfig.json",
  "vitest.config.ts",
];
/** For a run that hangs; a fault that only makes tests slow or endless ends by the limits below or by their own. */
const DEADLINE_MS = 3_600_000;
/** Of processor time for each process: a fault that never ends is found as soon as it has had this much. */
const PROCESSOR_SECONDS = 120;

/** "none": no test could be run, as with a fault that is no program. */
export type TestRun =
  | { readonly kind: "passed" | "none" | "timeout" }
  /** `files` is empty where the run failed beside its tests, as by an error that no test handled. */
  | { readonly kind: "failed"; readonly files: readonly string[] };

interface RunOptions {
  readonly projects?: readonly string[];
}

const Report = z.object({
  numTotalTests: z.number(),
  testResults: z.array(z.object({ name: z.string(), status: z.string() })),
});

/** A copy of the sources in which one fault after the other is tried; the tree itself is only read. */
export class TreeCopy implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "deckhand-mutants-"));

  constructor() {
    process.once("exit", this.#remove);
    for (const name of COPIED) cpSync(join(ROOT, name), join(this.path, name), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(this.path, "node_modules"));
  }

  /** Runs something while the file has another text. */
  async with<Result>(
    file: string,
    change: (original: string) => string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const path = join(this.path, file);
    const original = readFileSync(path, "utf8");
    writeFileSync(path, change(original));
    try {
      return await work();
    } finally {
      writeFileSync(path, original);
    }
  }

  async runTests(
    tests: readonly string[],
    { projects = ["unit*"] }: RunOptions = {},
  ): Promise<TestRun> {
    const report = join(this.path, "report.json");
    rmSync(report, { force: true });
    const exitCode = await this.#vitest([
      "run",
      ...projects.map((project) => `--project=${project}`),
      "--bail=1",
      "--maxWorkers=2",
      "--passWithNoTests",
      `--fsModuleCachePath=${join(this.path, "transformed")}`,
      "--reporter=json",
      `--outputFile=${report}`,
      ...tests,
    ]);
    if (exitCode === null) return { kind: "timeout" };
    if (!existsSync(report)) return { kind: "none" };
    const { numTotalTests, testResults } = Report.parse(JSON.parse(readFileSync(report, "utf8")));
    const failed = testResults.filter(({ status }) => status === "failed");
    if (failed.length > 0 || exitCode !== 0) {
      return { kind: "failed", files: failed.map(({ name }) => relative(this.path, name)) };
    }
    return { kind: numTotalTests > 0 ? "passed" : "none" };
  }

  /** The exit code; null when it was still running at the deadline. */
  #vitest(args: readonly string[]): Promise<number | null> {
    const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
    const limited = `ulimit -t ${PROCESSOR_SECONDS} && exec "$@"`;
    const child = spawn("sh", ["-c", limited, "sh", process.execPath, vitest, ...args], {
      cwd: this.path,
      stdio: "ignore",
      timeout: DEADLINE_MS,
      killSignal: "SIGKILL",
    });
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
  }

  [Symbol.dispose](): void {
    process.off("exit", this.#remove);
    this.#remove();
  }

  readonly #remove = (): void => {
    rmSync(this.path, { recursive: true, force: true });
  };
}
