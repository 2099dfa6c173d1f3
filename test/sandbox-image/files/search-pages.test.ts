import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { raw, readName } from "../../../src/lib/file-names.ts";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

describe("pages of a search", () => {
  it("put together are everything exactly once, whatever their sizes", async () => {
    const tree = fc.dictionary(
      fc.stringMatching(/^[a-c]{1,2}(\/[a-c-]{1,2}){0,2}\.ts$/),
      fc.integer({ min: 1, max: 5 }),
      { minKeys: 1, maxKeys: 8 },
    );
    const sizes = fc.record({ page: fc.integer({ min: 1, max: 7 }), hint: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(tree, sizes, async (files, { page, hint }) => {
        using workspace = makeWorkspace();
        for (const [name, count] of Object.entries(files)) {
          workspace.write(name, "needle();\nother\n".repeat(count));
        }
        const [first = ""] = Object.keys(files);
        const all = Object.entries(files).flatMap(([name, count]) =>
          Array.from({ length: count }, (_, index) => `${name}:${2 * index + 1}`),
        );
        const found = await pages(workspace, page, ["grep_search", { query: "needle" }]);
        expect(found.toSorted()).toEqual(all.toSorted());
        const hints = hint ? { filePaths: [first] } : {};
        const usages = await pages(workspace, page, [
          "list_usages",
          { symbolName: "needle", ...hints },
        ]);
        expect(usages.toSorted()).toEqual(all.toSorted());
        if (hint) expect(usages[0]).toBe(`${first}:1`);
        const names = await pages(workspace, page, ["file_search", { query: "**" }]);
        expect(names).toEqual(Object.keys(files).sort());
      }),
      { numRuns: 15 },
    );
  });

  it("counts and pages through a file with thousands of matches", async () => {
    using workspace = makeWorkspace();
    workspace.write("a.txt", "needle\n".repeat(6000));
    workspace.write("b.txt", "needle\n");
    const at = async (offset: number) => {
      const { matches, ...rest } = await workspace.call("grep_search", {
        query: "needle",
        maxResults: 2,
        offset,
      });
      return { ...rest, places: (matches as Record<string, unknown>[]).map(placeOf) };
    };
    expect(await at(0)).toMatchObject({ totalCount: 6001, places: ["a.txt:1", "a.txt:2"] });
    expect(await at(4998)).toMatchObject({
      nextOffset: 5000,
      places: ["a.txt:4999", "a.txt:5000"],
    });
    expect(await at(5000)).toMatchObject({ places: ["a.txt:5001", "a.txt:5002"] });
    expect(await at(5999)).toMatchObject({ truncated: false, places: ["a.txt:6000", "b.txt:1"] });
  });
});

describe("the order of matches", () => {
  it("is that of rg's own sorted paths, whatever the names", async () => {
    using workspace = makeWorkspace();
    const names = [
      "a/x",
      "a.b/x",
      "a-b",
      "a b/c/d",
      "B",
      "b",
      "\u{1F600}",
      "\uFF5E",
      "é",
      "a/x.y",
      "a/z/y",
    ];
    for (const name of names) workspace.write(name, "needle\n");
    writeFileSync(
      Buffer.concat([Buffer.from(`${workspace.dir}/`), Buffer.from([0xff, 0x61])]),
      "needle\n",
    );
    const listed = execFileSync("sh", ["-c", "rg --files --sort=path --null"], {
      cwd: workspace.dir,
    });
    const sorted = listed.toString("latin1").split("\0").slice(0, -1);
    for (const size of [1, 4, 100]) {
      const found = await pages(workspace, size, ["grep_search", { query: "needle" }]);
      expect(found.map((place) => bytesOf(place.replace(/:1$/, "")))).toEqual(sorted);
    }
  });

  it("keeps the first page right while thousands of files pass by", async () => {
    using workspace = makeWorkspace();
    for (let n = 0; n < 1500; n++) workspace.write(`d${n % 7}/f${n}.txt`, "needle\n");
    const all = await workspace.call("grep_search", { query: "needle", maxResults: 1000 });
    const few = await workspace.call("grep_search", { query: "needle", maxResults: 5, offset: 3 });
    expect(few).toMatchObject({ totalCount: 1500, nextOffset: 8 });
    expect(few.matches).toEqual((all.matches as unknown[]).slice(3, 8));
  });
});

/** A shown name as latin1, one character a byte. */
function bytesOf(shown: string): string {
  return Buffer.from(raw(readName(shown))).toString("latin1");
}

async function pages(
  workspace: TestWorkspace,
  size: number,
  [operation, params]: readonly [string, object],
): Promise<string[]> {
  const found: string[] = [];
  for (let hasMore = true; hasMore; ) {
    const page = { maxResults: size, offset: found.length };
    const result = await workspace.call(operation, { ...params, ...page });
    const items = (result.matches ?? result.usages ?? result.files) as Record<string, unknown>[];
    found.push(...items.map(placeOf));
    hasMore = Boolean(result.truncated ?? result.hasMore);
    if (operation !== "file_search") {
      expect(result.nextOffset).toBe(hasMore ? found.length : undefined);
    }
    expect(items.length).toBe(hasMore ? size : Number(result.totalCount) - page.offset);
  }
  return found;
}

function placeOf(item: Record<string, unknown> | string): string {
  if (typeof item === "string") return item;
  return `${item.filePath ?? item.file}:${item.lineNumber ?? item.line}`;
}
