import { rmSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { conflict } from "./conflict.ts";
import { BuildLab } from "./workspace.ts";

describe("2.47 get_changed_files", () => {
  it("has the right rows for one staged, modified, untracked, renamed and conflicting file", async () => {
    await using lab = new BuildLab();
    conflict(lab);
    lab.write("old name", "some text to find again\n".repeat(5));
    lab.write("plain", "1\n");
    lab.write("twice", "1\n");
    lab.write("gone", "1\n");
    lab.git(["add", "old name", "plain", "twice", "gone"]);
    lab.git(["stash", "list"]);
    lab.write("a.txt", "resolved\n");
    lab.git(["add", "."]);
    lab.git(["commit", "-q", "-m", "merged"]);
    conflict(lab, "again");
    lab.git(["mv", "old name", "new name"]);
    lab.write("staged", "");
    lab.git(["add", "staged"]);
    lab.write("plain", "2\n");
    lab.write("un tracked/x", "");
    lab.write("twice", "2\n");
    lab.git(["add", "twice"]);
    lab.write("twice", "3\n");
    rmSync(lab.path("gone"));
    const result = await lab.call("get_changed_files");
    const rows = [
      { path: "a.txt", status: "conflict", staged: false },
      { path: "gone", status: "deleted", staged: false },
      { path: "new name", status: "renamed", staged: true, oldPath: "old name" },
      { path: "plain", status: "modified", staged: false },
      { path: "staged", status: "added", staged: true },
      { path: "twice", status: "modified", staged: false },
      { path: "twice", status: "modified", staged: true },
      { path: "un tracked/x", status: "untracked", staged: false },
    ];
    expect(result).toMatchObject({ success: true, branch: "main", repository: lab.dir });
    expect(result.totalFiles).toBe(rows.length);
    expect(sorted(result.files)).toEqual(sorted(rows));
    const only = async (sourceControlState: unknown) =>
      sorted((await lab.call("get_changed_files", { sourceControlState })).files);
    expect(await only(["staged"])).toEqual(sorted(rows.filter(({ staged }) => staged)));
    expect(await only("merge-conflicts")).toEqual(sorted(rows.slice(0, 1)));
    const unstaged = rows.filter(({ staged, status }) => !staged && status !== "conflict");
    expect(await only(["unstaged"])).toEqual(sorted(unstaged));
    expect(await only(["staged", "unstaged", "merge-conflicts"])).toHaveLength(rows.length);
  });

  it("tells copies, and which branch is checked out", async () => {
    await using lab = new BuildLab();
    lab.repository();
    const text = "line\n".repeat(20);
    lab.write("source", text);
    lab.git(["add", "."]);
    lab.git(["commit", "-q", "-m", "source"]);
    lab.write("source", `${text}more\n`);
    lab.write("copy", text);
    lab.git(["add", "."]);
    const { files } = await lab.call("get_changed_files");
    expect(files).toContainEqual({
      path: "copy",
      status: "copied",
      staged: true,
      oldPath: "source",
    });
    lab.git(["checkout", "-q", "--detach"]);
    expect(await lab.call("get_changed_files")).toMatchObject({ branch: null });
    lab.git(["checkout", "-q", "-b", "feature/x"]);
    expect(await lab.call("get_changed_files")).toMatchObject({ branch: "feature/x" });
  });

  it("looks at the whole repository from a sub-directory, before its first commit too", async () => {
    await using lab = new BuildLab();
    lab.git(["init", "-q", "-b", "main"]);
    lab.write("sub/x", "");
    lab.write("top", "");
    const result = await lab.call("get_changed_files", { repositoryPath: "sub" });
    expect(result).toMatchObject({ branch: "main", repository: lab.dir, totalFiles: 2 });
  });

  it("lists at most 1000 and counts all", async () => {
    await using lab = new BuildLab();
    lab.repository();
    for (let n = 0; n < 1200; n++) lab.write(`n/${n}`, "");
    const result = await lab.call("get_changed_files");
    expect(result).toMatchObject({ totalFiles: 1200, truncated: true });
    expect(result.files).toHaveLength(1000);
  });

  it("changes nothing, not even git's index", async () => {
    await using lab = new BuildLab();
    lab.repository();
    lab.write("a.txt", "one\n");
    const before = statSync(lab.path(".git/index"), { bigint: true }).mtimeNs;
    await lab.call("get_changed_files");
    expect(statSync(lab.path(".git/index"), { bigint: true }).mtimeNs).toBe(before);
  });
});

function sorted(rows: unknown): unknown[] {
  return (Array.isArray(rows) ? rows : [rows]).map((row) => JSON.stringify(row)).sort();
}
