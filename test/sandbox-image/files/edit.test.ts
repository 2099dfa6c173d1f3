import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processorMs } from "../../support/longest-work.ts";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
beforeEach(() => {
  workspace = makeWorkspace();
});
afterEach(() => workspace[Symbol.dispose]());

const call: TestWorkspace["call"] = (...args) => workspace.call(...args);
const names = (directory = ".") => readdirSync(workspace.path(directory)).sort();

describe("2.11 create_file", () => {
  it("makes the file with its directories, and never twice", async () => {
    const first = await call("create_file", { filePath: "a/b/c.txt", content: "one\n" });
    expect(first).toMatchObject({
      success: true,
      filename: "c.txt",
      filePath: "a/b/c.txt",
      created: true,
      overwritten: false,
    });
    expect(first.message).toMatch(/^c\.txt was created/);
    const again = await call("create_file", { filePath: "a/b/c.txt", content: "two" });
    expect(again).toMatchObject({ success: false, kind: "executionFailed" });
    expect(again.message).toContain("overwrite: true");
    expect(workspace.read("a/b/c.txt")).toBe("one\n");
    const over = await call("create_file", {
      filePath: "a/b/c.txt",
      content: "",
      overwrite: "true",
    });
    expect(over).toMatchObject({ overwritten: true, created: false });
    expect(workspace.read("a/b/c.txt")).toBe("");
  });

  it("gives new files what the umask leaves and keeps the bits of old ones", async () => {
    await call("create_file", { filePath: "new", content: "" });
    expect(statSync(workspace.path("new")).mode & 0o777).toBe(0o666 & ~process.umask());
    chmodSync(workspace.path("new"), 0o751);
    await call("create_file", { filePath: "new", content: "x", overwrite: true });
    expect(statSync(workspace.path("new")).mode & 0o777).toBe(0o751);
  });

  it("refuses a directory, and leaves no directories behind when it fails", async () => {
    mkdirSync(workspace.path("dir"));
    expect(
      (await call("create_file", { filePath: "dir", content: "", overwrite: true })).message,
    ).toContain("directory");
    const long = "n".repeat(256);
    expect(await call("create_file", { filePath: `x/y/${long}`, content: "" })).toMatchObject({
      success: false,
    });
    expect(names()).toEqual(["dir"]);
  });

  it("writes through a dangling link to where it points, inside", async () => {
    symlinkSync("real/target.txt", workspace.path("link"));
    expect(await call("create_file", { filePath: "link", content: "x" })).toMatchObject({
      filePath: "real/target.txt",
    });
    expect(lstatSync(workspace.path("link")).isSymbolicLink()).toBe(true);
    expect(workspace.read("real/target.txt")).toBe("x");
  });

  it("2.20 lets five follow each other at once", async () => {
    const results = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => call("create_file", { filePath: `n/${n}`, content: `${n}` })),
    );
    expect(results.every(({ success }) => success)).toBe(true);
    expect(names("n")).toEqual(["1", "2", "3", "4", "5"]);
  });

  it("lets exactly one of twenty creators of one file win", async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        call("create_file", { filePath: "one", content: `${n}` }),
      ),
    );
    const winners = results.flatMap(({ success }, n) => (success ? [n] : []));
    expect(winners).toHaveLength(1);
    expect(workspace.read("one")).toBe(`${winners[0]}`);
  });
});

describe("2.12 replace_string", () => {
  const replace = (oldString: string, newString: string, extra = {}) =>
    call("replace_string", { filePath: "f", oldString, newString, ...extra });

  it("replaces every occurrence, and takes $& for what it is", async () => {
    workspace.write("f", "aXbX");
    expect(await replace("X", "$&")).toEqual({
      success: true,
      filePath: "f",
      replacementCount: 2,
      validated: true,
    });
    expect(workspace.read("f")).toBe("a$&b$&");
  });

  it.each([
    ["quotes", "say “hi”, it’s «new»", `say "hi", it's "new"`],
    ["dashes", "1–2 — three − four", "1-2 - three - four"],
    ["spaces", "a\u00a0b\u2009c", "a b c"],
    ["dots", "and so on…", "and so on..."],
    ["the other way round", `it's`, "it’s"],
  ])("says so when the text is there with other %s", async (_, text, oldString) => {
    workspace.write("f", text);
    const { success, message } = await replace(oldString, "Z");
    expect(success).toBe(false);
    expect(message).toContain("different quotes, dashes or spaces");
    expect(workspace.read("f")).toBe(text);
  });

  it("fails and changes nothing when the text is absent or occurs another number of times", async () => {
    workspace.write("f", "aXbX");
    expect(await replace("Y", "Z")).toMatchObject({ success: false });
    expect((await replace("x", "Z")).message).toContain("upper and lower case");
    expect((await replace(" X", "Z")).message).toContain("white space");
    expect(await replace("X", "Z", { expectedReplacements: 1 })).toMatchObject({
      success: false,
      occurrences: 2,
    });
    expect(workspace.read("f")).toBe("aXbX");
    expect(await replace("X", "X")).toMatchObject({ success: false });
    expect(
      (await call("replace_string", { filePath: "none", oldString: "a", newString: "b" })).message,
    ).toContain("create_file");
  });

  it("keeps CRLF, the byte order mark, the missing newline at the end, and the mode", async () => {
    workspace.write("f", "\ufeffa\r\nb\r\nc");
    chmodSync(workspace.path("f"), 0o755);
    expect(await replace("a\nb", "x\ny\nz")).toMatchObject({ replacementCount: 1 });
    expect(workspace.read("f")).toBe("\ufeffx\r\ny\r\nz\r\nc");
    expect(statSync(workspace.path("f")).mode & 0o777).toBe(0o755);
    await replace("\r\n", "\n");
    expect(workspace.read("f")).toBe("\ufeffx\ny\nz\nc");
  });

  it("writes through a link and leaves the link", async () => {
    workspace.write("real", "X");
    symlinkSync("real", workspace.path("f"));
    await replace("X", "Y");
    expect(lstatSync(workspace.path("f")).isSymbolicLink()).toBe(true);
    expect(workspace.read("real")).toBe("Y");
  });

  it("1.31 keeps all of fifty edits that come at once", async () => {
    workspace.write("f", Array.from({ length: 50 }, (_, n) => `<${n}>`).join(""));
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, n) => replace(`<${n}>`, `[${n}]`)),
    );
    expect(results.every(({ success }) => success)).toBe(true);
    expect(workspace.read("f")).toBe(Array.from({ length: 50 }, (_, n) => `[${n}]`).join(""));
  });

  it("edits a file of 5 MB in a moment", async () => {
    workspace.write("f", `${"some line of text\n".repeat(290_000)}needle\n`);
    const began = processorMs();
    expect(await replace("needle", "pin")).toMatchObject({ replacementCount: 1 });
    expect(processorMs() - began).toBeLessThan(10_000);
  });
});

describe("2.13 multi_replace_string", () => {
  const replace = (...pairs: [string, string][]) =>
    call("multi_replace_string", {
      filePath: "f",
      replacements: pairs.map(([oldString, newString]) => ({ oldString, newString })),
    });

  it("applies all in order", async () => {
    workspace.write("f", "a a");
    expect(await replace(["a", "b"], ["b b", "c"])).toMatchObject({
      totalReplacements: 3,
      replacements: [
        { index: 0, replacementCount: 2 },
        { index: 1, replacementCount: 1 },
      ],
    });
    expect(workspace.read("f")).toBe("c");
  });

  it("writes nothing and names the index when one is not found", async () => {
    workspace.write("f", "a");
    const result = await replace(["a", "b"], ["zzz", "y"]);
    expect(result.success).toBe(false);
    expect(result.message).toContain("replacements[1]");
    expect(workspace.read("f")).toBe("a");
  });
});

describe("2.14 insert_edit", () => {
  const edit = (insertOperation: string, lineNumber: number, newText: string) =>
    call("insert_edit", { filePath: "f", lineNumber, newText, insertOperation });

  it.each([
    ["insert", 1, "x", "a\nb\n", "x\na\nb\n", 1],
    ["insert", 3, "x\ny", "a\nb\n", "a\nb\nx\ny\n", 2],
    ["insert", 3, "x", "a\nb", "a\nb\nx", 1],
    ["insert", 1, "x", "", "x\n", 1],
    ["replace", 2, "x\ny\n", "a\nb\nc\n", "a\nx\ny\nc\n", 2],
    ["replace", 2, "x", "a\nb", "a\nx", 1],
    ["insert", 2, "x\ny", "a\r\nb\r\n", "a\r\nx\r\ny\r\nb\r\n", 2],
    ["replace", 2, "x", "a\r\nb", "a\r\nx", 1],
    ["insert", 2, "", "a\nb\n", "a\n\nb\n", 1],
  ])("%s at %i of %j", async (operation, at, newText, before, after, linesModified) => {
    workspace.write("f", before);
    expect(await edit(operation, at, newText)).toMatchObject({
      operation,
      lineNumber: at,
      linesModified,
    });
    expect(workspace.read("f")).toBe(after);
  });

  it("says how many lines there are when the place is beyond them", async () => {
    workspace.write("f", "a\nb\n");
    expect((await edit("replace", 3, "x")).message).toContain("has 2 lines");
    expect((await edit("insert", 4, "x")).message).toContain("has 2 lines");
    expect(workspace.read("f")).toBe("a\nb\n");
  });
});

describe("2.18 and 2.19 the traces of edits", () => {
  it("leaves no backups or temporary files, after success and after failure", async () => {
    workspace.write("f", "a");
    for (let n = 0; n < 10; n++)
      await call("create_file", { filePath: "f", content: `${n}`, overwrite: true });
    await call("replace_string", { filePath: "f", oldString: "zz", newString: "" });
    await call("apply_patch", { patchContent: "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-zz\n+y\n" });
    expect(names()).toEqual(["f"]);
  });
});

describe("a replacement by the same text", () => {
  it("is an error, and the file stays as it is", async () => {
    using workspace = makeWorkspace();
    workspace.write("f", "a\nb\n");
    const same = { oldString: "a", newString: "a" };
    expect(await workspace.call("replace_string", { filePath: "f", ...same })).toMatchObject({
      success: false,
      kind: "invalidParameters",
      message: expect.stringContaining("are the same"),
    });
    const replacements = [{ oldString: "b", newString: "c" }, same];
    expect(
      await workspace.call("multi_replace_string", { filePath: "f", replacements }),
    ).toMatchObject({ success: false, message: expect.stringContaining("replacements[1]") });
    expect(workspace.read("f")).toBe("a\nb\n");
  });
});
