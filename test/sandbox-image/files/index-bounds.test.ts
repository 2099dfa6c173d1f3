import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { searchIndex } from "../../../sandbox-image/server/files/index/search-index.ts";
import { WorkspaceIndex } from "../../../sandbox-image/server/files/index/workspace-index.ts";
import { listenToWork } from "../../support/longest-work.ts";
import { caseCount } from "../../support/thorough.ts";
import { makeWorkspace } from "./workspace.ts";

describe("3.15 the index", () => {
  it("holds no more files and no deeper ones than it may, and says so", async () => {
    using own = makeWorkspace();
    for (let n = 0; n < 30; n++) own.write(`d${n % 3}/${n}.txt`, "");
    own.write("one/two/three/four.txt", "");
    const small = new WorkspaceIndex(own.dir, { maxEntries: 10, maxDepth: 40 });
    const stats = await searchIndex(small, own.dir, { indexOperation: "refresh" });
    expect(stats.truncated).toBe(true);
    expect(stats.totalFiles).toBeLessThanOrEqual(10);
    expect(stats.message).toContain("more files than the index");
    const flat = new WorkspaceIndex(own.dir, { maxEntries: 1000, maxDepth: 3 });
    expect(await searchIndex(flat, own.dir, { indexOperation: "stats" })).toMatchObject({
      truncated: true,
      totalFiles: 30,
    });
  });

  it("lets others have their turn while it reads many files", async () => {
    using own = makeWorkspace();
    const directories = caseCount({ perChange: 25, all: 100 });
    for (let directory = 0; directory < directories; directory++) {
      mkdirSync(own.path(`d${directory}`));
      for (let n = 0; n < 1000; n++) writeFileSync(own.path(`d${directory}/${n}.txt`), "");
    }
    const index = new WorkspaceIndex(own.dir);
    const beat = listenToWork();
    const stats = await searchIndex(index, own.dir, { indexOperation: "stats" });
    beat.stop();
    expect(stats).toMatchObject({
      totalFiles: 1000 * directories,
      totalDirectories: directories,
      truncated: false,
    });
    expect(beat.longestMs).toBeLessThan(10 * directories);
  });
});
