import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const IMPORT = /(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g;

/** For every module of the tree, the modules that import it. */
export function readImporters(root: string): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const file of globSync("{src,adapters,sandbox-image,test}/**/*.{ts,tsx}", { cwd: root })) {
    const text = readFileSync(join(root, file), "utf8");
    for (const [, path = ""] of text.matchAll(IMPORT)) {
      const imported = normalize(join(dirname(file), path));
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
  }
  return importers;
}

/** The test files that reach a module, nearest first. */
export function concernedTests(importers: Map<string, string[]>, file: string): string[] {
  const seen = new Set([file]);
  const tests: string[] = [];
  let ring = [file];
  while (ring.length > 0) {
    const next = new Set(ring.flatMap((one) => importers.get(one) ?? []));
    ring = [...next].filter((one) => !seen.has(one)).sort();
    for (const one of ring) seen.add(one);
    tests.push(...ring.filter((one) => one.endsWith(".test.ts")));
  }
  return tests;
}
