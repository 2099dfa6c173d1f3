import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Imports of values, and programs that a test starts by their path. Imports of types run nothing. */
const REFERENCE =
  /(?:^(?:import|export)\s(?!type\b)[^;"]*?|\bimport\s*\(\s*|\bnew URL\(\s*)"(\.{0,2}[^" ]*\.tsx?)"/gm;

/** For every module of the tree, the modules that run it. */
export function readImporters(root: string): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const file of globSync("{src,adapters,sandbox-image,test}/**/*.{ts,tsx}", { cwd: root })) {
    for (const path of referencesOf(readFileSync(join(root, file), "utf8"))) {
      const imported = normalize(join(dirname(file), path));
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
  }
  return importers;
}

/** The relative paths of the modules that a module runs. */
export function referencesOf(text: string): string[] {
  return Array.from(text.matchAll(REFERENCE), ([, path = ""]) => path);
}

/** The test files that reach a module: by the number of imports between them, then by how alike their paths are. */
export function concernedTests(importers: Map<string, string[]>, file: string): string[] {
  const seen = new Set([file]);
  const tests: string[] = [];
  let ring = [file];
  while (ring.length > 0) {
    const next = new Set(ring.flatMap((one) => importers.get(one) ?? []));
    ring = [...next].filter((one) => !seen.has(one)).sort(byLikeness(file));
    for (const one of ring) seen.add(one);
    tests.push(...ring.filter((one) => one.endsWith(".test.ts")));
  }
  return tests;
}

function byLikeness(file: string): (a: string, b: string) => number {
  const words = new Set(file.split(/\W+/));
  const common = (path: string) => path.split(/\W+/).filter((word) => words.has(word)).length;
  return (a, b) => common(b) - common(a) || a.localeCompare(b);
}
