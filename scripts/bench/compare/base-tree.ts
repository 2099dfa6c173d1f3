import { execFile } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { IMAGE, root } from "../../lib/project.mjs";
import { shareDependencies } from "../../lib/share-dependencies.ts";
import { docker } from "../lab.ts";

const run = promisify(execFile);
const OUTPUT_BYTES = 64 * 1024 * 1024;

/** A checkout of an earlier revision that can run benchmarks, with a sandbox image of its own. */
export interface BaseTree extends AsyncDisposable {
  readonly directory: string;
  readonly image: string;
  readonly commit: string;
}

export interface BaseTreeOptions {
  readonly revision: string;
  readonly directory: string;
  /** Aborts the work; what exists by then is removed. */
  readonly signal: AbortSignal;
}

export async function openBaseTree(options: BaseTreeOptions): Promise<BaseTree> {
  const { revision, directory, signal } = options;
  const commit = await commitOf(revision);
  const tree: BaseTree = {
    directory,
    image: `deckhand-bench-${commit.slice(0, 12)}`,
    commit,
    [Symbol.asyncDispose]: async () => {
      await docker("image", "rm", "--force", tree.image);
      await run("git", ["worktree", "remove", "--force", directory], { cwd: root });
    },
  };
  await run("git", ["worktree", "add", "--detach", directory, commit], { cwd: root });
  try {
    await shareDependencies(directory);
    useImageTag(directory, tree.image);
    useOwnBenchmarks(directory);
    await buildImage(tree, signal);
  } catch (error) {
    await tree[Symbol.asyncDispose]();
    throw error;
  }
  return tree;
}

async function commitOf(revision: string): Promise<string> {
  const { stdout } = await run("git", ["rev-parse", "--verify", `${revision}^{commit}`], {
    cwd: root,
  });
  return stdout.trim();
}

/** The shared tag stays as it is: other processes use it. */
function useImageTag(directory: string, image: string): void {
  const file = join(directory, "scripts/lib/project.mjs");
  const text = readFileSync(file, "utf8");
  const changed = text.replace(`IMAGE = "${IMAGE}"`, `IMAGE = "${image}"`);
  if (changed === text) throw new Error(`${file} does not name the image ${IMAGE}.`);
  writeFileSync(file, changed);
}

/** Both trees are measured by the same code. */
function useOwnBenchmarks(directory: string): void {
  const target = join(directory, "scripts/bench");
  if (existsSync(target)) rmSync(target, { recursive: true });
  cpSync(join(root, "scripts/bench"), target, { recursive: true });
}

async function buildImage({ directory }: BaseTree, signal: AbortSignal): Promise<void> {
  const script = join(directory, "scripts/image");
  await run(process.execPath, [script], { cwd: directory, signal, maxBuffer: OUTPUT_BYTES });
}
