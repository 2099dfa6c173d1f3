import { mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeWorkspace } from "./workspace.ts";

describe("2.10 search_index", () => {
  it("finds by part of a name and by extension, both together, and what is new", async () => {
    using own = makeWorkspace();
    own.write("src/Alpha.ts", "12345");
    own.write("src/beta.js", "");
    own.write("alpha.md", "");
    own.write("node_modules/x.ts", "");
    own.write(".git/y.ts", "");
    mkdirSync(own.path("alphabet"));
    symlinkSync("/etc", own.path("etc"));
    const find = async (params: object) =>
      ((await own.call("search_index", params)).results as { path: string }[]).map(
        ({ path }) => path,
      );
    expect(await find({})).toEqual([
      "alpha.md",
      "alphabet/",
      "src/",
      "src/Alpha.ts",
      "src/beta.js",
    ]);
    expect(await find({ query: "ALPHA" })).toEqual(["alpha.md", "alphabet/", "src/Alpha.ts"]);
    expect(await find({ extension: ".ts" })).toEqual(await find({ extension: "ts" }));
    expect(await find({ query: "alpha", extension: "ts" })).toEqual(["src/Alpha.ts"]);
    own.write("src/deep/new-alpha.ts", "");
    expect(await find({ query: "new-alpha" })).toEqual(["src/deep/new-alpha.ts"]);
    own.write("src/Alpha.ts", "x".repeat(2048));
    expect(await own.call("search_index", { query: "src/Alpha" })).toMatchObject({
      results: [{ size: "2.0 KB" }],
    });
  });

  it("lists a hundred and counts the rest", async () => {
    using own = makeWorkspace();
    for (let n = 0; n < 130; n++) own.write(`f${n}.txt`, "");
    expect(await own.call("search_index")).toMatchObject({
      count: 100,
      totalCount: 130,
      remaining: 30,
    });
  });

  it("3.14 tells totals per extension, and refreshes", async () => {
    using own = makeWorkspace();
    own.write("a.ts", "123");
    expect(await own.call("search_index", { indexOperation: "refresh" })).toMatchObject({
      totalFiles: 1,
    });
    for (let n = 0; n < 10; n++) own.write(`d/${n}.md`, "1");
    expect(await own.call("search_index", { indexOperation: "refresh" })).toMatchObject({
      totalFiles: 11,
      totalDirectories: 1,
    });
    expect(await own.call("search_index", { indexOperation: "stats" })).toMatchObject({
      totalFiles: 11,
      totalSize: "13 B",
      extensions: [
        { extension: "md", files: 10 },
        { extension: "ts", files: 1 },
      ],
    });
  });
});
