import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownMs } from "../../support/own-clock.ts";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
beforeAll(() => {
  workspace = makeWorkspace();
  workspace.write("a.ts", "export function foo() {}\nfoo(); foobar();\nconst x = a.b(1);\n");
  workspace.write("d/b.ts", "import { foo } from '../a.ts';\n// TODO later urgent\nfoo();\n");
  workspace.write("d/c.js", "// todo.*urgent\n");
  workspace.write("d/e/one.swift", "// TODO: very urgent\nlet y = 1\n");
  workspace.write("d/long.txt", `${"a".repeat(100_000)}!\n`);
  workspace.write("d/latin1.txt", Buffer.from("caf\xe9 TODO\n", "latin1"));
  workspace.write("bin.dat", Buffer.from("TODO\0urgent\n"));
  workspace.write(".hidden/h.ts", "TODO\n");
  workspace.write(".git/x.ts", "TODO\n");
  workspace.write("node_modules/m/m.ts", "TODO\n");
  workspace.write("dist/out.ts", "TODO\n");
  workspace.write(
    "lib/time.ts",
    "/** Turns human times into seconds. */\nexport function parseDuration(text: string): number {\n  return Number(text);\n}\n\nexport const other = 1;\n",
  );
  workspace.write(
    "lib/user.ts",
    'import { parseDuration } from "./time.ts";\nparseDuration("1h");\n',
  );
});
afterAll(() => workspace[Symbol.dispose]());

const call: TestWorkspace["call"] = (...args) => workspace.call(...args);

describe("2.6 file_search", () => {
  const find = async (query: string, extra = {}) =>
    (await call("file_search", { query, ...extra })).files;

  it.each([
    ["**/*.ts", ["a.ts", "d/b.ts", "lib/time.ts", "lib/user.ts"]],
    ["*.ts", ["a.ts"]],
    ["./*.ts", ["a.ts"]],
    ["d/*", ["d/b.ts", "d/c.js", "d/latin1.txt", "d/long.txt"]],
    ["d/**", ["d/b.ts", "d/c.js", "d/e/one.swift", "d/latin1.txt", "d/long.txt"]],
    ["d/?.{ts,js}", ["d/b.ts", "d/c.js"]],
    ["d/[!b].*", ["d/c.js"]],
    ["**/one.*", ["d/e/one.swift"]],
    ["nothing", []],
    ["*/*/*.swift", ["d/e/one.swift"]],
  ])("finds by %s, without hidden and built files", async (query, files) => {
    expect(await find(query)).toEqual(files);
  });

  it("pages, with maxResults as another word for limit", async () => {
    expect(await call("file_search", { query: "**/*.ts", limit: 1, offset: 1 })).toMatchObject({
      files: ["d/b.ts"],
      count: 1,
      totalCount: 4,
      offset: 1,
      hasMore: true,
    });
    expect(await find("**/*.ts", { maxResults: 2 })).toHaveLength(2);
    expect(await call("file_search", { query: "**/*.ts", offset: 3 })).toMatchObject({
      hasMore: false,
    });
    expect(await call("file_search", { query: "**/*.ts", limit: 99_999 })).toMatchObject({
      success: true,
    });
  });

  it("searches below rootPath, and refuses what is no directory", async () => {
    expect(await find("**/*.ts", { rootPath: "d" })).toEqual(["b.ts"]);
    expect(await find("*.ts", { rootPath: "node_modules/m" })).toEqual(["m.ts"]);
    expect((await call("file_search", { query: "*", rootPath: "a.ts" })).message).toContain(
      "not a directory",
    );
    expect((await call("file_search", { query: "*", rootPath: "none" })).message).toContain(
      "does not exist",
    );
    expect(await call("file_search", { query: "[a" })).toMatchObject({ kind: "invalidParameters" });
  });
});

describe("2.7 grep_search", () => {
  const grep = (params: object) => call("grep_search", params);

  it("searches by regular expression in the included files only", async () => {
    const result = await grep({
      query: "TODO.*urgent",
      isRegexp: true,
      includePattern: "**/*.swift",
    });
    expect(result).toEqual({
      success: true,
      matches: [
        {
          filePath: "d/e/one.swift",
          lineNumber: 1,
          lineText: "// TODO: very urgent",
          matchText: "TODO: very urgent",
        },
      ],
      totalCount: 1,
      truncated: false,
    });
    expect(
      await grep({ query: "TODO.*urgent", isRegexp: true, includePattern: "*.swift" }),
    ).toMatchObject({ totalCount: 1 });
  });

  it("takes the query literally by default, whatever its case", async () => {
    expect(await grep({ query: "TODO.*urgent" })).toMatchObject({
      matches: [{ filePath: "d/c.js", matchText: "todo.*urgent" }],
      totalCount: 1,
    });
    expect(await grep({ query: "--files" })).toMatchObject({ totalCount: 0 });
    expect(await grep({ query: "-e" })).toMatchObject({ success: true });
  });

  it("skips binary, hidden and foreign files unless they are asked for", async () => {
    const { matches } = await grep({ query: "todo" });
    const files = new Set((matches as { filePath: string }[]).map(({ filePath }) => filePath));
    expect([...files].sort()).toEqual([
      "d/b.ts",
      "d/c.js",
      "d/e/one.swift",
      "d/latin1.txt",
      "dist/out.ts",
    ]);
    expect(await grep({ query: "todo", includePattern: ".hidden/**" })).toMatchObject({
      totalCount: 1,
    });
    expect(await grep({ query: "todo", includePattern: "node_modules/**" })).toMatchObject({
      totalCount: 1,
    });
  });

  it.each(["(", "[a", "a{2", "(?=x)", "*"])(
    "refuses the expression %s as invalid",
    async (query) => {
      const result = await grep({ query, isRegexp: true });
      expect(result).toMatchObject({ success: false, kind: "invalidParameters" });
      expect(await grep({ query })).toMatchObject({ success: true });
    },
  );

  it("answers an explosive expression on a long line in time, and cuts the line", async () => {
    const began = ownMs();
    expect(await grep({ query: "(a+)+$", isRegexp: true })).toMatchObject({ success: true });
    const { matches } = await grep({ query: "a!" });
    expect((matches as { lineText: string }[])[0]?.lineText.length).toBeLessThan(600);
    expect(ownMs() - began).toBeLessThan(20_000);
  });

  it("counts all but lists only maxResults", async () => {
    workspace.write("many/m.txt", "needle\n".repeat(1500));
    expect(await grep({ query: "needle" })).toMatchObject({ totalCount: 1500, truncated: true });
    expect((await grep({ query: "needle", maxResults: 5000 })).matches).toHaveLength(1000);
    expect((await grep({ query: "needle", maxResults: "3" })).matches).toHaveLength(3);
  });

  it("finds text over several lines", async () => {
    expect(await grep({ query: "foo();\nconst" })).toMatchObject({ totalCount: 0 });
    expect(await grep({ query: "foobar();\nconst x" })).toMatchObject({ totalCount: 1 });
  });

  it("stops when it is told to", async () => {
    const stop = new AbortController();
    stop.abort();
    expect(
      await workspace.call("grep_search", { query: "a" }, { signal: stop.signal }),
    ).toMatchObject({ success: false });
  });
});

describe("2.5 and 15.4 get_search_results", () => {
  it("tells a conversation's own latest searches, newest first", async () => {
    using own = makeWorkspace();
    own.write("x.ts", "one\ntwo\n");
    await own.call("grep_search", { query: "one" });
    await own.call("grep_search", { query: "two" });
    await own.call("file_search", { query: "*.ts" });
    expect(await own.call("get_search_results")).toMatchObject({
      totalMatches: 3,
      totalFiles: 1,
      searches: [
        { type: "file_search", query: "*.ts", fileCount: 1 },
        {
          type: "grep_search",
          query: "two",
          matchCount: 1,
          files: [{ path: "x.ts", matches: [{ line: 2, content: "two" }] }],
        },
        { type: "grep_search", query: "one" },
      ],
    });
    const other = await own.call("get_search_results", {}, { conversation: "another" });
    expect(other).toMatchObject({ totalMatches: 0, totalFiles: 0, searches: [] });
    for (let n = 0; n < 12; n++) await own.call("grep_search", { query: `q${n}` });
    const { searches } = await own.call("get_search_results");
    expect(searches).toHaveLength(6);
  });
});

describe("2.8 semantic_search", () => {
  it("ranks the definition first and shows the snippet", async () => {
    const { results } = await call("semantic_search", { query: "parseDuration" });
    expect(results).toMatchObject([
      {
        file: "lib/time.ts",
        line: 1,
        content: expect.stringContaining("return Number(text)"),
        context: expect.stringContaining("Turns human times"),
      },
      { file: "lib/user.ts" },
    ]);
    const { results: described } = await call("semantic_search", {
      query: "convert human times to seconds",
    });
    expect(described).toMatchObject([{ file: "lib/time.ts" }]);
  });

  it("is content with nothing found, keeps to limit, pattern and root", async () => {
    expect(await call("semantic_search", { query: "zebra" })).toMatchObject({
      success: true,
      results: [],
    });
    expect((await call("semantic_search", { query: "foo", limit: 1 })).results).toHaveLength(1);
    expect(await call("semantic_search", { query: "foo", includePattern: "*.js" })).toMatchObject({
      results: [],
    });
    expect(await call("semantic_search", { query: "parseDuration", rootPath: "d" })).toMatchObject({
      results: [],
    });
    expect((await call("semantic_search", { query: "x", rootPath: "none" })).message).toContain(
      "does not exist",
    );
    expect(await call("semantic_search", { query: "x", limit: 0 })).toMatchObject({
      kind: "invalidParameters",
    });
  });

  it("says so when there were too many files to look at", async () => {
    using own = makeWorkspace();
    for (let n = 0; n < 510; n++) own.write(`f${n}.ts`, "needle\n");
    expect(await own.call("semantic_search", { query: "needle" })).toMatchObject({
      truncated: true,
      filesScanned: 500,
    });
  });
});
