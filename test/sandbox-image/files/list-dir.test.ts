import { chmodSync, mkdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
beforeEach(() => {
  workspace = makeWorkspace();
});
afterEach(() => workspace[Symbol.dispose]());

const call: TestWorkspace["call"] = (...args) => workspace.call(...args);

describe("2.3 list_dir", () => {
  it("gives one page at a time", async () => {
    for (let n = 0; n < 150; n++) workspace.write(`f${String(n).padStart(3, "0")}`, "x");
    workspace.write(".hidden", "");
    expect(await call("list_dir")).toMatchObject({
      count: 100,
      totalCount: 150,
      hasMore: true,
      offset: 0,
      limit: 100,
    });
    expect(await call("list_dir", { offset: 100 })).toMatchObject({ count: 50, hasMore: false });
    expect(await call("list_dir", { offset: 500 })).toMatchObject({
      success: true,
      count: 0,
      hasMore: false,
    });
    for (const limit of [0, 1001]) {
      expect(await call("list_dir", { limit })).toMatchObject({
        success: false,
        kind: "invalidParameters",
      });
    }
  });

  it("says size, kind, time and permissions", async () => {
    workspace.write("f", "12345");
    mkdirSync(workspace.path("d"));
    chmodSync(workspace.path("f"), 0o754);
    const { entries } = await call("list_dir", { path: "." });
    expect(entries).toMatchObject([
      { name: "d", isDirectory: true, size: null },
      {
        name: "f",
        isDirectory: false,
        size: 5,
        permissions: "rwxr-xr--",
        modifiedDate: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
  });

  it("says so when it is empty, a file or not there", async () => {
    expect((await call("list_dir")).message).toBe(". is empty.");
    workspace.write("f", "");
    expect((await call("list_dir", { path: "f" })).message).toContain("read_file");
    expect((await call("list_dir", { path: "none" })).message).toContain("does not exist");
  });
});
