import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
const DEADLINE_MS = 600_000;

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

  /** "none": no test could be run, as with a fault that is no program. */
  async runTests(
    tests: readonly string[],
    projects: readonly string[] = ["unit"],
  ): Promise<"passed" | "failed" | "none" | "timeout"> {
    const report = join(this.path, "report.json");
    rmSync(report, { force: true });
    const isInTime = await this.#vitest([
      "run",
      ...projects.map((project) => `--project=${project}`),
      "--bail=1",
      "--passWithNoTests",
      "--reporter=json",
      `--outputFile=${report}`,
      ...tests,
    ]);
    if (!isInTime) return "timeout";
    try {
      const { numTotalTests, success } = JSON.parse(readFileSync(report, "utf8"));
      if (!success) return "failed";
      return numTotalTests > 0 ? "passed" : "none";
    } catch {
      return "none"; // No report: the run did not get that far.
    }
  }

  /** False when it was still running at the deadline. */
  #vitest(args: readonly string[]): Promise<boolean> {
    const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
    const child = spawn(process.execPath, [vitest, ...args], {
      cwd: this.path,
      stdio: "ignore",
      timeout: DEADLINE_MS,
      killSignal: "SIGKILL",
    });
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (_, signal) => resolve(signal !== "SIGKILL"));
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
