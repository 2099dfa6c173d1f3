import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { findEdits } from "../../scripts/mutants/random/candidates.ts";
import { concernedTests, referencesOf } from "../../scripts/mutants/random/concerned-tests.ts";
import { pick } from "../../scripts/mutants/random/draw.ts";

const ROOT = join(import.meta.dirname, "../..");

function mutants(text: string): string[] {
  return findEdits("sample.ts", text).map(
    ({ start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end),
  );
}

describe("random mutants", () => {
  it.each([
    ["if (a) b = c;", ["if (!(a)) b = c;"]],
    ["x = a ? b : c;", ["x = !(a) ? b : c;"]],
    ["x = a && b;", ["x = a || b;"]],
    ["x = a < b;", ["x = a <= b;"]],
    ["x = a === b;", ["x = a !== b;"]],
    ["x = a ?? b;", ["x = a;"]],
    ["x = 3;", ["x = 4;"]],
    ["x = 4_000;", ["x = 40000;"]],
    ["x = true;", ["x = false;"]],
    ["{ await close(); }", ["{ ; }"]],
    ["try { x; } finally { y; }", ["try { x; } finally {}"]],
    ['import { a } from "b"; log("no tests for log lines", 1);', []],
    ["type A = { b: true } | 3;", []],
    ['x = "a" + b;', []],
  ])("changes %j", (text, expected) => expect(mutants(text)).toEqual(expected));

  it("draws the same mutants for the same seed, and others for another seed", () => {
    const all = Array.from({ length: 1000 }, (_, index) => index);
    const draw = (seed: number) => pick(all, { count: 50, seed });
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(new Set(draw(7)).size).toBe(50);
  });

  it("runs the tests that reach a module, the nearest first", () => {
    const importers = new Map([
      ["src/a.ts", ["src/b.ts", "test/a.test.ts"]],
      ["src/b.ts", ["src/a.ts", "test/b.test.ts"]],
    ]);
    expect(concernedTests(importers, "src/a.ts")).toEqual(["test/a.test.ts", "test/b.test.ts"]);
  });

  it("makes only programs, so that a test fails and not the parser", () => {
    const changed = globSync("src/{reply,audit}/*.ts", { cwd: ROOT }).flatMap((file) =>
      mutants(readFileSync(join(ROOT, file), "utf8")),
    );
    const broken = pick(changed, { count: 30, seed: 3 }).filter((text) => {
      const { diagnostics = [] } = ts.transpileModule(text, {
        compilerOptions: { target: ts.ScriptTarget.ESNext },
        reportDiagnostics: true,
      });
      return diagnostics.length > 0;
    });
    expect(broken).toEqual([]);
  });

  it("runs the tests with the most alike paths first where they are equally near", () => {
    const tests = ["test/a/z.test.ts", "test/src/b/x.test.ts", "test/src/b/y.test.ts"];
    const importers = new Map([["src/b/y.ts", tests]]);
    expect(concernedTests(importers, "src/b/y.ts")).toEqual(tests.toReversed());
  });

  it.each([
    ['import { a } from "./a.ts";', ["./a.ts"]],
    ['import {\n  a,\n  type B,\n} from "../b/a.ts";', ["../b/a.ts"]],
    ['import "./a.ts";', ["./a.ts"]],
    ['export { a } from "./a.ts";', ["./a.ts"]],
    ['const a = await import("./a.ts");', ["./a.ts"]],
    ['fileURLToPath(new URL("./program.ts", import.meta.url));', ["./program.ts"]],
    ['new URL("program.ts", import.meta.url)', ["program.ts"]],
    ['import type { A } from "./a.ts";\nimport { b } from "./b.ts";', ["./b.ts"]],
    ['export type { A } from "./a.ts";', []],
    ['import { a } from "package";', []],
    ['write("notes.ts");', []],
  ])("reads what %j runs", (text, expected) => expect(referencesOf(text)).toEqual(expected));
});
