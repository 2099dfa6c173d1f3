import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
beforeEach(() => {
  workspace = makeWorkspace();
});
afterEach(() => workspace[Symbol.dispose]());

const ENDS: readonly (readonly [string, string])[] = [
  ["LF", "one\ntwo\nthree\n"],
  ["CRLF", "one\r\ntwo\r\nthree\r\n"],
  ["CR", "one\rtwo\rthree\r"],
  ["CRLF, then LF", "one\r\ntwo\r\nthree\n"],
  ["LF, then CRLF", "one\ntwo\r\nthree\r\n"],
  ["CRLF without one at the end", "one\r\ntwo\r\nthree"],
  ["LF without one at the end", "one\ntwo\nthree"],
  ["a byte order mark and CRLF", "\ufeffone\r\ntwo\r\nthree\r\n"],
];

describe("edits keep the line ends of a file with", () => {
  const secondLine = (text: string) => /two(\r\n|\n|\r)/.exec(text)?.[1] ?? "";

  it.each(ENDS)("%s", async (_, text) => {
    const end = secondLine(text);
    const added = text.replace(/two[\r\n]+/, `two${end}new${end}`);
    const changed = text.replace("two", "TWO");
    const first = /one([\r\n]+)/.exec(text)?.[1] ?? "";
    const cases: readonly (readonly [string, object, string])[] = [
      ["replace_string", { oldString: "two", newString: "two\nnew" }, added],
      ["replace_string", { oldString: "one\ntwo\n", newString: "one\ntwo\nnew\n" }, added],
      ["replace_string", { oldString: "one\ntwo", newString: "one\nTWO" }, changed],
      ["replace_string", { oldString: "\ntwo", newString: "\nTWO" }, changed],
      ["replace_string", { oldString: "\ntwo", newString: "" }, text.replace(`${first}two`, "")],
      [
        "multi_replace_string",
        { replacements: [{ oldString: "one\ntwo", newString: "one\nTWO" }] },
        changed,
      ],
      ["insert_edit", { lineNumber: 2, newText: "TWO", insertOperation: "replace" }, changed],
      ["apply_patch", { patchContent: "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n" }, changed],
      ["apply_patch", { patchContent: "@@ -1,3 +1,4 @@\n one\n two\n+new\n three\n" }, added],
    ];
    for (const [operation, params, after] of cases) {
      workspace.write("f", text);
      const result = await workspace.call(operation, { filePath: "f", ...params });
      expect({ params, result, text: workspace.read("f") }).toMatchObject({
        result: { success: true },
        text: after,
      });
    }
  });

  it("a byte order mark, which stays before what is inserted", async () => {
    workspace.write("f", "\ufeffone\n");
    const edit = { filePath: "f", lineNumber: 1, newText: "zero" };
    await workspace.call("insert_edit", { ...edit, insertOperation: "insert" });
    expect(workspace.read("f")).toBe("\ufeffzero\none\n");
  });
});

describe("lines that an edit does not touch", () => {
  it("stay byte for byte, whatever ends them", async () => {
    const line = fc.tuple(fc.constantFrom("\n", "\r\n"), fc.constantFrom("", "\r", "x\r y", " "));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 2, maxLength: 8 }),
        fc.nat(),
        fc.boolean(),
        fc.constantFrom("replace", "insert", "patch"),
        async (kinds, pick, isFinished, how) => {
          const lines = kinds.map(([end, tail], index) => `line ${index}${tail}.${end}`);
          const last = lines.length - 1;
          if (!isFinished) lines[last] = (lines[last] ?? "").trimEnd();
          const at = pick % lines.length;
          workspace.write("f", lines.join(""));
          const old = (lines[at] ?? "").replace(/\r?\n$/, "");
          const patchContent = `@@ -${at + 1} +${at + 1},2 @@\n-${old}\n+new\n+more\n`;
          const newText = "new\nmore";
          const edits = {
            replace: ["replace_string", { oldString: `line ${at}`, newString: newText }],
            insert: ["insert_edit", { lineNumber: at + 1, newText, insertOperation: "replace" }],
            patch: ["apply_patch", { patchContent }],
          } as const;
          const [operation, params] = edits[how];
          const result = await workspace.call(operation, { filePath: "f", ...params });
          expect(result).toMatchObject({ success: true });
          const after = workspace.read("f");
          const [before, behind] = [lines.slice(0, at).join(""), lines.slice(at + 1).join("")];
          expect(after.startsWith(before)).toBe(true);
          expect(after.endsWith(behind)).toBe(true);
          const end =
            /\r?\n$/.exec(lines[at] ?? "")?.[0] ?? /\r?\n$/.exec(lines[at - 1] ?? "")?.[0];
          expect(after.slice(before.length)).toMatch(new RegExp(`^new${end}more`));
        },
      ),
      { numRuns: 60 },
    );
  });
});
