import { describe, expect, it } from "vitest";
import { createSearchIndex, searchIndex } from "../../../src/tools/search-index.ts";
import {
  createWorkingDirectoryIndexer,
  workingDirectoryIndexer,
} from "../../../src/tools/working-directory-indexer.ts";
import { call, contextOf, failureOf } from "../../support/calls.ts";
import { localWorkspace } from "../../support/local-workspace.ts";

function makeTools() {
  const local = localWorkspace();
  const context = contextOf("A", { workspace: async () => local.workspace });
  const [search, indexer] = [createSearchIndex(), createWorkingDirectoryIndexer()];
  return {
    files: local.files,
    search: (args: object = {}) => call(search, { ...args }, context),
    index: (args: object = {}) => call(indexer, { ...args }, context),
    refusal: (args: object) => failureOf(indexer, { ...args }, context),
    [Symbol.dispose]: () => local[Symbol.dispose](),
  };
}

describe("3.13 search_index", () => {
  it.each([
    [{}, {}],
    [{ query: "ALPHA" }, { query: "ALPHA" }],
    [{ extension: ".ts" }, { extension: "ts" }],
    [
      { query: "a", extension: "md" },
      { query: "a", extension: "md" },
    ],
    [{ operation: "stats" }, { indexOperation: "stats" }],
    [{ operation: "refresh" }, { indexOperation: "refresh" }],
  ])("%j answers as file_operations.search_index with %j", async (own, theirs) => {
    using tools = makeTools();
    for (const name of ["alpha.ts", "src/beta.ts", "alpha.md", ".git/x.ts", "node_modules/y.ts"]) {
      tools.files.write(name, name);
    }
    const { durationMs: _, ...expected } = await tools.files.call("search_index", theirs);
    expect(expected.success).toBe(true);
    const { text, data } = await tools.search(own);
    expect(data).toMatchObject(expected);
    expect(JSON.parse(text)).toEqual(data);
  });

  it.each([
    [{ query: "alpha" }, "Searching file index: alpha"],
    [{ extension: "ts" }, "Searching file index: ts"],
    [{ operation: "stats" }, "Reading file index statistics"],
    [{ operation: "refresh" }, "Refreshing file index"],
    [{}, "Searching file index"],
  ])("1.40 %j is shown as %s", (args, line) => {
    expect(searchIndex.operations.search_index.line(args)).toBe(line);
  });
});

describe("3.14 working_directory_indexer", () => {
  it("reports ten files more after ten were made, and none of node_modules, .git or build", async () => {
    using tools = makeTools();
    tools.files.write("first.txt", "12345");
    const before = (await tools.index()).data;
    expect(before).toMatchObject({ totalFiles: 1, totalDirectories: 0, totalSize: "5 B" });
    for (let n = 0; n < 10; n++) {
      tools.files.write(`made/${n}.txt`, "x");
      for (const hidden of ["node_modules", ".git", "build", ".vscode"]) {
        tools.files.write(`${hidden}/${n}.txt`, "x");
      }
    }
    for (const args of [
      {},
      { operation: "refresh" },
      { operation: "build" },
      { operation: "stats" },
    ]) {
      const { data } = await tools.index(args);
      expect(data).toMatchObject({ totalFiles: 11, totalDirectories: 1, totalSize: "15 B" });
      expect(data?.durationMs).toBeTypeOf("number");
      expect(data?.truncated).toBe(false);
    }
    const { text } = await tools.search();
    expect(text).not.toMatch(/node_modules|\.git|build|\.vscode/);
  });

  it("refuses other operations", async () => {
    using tools = makeTools();
    expect(await tools.refusal({ operation: "drop" })).toMatchObject({ kind: "invalidParameters" });
  });

  it.each([
    [{}, "Indexing working directory"],
    [{ operation: "stats" }, "Reading file index statistics"],
  ])("1.40 %j is shown as %s", (args, line) => {
    expect(workingDirectoryIndexer.operations.working_directory_indexer.line(args)).toBe(line);
  });
});
