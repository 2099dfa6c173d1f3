import { execFile } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "./project.mjs";

const run = promisify(execFile);

/**
 * Links this tree's packages into a tree of another revision. Where the lock files differ, or links are not possible,
 * that tree's own scripts run `npm ci`.
 */
export async function shareDependencies(tree: string): Promise<void> {
  const lock = (directory: string) => readFileSync(join(directory, "package-lock.json"), "utf8");
  if (lock(tree) !== lock(root)) return;
  const modules = join(tree, "node_modules");
  try {
    await run("cp", ["--archive", "--link", join(root, "node_modules"), modules]);
  } catch {
    rmSync(modules, { recursive: true, force: true });
  }
}
