import { access, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { explain } from "../fs-errors.ts";
import type { Place } from "../place.ts";
import { type Checker, checkersFor } from "./checkers.ts";

/** A directory with something to check, and what checks it. */
export interface Project {
  readonly directory: string;
  readonly checkers: readonly Checker[];
}

const PackageJson = z.object({ scripts: z.record(z.string(), z.unknown()).default({}) });

/** The projects of the given files, each the nearest above its file; without files, the one of the root. */
export async function projectsOf(root: Place, files: readonly Place[]): Promise<Project[]> {
  const starts = files.length === 0 ? [root.path] : files.map(({ path }) => dirname(path));
  const projects = new Map<string, Project>();
  for (const start of new Set(starts)) {
    const project = await nearest(start, root);
    if (project) projects.set(project.directory, project);
  }
  return [...projects.values()];
}

async function nearest(start: string, root: Place): Promise<Project | undefined> {
  const inside = start === root.path || start.startsWith(`${root.path}/`);
  for (let directory = inside ? start : root.path; ; directory = dirname(directory)) {
    const checkers = await checkersIn(directory, root);
    if (checkers.length > 0) return { directory, checkers };
    if (directory === root.path || directory === "/") return undefined;
  }
}

async function checkersIn(directory: string, root: Place): Promise<Checker[]> {
  try {
    const names = new Set(await readdir(directory));
    return checkersFor({
      names,
      scripts: names.has("package.json")
        ? await scriptsOf(join(directory, "package.json"))
        : new Set(),
      pyproject: names.has("pyproject.toml")
        ? await readFile(join(directory, "pyproject.toml"), "utf8")
        : "",
    });
  } catch (error) {
    // A file that is asked about need not exist; the root must.
    if (directory !== root.path) return [];
    throw explain(root.shown, error);
  }
}

async function scriptsOf(path: string): Promise<Set<string>> {
  try {
    return new Set(
      Object.keys(PackageJson.parse(JSON.parse(await readFile(path, "utf8"))).scripts),
    );
  } catch {
    // A broken package.json has no scripts to run.
    return new Set();
  }
}

/** The project's own copy of a program, looked for upwards to the root as npm does; else its plain name. */
export async function programPath(
  checker: Checker,
  directory: string,
  root: string,
): Promise<string> {
  for (let at = directory; ; at = dirname(at)) {
    for (const home of checker.homes) {
      const path = join(at, home, checker.program);
      if (await isThere(path)) return path;
    }
    if (at === root || at === "/") return checker.program;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    // The next place may have it.
    return false;
  }
}
