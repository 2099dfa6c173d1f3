import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../lib/project.mjs";
import { openBaseTree } from "./base-tree.ts";
import { BOUNDS } from "./bounds.ts";
import {
  type BenchRun,
  type ComparedBench,
  compareRuns,
  type Side,
  sidesInOrder,
} from "./comparison.ts";
import { openOwnImage } from "./own-image.ts";
import { runBench } from "./run-bench.ts";

export interface CompareOptions {
  readonly names: readonly string[];
  readonly revision: string;
  readonly rounds: number;
}

/** The run ended by a signal, and everything it made is gone. */
export class InterruptedError extends Error {}

export interface Comparison {
  readonly base: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly benches: Readonly<Record<string, ComparedBench>>;
  readonly ok: boolean;
}

/** Runs benchmarks of an earlier revision and of this tree in turns, on the same machine in the same minutes. */
export async function compareWithRevision(options: CompareOptions): Promise<Comparison> {
  const start = performance.now();
  using interruption = abortOnSignals();
  const { signal } = interruption;
  using work = temporaryDirectory();
  await using own = await openOwnImage();
  signal.throwIfAborted();
  const directory = join(work.path, "tree");
  await using base = await openBaseTree({ revision: options.revision, directory, signal });
  const trees = {
    before: { tree: base.directory, image: base.image },
    after: { tree: root, image: own.tag },
  };

  const benches: Record<string, ComparedBench> = {};
  for (const name of options.names) {
    const runs: Record<Side, BenchRun[]> = { before: [], after: [] };
    for (const side of sidesInOrder(options.rounds)) {
      const temporary = join(work.path, "run");
      runs[side].push(await runBench({ name, ...trees[side], temporary, signal }));
    }
    benches[name] = compareRuns(runs, BOUNDS[name]);
  }
  return {
    base: base.commit,
    rounds: options.rounds,
    seconds: Math.round((performance.now() - start) / 1000),
    benches,
    ok: Object.values(benches).every(({ ok }) => ok),
  };
}

function temporaryDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "deckhand-compare-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Ctrl-C ends the run in order: worktree, image and containers are removed before the process exits. */
function abortOnSignals(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const abort = (name: NodeJS.Signals) =>
    controller.abort(new InterruptedError(`Ended by ${name}.`));
  for (const name of names) process.on(name, abort);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const name of names) process.off(name, abort);
    },
  };
}
