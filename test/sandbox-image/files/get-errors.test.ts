import { chmodSync, symlinkSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { matchProblems } from "../../../sandbox-image/server/files/errors/problem-matchers.ts";
import { ownMs } from "../../support/own-clock.ts";
import { running } from "../../support/terminals.ts";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

/** Puts a checker into the workspace that only prints what it is told. */
function fakeChecker(workspace: TestWorkspace, path: string, output: string, exitCode = 1): void {
  workspace.write(path, `#!/bin/sh\ncat <<'EOF'\n${output}\nEOF\nexit ${exitCode}\n`);
  chmodSync(workspace.path(path), 0o755);
}

describe("2.4 and 15.5 get_errors", () => {
  it("finds the one type error of a TypeScript project, and none in other files", async () => {
    using workspace = makeWorkspace();
    workspace.write(
      "tsconfig.json",
      '{ "compilerOptions": { "strict": true, "types": [], "lib": ["es5"] }, "include": ["src"] }',
    );
    workspace.write("src/bad.ts", 'export const a = 1;\nexport const n: number = "one";\n');
    workspace.write("src/good.ts", "export const b = 2;\n");
    symlinkSync(resolve("node_modules"), workspace.path("node_modules"));
    const result = await workspace.call("get_errors");
    expect(result).toMatchObject({
      success: true,
      count: 1,
      errors: [{ file: "src/bad.ts", line: 2, column: 14, severity: "error", code: "TS2322" }],
      checkers: ["tsc"],
    });
    expect(await workspace.call("get_errors", { filePaths: ["src/good.ts"] })).toMatchObject({
      errors: [],
    });
    expect(await workspace.call("get_errors", { filePaths: ["src/bad.ts"] })).toMatchObject({
      count: 1,
    });
    expect(await workspace.call("get_errors", { filePaths: [] })).toMatchObject({
      kind: "invalidParameters",
    });
  });

  it("is content with a workspace without any project", async () => {
    using workspace = makeWorkspace();
    workspace.write("readme.md", "hello");
    expect(await workspace.call("get_errors")).toMatchObject({
      success: true,
      errors: [],
      note: expect.stringContaining("No project"),
    });
    expect((await workspace.call("get_errors", { workspace_path: "none" })).success).toBe(false);
  });

  it("notes a checker that is not installed instead of failing", async () => {
    using workspace = makeWorkspace();
    workspace.write("Package.swift", "");
    expect(await workspace.call("get_errors")).toMatchObject({
      success: true,
      errors: [],
      note: expect.stringContaining("swift build is not installed"),
    });
  });

  it("reads eslint, ruff and mypy", async () => {
    using workspace = makeWorkspace();
    workspace.write("eslint.config.js", "");
    workspace.write("pyproject.toml", "[tool.mypy]\n");
    const message = {
      line: 3,
      column: 5,
      severity: 1,
      message: "Unused.",
      ruleId: "no-unused-vars",
    };
    const report = [{ filePath: workspace.path("a.js"), messages: [message] }];
    fakeChecker(workspace, "node_modules/.bin/eslint", JSON.stringify(report));
    const ruff = [
      {
        filename: workspace.path("a.py"),
        location: { row: 1, column: 8 },
        message: "unused",
        code: "F401",
      },
    ];
    fakeChecker(workspace, ".venv/bin/ruff", JSON.stringify(ruff));
    fakeChecker(workspace, ".venv/bin/mypy", "a.py:2:5: error: Bad type  [assignment]");
    expect(await workspace.call("get_errors")).toMatchObject({
      checkers: ["eslint", "ruff", "mypy"],
      errors: [
        { file: "a.js", line: 3, column: 5, severity: "warning", code: "no-unused-vars" },
        { file: "a.py", line: 1, column: 8, severity: "error", code: "F401" },
        {
          file: "a.py",
          line: 2,
          column: 5,
          severity: "error",
          message: "Bad type",
          code: "assignment",
        },
      ],
    });
  });

  it("takes pyflakes where there is no ruff, and the nearest project of the asked files", async () => {
    using workspace = makeWorkspace();
    workspace.write("sub/pyproject.toml", "");
    workspace.write("sub/x.py", "import os\n");
    fakeChecker(workspace, "sub/venv/bin/pyflakes", "./x.py:1:1: 'os' imported but unused");
    expect(await workspace.call("get_errors", { filePaths: ["sub/x.py"] })).toMatchObject({
      checkers: ["pyflakes"],
      errors: [{ file: "sub/x.py", line: 1, column: 1, message: "'os' imported but unused" }],
    });
  });

  it("runs a lint script where no settings of a checker are found, and says when it broke", async () => {
    using workspace = makeWorkspace();
    workspace.write(
      "package.json",
      JSON.stringify({
        scripts: { lint: "echo 'a.c:1:2: warning: odd'; exit 1", typecheck: "echo oh; exit 3" },
      }),
    );
    expect(await workspace.call("get_errors")).toMatchObject({
      checkers: ["npm run typecheck", "npm run lint"],
      errors: [{ file: "a.c", line: 1, column: 2, severity: "warning", message: "odd" }],
      note: expect.stringContaining("npm run typecheck ended with code 3: oh"),
    });
  });

  it("reads the last task's output where no checker fits", async () => {
    const lastOutput = () => "src/m.c:3:7: error: no such thing\n";
    using workspace = makeWorkspace({ lastOutput });
    expect(await workspace.call("get_errors")).toMatchObject({
      errors: [{ file: "src/m.c", line: 3, column: 7 }],
    });
  });

  it("is stopped with everything that the checker started", async () => {
    using workspace = makeWorkspace();
    workspace.write("tsconfig.json", "{}");
    workspace.write("node_modules/.bin/tsc", "#!/bin/sh\nsleep 61.25 & sleep 61.25\n");
    chmodSync(workspace.path("node_modules/.bin/tsc"), 0o755);
    const stop = new AbortController();
    const began = ownMs();
    const result = workspace.call("get_errors", {}, { signal: stop.signal });
    await expect.poll(() => running("sleep 61.25").length).toBeGreaterThan(0);
    stop.abort();
    expect(await result).toMatchObject({ success: false, message: "The check was stopped." });
    expect(ownMs() - began).toBeLessThan(45_000);
  });
});

describe("the problem matchers", () => {
  it("15.6 read tsc, eslint's stylish and gcc, also with colours", () => {
    const output = [
      "src/a.ts(3,7): error TS2322: Type 'x' is wrong.",
      "\u001b[96msrc/b.ts\u001b[0m:4:1 - error TS1005: ';' expected.",
      "/w/src/c.js",
      "  1:10  error  'x' is not defined  no-undef",
      "  2:1   warning  Odd thing",
      "",
      "main.c:5:2: fatal error: x.h: No such file",
      "src/main.rs:3:5: error[E0308]: mismatched types",
      "make: *** [Makefile:2: all] Error 1",
    ].join("\n");
    expect(matchProblems(output)).toEqual([
      {
        file: "src/a.ts",
        line: 3,
        column: 7,
        severity: "error",
        code: "TS2322",
        message: "Type 'x' is wrong.",
      },
      {
        file: "src/b.ts",
        line: 4,
        column: 1,
        severity: "error",
        code: "TS1005",
        message: "';' expected.",
      },
      {
        file: "/w/src/c.js",
        line: 1,
        column: 10,
        severity: "error",
        message: "'x' is not defined",
        code: "no-undef",
      },
      { file: "/w/src/c.js", line: 2, column: 1, severity: "warning", message: "Odd thing" },
      { file: "main.c", line: 5, column: 2, severity: "error", message: "x.h: No such file" },
      {
        file: "src/main.rs",
        line: 3,
        column: 5,
        severity: "error",
        code: "E0308",
        message: "mismatched types",
      },
    ]);
    expect(matchProblems(output, ["$gcc"])).toHaveLength(2);
  });
});
