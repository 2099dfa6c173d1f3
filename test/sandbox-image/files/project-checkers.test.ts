import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileHandlers } from "../../../sandbox-image/server/files/handlers.ts";
import { serve } from "../../../sandbox-image/server/tools.ts";
import { fileOperations } from "../../../src/contract/tools/file-operations.ts";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

/** Runs get_errors where these programs are installed and no others. */
async function getErrors(workspace: TestWorkspace, programs: Readonly<Record<string, string>>) {
  const bin = join(workspace.settings.homeDir, "bin");
  mkdirSync(bin, { recursive: true });
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const childEnv = { ...workspace.settings.childEnv, PATH: bin };
  const served = serve(fileOperations, fileHandlers({ ...workspace.settings, childEnv }));
  const signal = new AbortController().signal;
  const context = { callId: "1", conversation: "main", signal, progress: () => {} };
  return served.prepare({ operation: "get_errors" }).run(context);
}

/** The file that marks a project, the program that must run and with which words, what it prints, and what comes of it. */
const PROJECTS: readonly {
  marker: string;
  content?: string;
  program: string;
  args: string;
  prints: string;
  checker: string;
  problem: object;
}[] = [
  {
    marker: "tsconfig.json",
    program: "tsc",
    args: "--noEmit",
    prints: "src/a.ts(3,7): error TS2322: Type 'string' is not assignable.",
    checker: "tsc",
    problem: { file: "src/a.ts", line: 3, column: 7, severity: "error", code: "TS2322" },
  },
  ...["eslint.config.js", "eslint.config.mjs", ".eslintrc.json"].map((marker) => ({
    marker,
    program: "eslint",
    args: "--format json",
    prints: JSON.stringify([
      {
        filePath: "b.js",
        messages: [{ line: 2, column: 1, severity: 2, message: "No.", ruleId: "x" }],
      },
    ]),
    checker: "eslint",
    problem: { file: "b.js", line: 2, column: 1, severity: "error", code: "x" },
  })),
  ...["lint", "typecheck"].map((script) => ({
    marker: "package.json",
    content: JSON.stringify({ scripts: { [script]: "x" } }),
    program: "npm",
    args: `run --silent ${script}`,
    prints: "a.c:1:2: warning: odd",
    checker: `npm run ${script}`,
    problem: { file: "a.c", line: 1, column: 2, severity: "warning", message: "odd" },
  })),
  {
    marker: "pyproject.toml",
    program: "ruff",
    args: "check",
    prints: JSON.stringify([
      { filename: "a.py", location: { row: 1, column: 8 }, message: "unused", code: "F401" },
    ]),
    checker: "ruff",
    problem: { file: "a.py", line: 1, column: 8, code: "F401" },
  },
  {
    marker: "pyproject.toml",
    program: "pyflakes",
    args: ".",
    prints: "./a.py:1:1: 'os' imported but unused",
    checker: "pyflakes",
    problem: { file: "a.py", line: 1, column: 1 },
  },
  {
    marker: "pyproject.toml",
    program: "mypy",
    args: "--show-column-numbers",
    prints: "a.py:2:5: error: Bad type  [assignment]",
    checker: "mypy",
    problem: { file: "a.py", line: 2, column: 5, code: "assignment" },
  },
  {
    marker: "go.mod",
    program: "go",
    args: "vet ./...",
    prints: "vet: ./main.go:7:2: undefined: x",
    checker: "go vet",
    problem: { file: "main.go", line: 7, column: 2, message: "undefined: x" },
  },
  {
    marker: "Cargo.toml",
    program: "cargo",
    args: "check",
    prints: "src/main.rs:4:9: error[E0425]: cannot find value `y` in this scope",
    checker: "cargo check",
    problem: { file: "src/main.rs", line: 4, column: 9, severity: "error" },
  },
  {
    marker: "Package.swift",
    program: "swift",
    args: "build",
    prints: "Sources/m.swift:5:3: error: cannot find 'z' in scope",
    checker: "swift build",
    problem: { file: "Sources/m.swift", line: 5, column: 3, severity: "error" },
  },
];

describe.each(PROJECTS)("a project with $marker and $program [15.5]", (project) => {
  const { marker, content = "", program, args, prints, checker, problem } = project;

  it("is checked by it, in the workspace, and its problems are told with their places", async () => {
    using workspace = makeWorkspace();
    workspace.write(marker, content);
    const script = `echo "$PWD $*" > "$HOME/called"; /bin/cat <<'END'\n${prints}\nEND\nexit 1`;
    const result = await getErrors(workspace, { [program]: script });
    expect(result).toMatchObject({ success: true, errors: [problem] });
    expect(result.checkers).toContain(checker);
    const called = workspace.read("../home/called");
    expect(called).toContain(`${workspace.dir} `);
    expect(called).toContain(args);
  });

  it("is a note and no failure where the program is missing", async () => {
    using workspace = makeWorkspace();
    workspace.write(marker, content);
    expect(await getErrors(workspace, {})).toMatchObject({
      success: true,
      errors: [],
      note: expect.stringContaining("not installed"),
    });
  });
});
