import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
beforeEach(() => {
  workspace = makeWorkspace();
});
afterEach(() => workspace[Symbol.dispose]());

const patch = (patchContent: string) => workspace.call("apply_patch", { patchContent });
const update = (hunk: string) => `*** Begin Patch\n*** Update File: f\n${hunk}*** End Patch\n`;
const indented = (text: string, by: string) => text.replace(/^/gm, by).replace(/^\s+$/gm, "");

const TEXT = "function a() {\n  say('hi');\n}\nfunction b() {\n  say('ho');\n}\n";
const CHANGED = TEXT.replace("hi", "hey");
const PATCH = update("@@ function a() {\n-  say('hi');\n+  say('hey');\n");
const UNIFIED =
  "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n function a() {\n-  say('hi');\n+  say('hey');\n";

describe("a patch that fits only loosely", () => {
  const CASES: readonly (readonly [string, string, string, string])[] = [
    ["an indented patch", TEXT, indented(PATCH, "    "), "without its indentation"],
    ["a patch indented by a tab", TEXT, indented(PATCH, "\t"), "without its indentation"],
    ["an indented unified diff", TEXT, indented(UNIFIED, "  "), "without its indentation"],
    [
      "an ellipsis as an anchor",
      TEXT,
      update("@@ ... @@\n-  say('hi');\n+  say('hey');\n"),
      "the @@ ... @@ line",
    ],
    [
      "an ellipsis in a unified diff",
      TEXT,
      "--- a/f\n+++ b/f\n@@ ... @@\n-  say('hi');\n+  say('hey');\n",
      "the @@ ... @@ line",
    ],
    [
      "typographic quotes in the patch",
      TEXT,
      update("-  say(‘hi’);\n+  say('hey');\n"),
      "typographic quotes",
    ],
    [
      "typographic signs in the file",
      TEXT.replace("a() {", "a() { // “x” – y…"),
      update(" function a() { // \"x\" - y...\n-  say('hi');\n+  say('hey');\n"),
      "typographic quotes",
    ],
    [
      "no-break spaces in the file",
      TEXT.replace("function a", "function\u00a0a"),
      update(" function a() {\n-  say('hi');\n+  say('hey');\n"),
      "typographic quotes",
    ],
    [
      "blanks at line ends",
      TEXT.replace("a() {", "a() {  "),
      update(" function a() {\n-  say('hi');\n+  say('hey');\n"),
      "white space at line ends",
    ],
    [
      "context that has changed",
      TEXT,
      "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n function z() {\n-  say('hi');\n+  say('hey');\n }\n",
      "lines of context",
    ],
  ];
  it.each(CASES)(
    "is applied as a second attempt that says so: %s",
    async (_, text, content, note) => {
      workspace.write("f", text);
      expect(await patch(content)).toMatchObject({
        success: true,
        message: expect.stringContaining(note),
      });
      expect(workspace.read("f")).toBe(text.replace("hi", "hey"));
    },
  );

  it.each([
    ["a Begin Patch block", PATCH],
    ["a unified diff", UNIFIED],
    ["indented markers between files", PATCH.replace("*** Update", "  *** Update")],
    ["an indented end", PATCH.replace("*** End", "  *** End")],
  ])("is tried exactly first: %s", async (_, content) => {
    workspace.write("f", TEXT);
    const result = await patch(content);
    expect(result).toMatchObject({ success: true });
    expect(result.message).toBeUndefined();
    expect(workspace.read("f")).toBe(CHANGED);
  });

  it("prefers the exact place to a loose one that comes before it", async () => {
    workspace.write("f", 'x = “1”\nx = "1"\n');
    await patch(update('-x = "1"\n+x = "2"\n'));
    expect(workspace.read("f")).toBe('x = “1”\nx = "2"\n');
  });
});

describe("a patch that fits in several places", () => {
  it.each([
    ["exactly", "same\nother\nsame\n", "-same\n+new\n", "2 places (lines 1, 3)"],
    ["loosely", "same \nother\nsame  \n", "-same\n+new\n", "2 places (lines 1, 3)"],
    ["by its quotes", "‘a’\n“b”\n‘a’\n", "-'a'\n+new\n", "2 places (lines 1, 3)"],
  ])("is refused and changes nothing: %s", async (_, text, hunk, reason) => {
    workspace.write("f", text);
    expect(await patch(update(hunk))).toMatchObject({
      success: false,
      message: expect.stringContaining(reason),
    });
    expect(workspace.read("f")).toBe(text);
  });

  it.each([
    ["an anchor", "@@ other\n-same\n+new\n", "same\nother\nnew\n"],
    ["the end of the file", "-same\n+new\n*** End of File\n", "same\nother\nnew\n"],
    ["a hunk for each of them", "@@\n-same\n+new\n@@\n-same\n+last\n", "new\nother\nlast\n"],
  ])("is applied where it is clear by %s", async (_, hunk, after) => {
    workspace.write("f", "same\nother\nsame\n");
    expect(await patch(update(hunk))).toMatchObject({ success: true });
    expect(workspace.read("f")).toBe(after);
  });

  it("is applied at the line that its number says", async () => {
    workspace.write("f", "same\nother\nsame\n");
    await patch("--- a/f\n+++ b/f\n@@ -3 +3 @@\n-same\n+new\n");
    expect(workspace.read("f")).toBe("same\nother\nnew\n");
  });
});
