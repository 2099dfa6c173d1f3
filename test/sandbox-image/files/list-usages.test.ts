import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kindOfUsage } from "../../../sandbox-image/server/files/search/usage-kind.ts";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
beforeAll(() => {
  workspace = makeWorkspace();
  workspace.write("a.ts", "export function foo() {}\nfoo(); foobar();\nconst x = a.b(1);\n");
  workspace.write("d/b.ts", "import { foo } from '../a.ts';\n// later\nfoo();\n");
});
afterAll(() => workspace[Symbol.dispose]());

const call: TestWorkspace["call"] = (...args) => workspace.call(...args);

describe("2.9 list_usages", () => {
  it("finds whole words and tells what each is", async () => {
    const { usages } = await call("list_usages", { symbolName: "foo" });
    expect(usages).toEqual([
      {
        file: "a.ts",
        line: 1,
        column: 17,
        context: "export function foo() {}",
        kind: "definition",
      },
      { file: "a.ts", line: 2, column: 1, context: "foo(); foobar();", kind: "call" },
      {
        file: "d/b.ts",
        line: 1,
        column: 10,
        context: "import { foo } from '../a.ts';",
        kind: "reference",
      },
      { file: "d/b.ts", line: 3, column: 1, context: "foo();", kind: "call" },
    ]);
  });

  it("puts the hits of the hinted files first and searches below rootPath", async () => {
    const { usages } = await call("list_usages", { symbolName: "foo", filePaths: ["d/b.ts"] });
    expect((usages as { file: string }[])[0]?.file).toBe("d/b.ts");
    expect(await call("list_usages", { symbolName: "foo", rootPath: "d" })).toMatchObject({
      totalCount: 2,
    });
    expect(await call("list_usages", { symbolName: "foo", filePaths: [] })).toMatchObject({
      kind: "invalidParameters",
    });
  });

  it("takes any symbol literally", async () => {
    expect(await call("list_usages", { symbolName: "a.b(" })).toMatchObject({
      success: true,
      usages: [{ file: "a.ts", line: 3 }],
    });
    for (const symbolName of ["$", "\\", "[", "#x", "a b", "~&-", "*", "é"]) {
      expect(await call("list_usages", { symbolName })).toMatchObject({ success: true });
    }
  });

  it.each([
    ["class Foo {", "Foo", "definition"],
    ["def foo(self):", "foo", "definition"],
    ["func (s *Server) foo() error {", "foo", "definition"],
    ["  async foo(a: string): Promise<void> {", "foo", "definition"],
    ["int foo(int x) {", "foo", "definition"],
    ["int foo(int x);", "foo", "declaration"],
    ["let foo;", "foo", "declaration"],
    ["const foo = 1;", "foo", "definition"],
    ["return foo(1);", "foo", "call"],
    ["  if (foo(1)) {", "foo", "call"],
    ["x = foo", "foo", "reference"],
    ["foo<string>(1)", "foo", "call"],
  ])("reads %j as a %s's %s", (line, symbol, kind) => {
    expect(kindOfUsage(line, line.indexOf(symbol), symbol)).toBe(kind);
  });
});
