import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
beforeEach(() => {
  workspace = makeWorkspace();
});
afterEach(() => workspace[Symbol.dispose]());

const call: TestWorkspace["call"] = (...args) => workspace.call(...args);
const names = (directory = ".") => readdirSync(workspace.path(directory)).sort();

describe("2.15 rename_file", () => {
  const rename = (oldPath: string, newPath: string) => call("rename_file", { oldPath, newPath });

  it("moves files and directories and makes the way", async () => {
    workspace.write("a", "1");
    expect(await rename("a", "x/y/b")).toMatchObject({
      success: true,
      oldPath: "a",
      newPath: "x/y/b",
    });
    expect(await rename("x", "z")).toMatchObject({ success: true });
    expect(workspace.read("z/y/b")).toBe("1");
    expect(names()).toEqual(["z"]);
  });

  it.each([
    ["a", "b", "already exists"],
    ["a", "dir", "already exists"],
    ["dir", "empty", "already exists"],
    ["a", "dangling", "already exists"],
    ["a", "a", "already has this path"],
    ["a", "./dir/../a", "already has this path"],
    ["none", "x/y", "does not exist"],
    ["dir", "dir/sub/deeper", "into itself"],
    ["a", "b/c", "a file, not a directory"],
  ])("refuses %s to %s and leaves both", async (from, to, reason) => {
    workspace.write("a", "1");
    workspace.write("b", "2");
    workspace.write("dir/file", "3");
    mkdirSync(workspace.path("empty"));
    symlinkSync("nowhere", workspace.path("dangling"));
    const before = names();
    const result = await rename(from, to);
    expect(result.success).toBe(false);
    expect(result.message).toContain(reason);
    expect(names()).toEqual(before);
    expect([workspace.read("a"), workspace.read("b"), workspace.read("dir/file")]).toEqual([
      "1",
      "2",
      "3",
    ]);
  });

  it("moves a link itself", async () => {
    workspace.write("target", "1");
    symlinkSync("target", workspace.path("link"));
    await rename("link", "moved");
    expect(lstatSync(workspace.path("moved")).isSymbolicLink()).toBe(true);
    expect(existsSync(workspace.path("target"))).toBe(true);
  });

  it("lets one of many movers to one name win and loses nobody's file", async () => {
    for (let n = 0; n < 20; n++) workspace.write(`f${n}`, `${n}`);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => rename(`f${n}`, "goal")),
    );
    expect(results.filter(({ success }) => success)).toHaveLength(1);
    expect(names()).toHaveLength(20);
  });

  it("moves to another file system, directories too", async () => {
    workspace.write("d/f", "1");
    symlinkSync("f", workspace.path("d/link"));
    const other = realpathSync("/dev/shm");
    const goal = `${other}/deckhand-${crypto.randomUUID()}`;
    expect(await rename("d", goal)).toMatchObject({ success: true });
    expect(readFileSync(`${goal}/f`, "utf8")).toBe("1");
    expect(names()).toEqual([]);
    expect(await rename(`${goal}/f`, "back")).toMatchObject({ success: true });
    expect(workspace.read("back")).toBe("1");
    expect(await rename(goal, "rest")).toMatchObject({ success: true });
    expect(lstatSync(workspace.path("rest/link")).isSymbolicLink()).toBe(true);
    expect(existsSync(goal)).toBe(false);
  });
});

describe("2.16 delete_file", () => {
  it("deletes the file and names it", async () => {
    workspace.write("d/f", "1");
    const result = await call("delete_file", { filePath: "d/f" });
    expect(result).toMatchObject({ success: true, filePath: "d/f" });
    expect(result.message).toContain("f was deleted");
    expect(names("d")).toEqual([]);
  });

  it("deletes a link and not its target, also one that points nowhere or to a directory", async () => {
    workspace.write("d/f", "1");
    for (const [link, target] of [
      ["l1", "d/f"],
      ["l2", "nowhere"],
      ["l3", "d"],
    ] as const) {
      symlinkSync(target, workspace.path(link));
      expect(await call("delete_file", { filePath: link })).toMatchObject({ success: true });
    }
    expect(names()).toEqual(["d"]);
    expect(workspace.read("d/f")).toBe("1");
  });

  it("refuses a directory and what is not there", async () => {
    mkdirSync(workspace.path("d"));
    expect((await call("delete_file", { filePath: "d" })).message).toContain("rm -r");
    expect((await call("delete_file", { filePath: "x" })).message).toContain("does not exist");
    expect(names()).toEqual(["d"]);
  });
});
