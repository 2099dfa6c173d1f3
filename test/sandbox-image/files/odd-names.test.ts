import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nameFrom, raw, readName, shownName } from "../../../src/lib/file-names.ts";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
beforeEach(() => {
  workspace = makeWorkspace();
});
afterEach(() => workspace[Symbol.dispose]());

const pathOf = (name: Buffer) => Buffer.concat([Buffer.from(`${workspace.dir}/`), name]);

const NAMES: readonly (readonly [string, Buffer, string])[] = [
  ["not UTF-8", Buffer.from("caf\xe9.txt", "latin1"), '"caf\\351.txt"'],
  ["a cut character", Buffer.from([0x61, 0xe2, 0x82]), '"a\\342\\202"'],
  ["an encoded surrogate", Buffer.from([0xed, 0xa0, 0x80]), '"\\355\\240\\200"'],
  ["stray bytes beside characters", Buffer.from([0xff, 0xc3, 0xa9, 0xfe]), '"\\377é\\376"'],
  ["a newline", Buffer.from("a\nb"), '"a\\nb"'],
  ["a newline at the end", Buffer.from("a\n"), '"a\\n"'],
  ["spaces around it", Buffer.from(" a "), '"\\040a\\040"'],
  ["control characters", Buffer.from("a\x1b[31mb\x7f"), '"a\\033[31mb\\177"'],
  ["what looks quoted", Buffer.from('"a\\n"'), '"\\"a\\\\n\\""'],
  ["the replacement character", Buffer.from("a\ufffd"), "a\ufffd"],
  ["quotes", Buffer.from('"a"'), '"a"'],
  ["a backslash", Buffer.from("a\\351"), "a\\351"],
];

describe("an unusual name", () => {
  it.each(NAMES)(
    "can be listed, read, edited, searched, moved and deleted: %s",
    async (_, name, shown) => {
      writeFileSync(pathOf(name), "needle\n");
      const { entries } = await workspace.call("list_dir");
      expect(entries).toMatchObject([{ name: shown, size: 7 }]);
      const filePath = shown;
      expect(await workspace.call("read_file", { filePath })).toMatchObject({
        filePath: shown,
        content: "needle\n",
      });
      expect(await workspace.call("grep_search", { query: "needle" })).toMatchObject({
        matches: [{ filePath: shown }],
      });
      expect(await workspace.call("list_usages", { symbolName: "needle" })).toMatchObject({
        usages: [{ file: shown }],
      });
      expect(await workspace.call("semantic_search", { query: "needle" })).toMatchObject({
        results: [{ file: shown }],
      });
      expect(await workspace.call("file_search", { query: "*" })).toMatchObject({ files: [shown] });
      expect(await workspace.call("search_index", {})).toMatchObject({
        results: [{ path: shown }],
      });
      const edit = { filePath, oldString: "needle", newString: "pin" };
      expect(await workspace.call("replace_string", edit)).toMatchObject({ success: true });
      const patchContent = "@@ -1 +1,2 @@\n pin\n+more\n";
      expect(await workspace.call("apply_patch", { filePath, patchContent })).toMatchObject({
        success: true,
      });
      expect(readFileSync(pathOf(name), "utf8")).toBe("pin\nmore\n");
      const there = { oldPath: shown, newPath: "d/x" };
      const back = { oldPath: "d/x", newPath: shown };
      for (const move of [there, back]) {
        expect(await workspace.call("rename_file", move)).toMatchObject({ success: true });
      }
      expect(existsSync(pathOf(name))).toBe(true);
      expect(await workspace.call("delete_file", { filePath })).toMatchObject({ success: true });
      expect(existsSync(pathOf(name))).toBe(false);
      const made = await workspace.call("create_file", { filePath, content: "new\n" });
      expect(made).toMatchObject({ created: true, filePath: shown });
      expect(readFileSync(pathOf(name), "utf8")).toBe("new\n");
    },
  );

  it.each(NAMES)("can be that of a directory: %s", async (_, name, shown) => {
    mkdirSync(pathOf(name));
    writeFileSync(Buffer.concat([pathOf(name), Buffer.from("/f.txt")]), "needle\n");
    const { files } = await workspace.call("file_search", { query: "**/f.txt" });
    const [filePath = ""] = files as string[];
    expect(await workspace.call("read_file", { filePath })).toMatchObject({ content: "needle\n" });
    expect(await workspace.call("list_dir", { path: shown })).toMatchObject({
      entries: [{ name: "f.txt" }],
    });
  });
});

describe("an unusual name that was put together with others", () => {
  it.each(NAMES)("means the same: %s", async (_, name, shown) => {
    const directory = Buffer.concat([pathOf(name), Buffer.from("/d/")]);
    mkdirSync(directory, { recursive: true });
    writeFileSync(Buffer.concat([directory, name]), "needle\n");
    const found = await workspace.call("list_dir", { path: `${shown}/d` });
    expect(found).toMatchObject({ entries: [{ name: shown }] });
    for (const filePath of [`${shown}/d/${shown}`, `${workspace.dir}/${shown}/d/${shown}`]) {
      expect(await workspace.call("read_file", { filePath })).toMatchObject({
        content: "needle\n",
      });
    }
    const filePath = `${shown}/d/${shown}`;
    expect(await workspace.call("delete_file", { filePath })).toMatchObject({ success: true });
    expect(await workspace.call("list_dir", { path: `${shown}/d` })).toMatchObject({ entries: [] });
  });
});

describe("the quoting of names", () => {
  it("can be undone for all bytes that a name may have", () => {
    const bytes = fc
      .uint8Array({ minLength: 1, maxLength: 12 })
      .map((all) => Buffer.from(all.map((byte) => byte || 1)));
    const hostile = fc
      .array(fc.constantFrom('"', "\\", "n", "351", "\n", " ", "é", "a", "/"), { minLength: 1 })
      .map((parts) => Buffer.from(parts.join("")));
    fc.assert(
      fc.property(fc.oneof(bytes, hostile), (name) => {
        const shown = shownName(nameFrom(name));
        expect(shown.isWellFormed()).toBe(true);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be shown
        expect(shown).not.toMatch(/[\0-\x1f\x7f]/);
        expect(Buffer.from(raw(readName(shown.trim())))).toEqual(name);
      }),
    );
  });

  it("does not let a NUL or a way out of the workspace through unseen", async () => {
    expect(await workspace.call("read_file", { filePath: '"a\\000b"' })).toMatchObject({
      kind: "invalidParameters",
    });
    const { message } = await workspace.call("read_file", {
      filePath: `"\\056\\056/\\056\\056/${randomUUID()}"`,
    });
    expect(message).toContain("does not exist");
    expect(message).not.toContain("\\056");
  });
});
