import { chownSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { conflict } from "./conflict.ts";
import { BuildLab } from "./workspace.ts";

const commit = (lab: BuildLab, params: object) =>
  lab.call("git_commit", { message: "second", ...params });
const filesOf = (lab: BuildLab, directory = ".") =>
  lab.git(["show", "--name-only", "--format=", "HEAD"], directory).split("\n").filter(Boolean);

describe("2.46 git_commit", () => {
  it("commits everything, untracked files and deletions too, and tells the hash", async () => {
    await using lab = new BuildLab();
    lab.repository();
    lab.write("b.txt", "b");
    lab.write("dir/c d\n'é'.txt", "c");
    lab.git(["mv", "a.txt", "moved.txt"]);
    const result = await commit(lab, {});
    expect(result).toMatchObject({ success: true, message: "second", totalFiles: 3 });
    expect(result.hash).toBe(lab.git(["rev-parse", "HEAD"]).trim());
    expect(result.filesStaged).toEqual(["moved.txt", "b.txt", "dir/c d\n'é'.txt"]);
    expect(result.output).toContain(`[main ${String(result.hash).slice(0, 7)}] second`);
    expect(lab.git(["status", "--porcelain"])).toBe("");
  });

  it.each([
    `"; rm -rf / #`,
    "# not a comment\n\n# nor this\n",
    "$(touch canary) `touch canary`",
    "-m",
    "--amend",
    "--author=x <x@y>",
    "subject\n\nbody  with  blanks\n\n\nmore",
    "ünï ☃ 🎉",
  ])("commits the message %j verbatim", async (message) => {
    await using lab = new BuildLab();
    lab.repository();
    lab.git(["config", "commit.cleanup", "strip"]);
    lab.write("b.txt", "b");
    expect(await commit(lab, { message })).toMatchObject({ success: true, message });
    const stored = lab.git(["cat-file", "commit", "HEAD"]).split("\n\n").slice(1).join("\n\n");
    expect(stored).toBe(message.endsWith("\n") ? message : `${message}\n`);
    expect(readdirSync(lab.dir)).not.toContain("canary");
    expect(lab.git(["rev-list", "--count", "HEAD"])).toBe("2\n");
  });

  it("takes only the named files, whatever else is staged", async () => {
    await using lab = new BuildLab();
    lab.repository();
    for (const name of ["new", "other", "staged", "dir/x", "dir/y"]) lab.write(name, name);
    lab.write("a.txt", "changed\n");
    lab.git(["add", "staged"]);
    const result = await commit(lab, { files: ["new", lab.path("dir")] });
    expect(result).toMatchObject({ success: true });
    expect(filesOf(lab)).toEqual(["dir/x", "dir/y", "new"]);
    expect(lab.git(["status", "--porcelain"])).toBe(" M a.txt\nA  staged\n?? other\n");
    rmSync(lab.path("a.txt"));
    expect(await commit(lab, { files: "a.txt" })).toMatchObject({ filesStaged: ["a.txt"] });
    expect(filesOf(lab)).toEqual(["a.txt"]);
  });

  it("leaves untracked files alone with all: false", async () => {
    await using lab = new BuildLab();
    lab.repository();
    lab.write("a.txt", "changed\n");
    lab.write("new", "");
    expect(await commit(lab, { all: "false" })).toMatchObject({ filesStaged: ["a.txt"] });
    expect(await commit(lab, { all: false })).toMatchObject({ success: false });
    expect(lab.git(["status", "--porcelain"])).toBe("?? new\n");
  });

  it.each([["../outside"], ["/etc/passwd"], ["~/x"], ["link/x"], ["sub/../../outside"]])(
    "refuses %s as outside of the repository and stages nothing",
    async (file) => {
      await using lab = new BuildLab();
      lab.repository();
      lab.write("b.txt", "b");
      writeFileSync(join(lab.top, "outside"), "");
      symlinkSync(lab.top, lab.path("link"));
      const result = await commit(lab, { files: ["b.txt", file] });
      expect(result).toMatchObject({ success: false, kind: "permissionDenied" });
      expect(result.message).toContain("outside the repository");
      expect(lab.git(["status", "--porcelain"])).toBe("?? b.txt\n?? link\n");
    },
  );

  it("commits a link itself, not what it points to", async () => {
    await using lab = new BuildLab();
    lab.repository();
    symlinkSync("/etc/passwd", lab.path("link"));
    expect(await commit(lab, { files: ["link"] })).toMatchObject({ success: true });
    expect(lab.git(["cat-file", "-p", "HEAD:link"])).toBe("/etc/passwd");
  });

  it("says that there are no changes", async () => {
    await using lab = new BuildLab();
    lab.repository();
    const result = await commit(lab, {});
    expect(result).toMatchObject({ success: false, kind: "executionFailed", reason: "no changes" });
    expect(result.message).toContain("no changes");
    expect((await commit(lab, { files: ["a.txt"] })).message).toContain("no changes");
    expect((await commit(lab, { files: ["nope"] })).message).toContain("does not exist");
    lab.write(".gitignore", "*.log\n");
    lab.write("x.log", "");
    const ignored = await commit(lab, { files: ["x.log"] });
    expect(ignored.message).toContain("ignored by git: x.log");
    expect(lab.git(["rev-list", "--count", "HEAD"])).toBe("1\n");
  });

  it("says that there is no repository", async () => {
    await using lab = new BuildLab();
    lab.write("file", "");
    expect((await commit(lab, {})).message).toContain("not in a git repository");
    expect((await commit(lab, { repositoryPath: "file" })).message).toContain("not a directory");
    expect((await commit(lab, { repositoryPath: "nope" })).message).toContain("does not exist");
    lab.repository();
    const inside = await commit(lab, { repositoryPath: ".git" });
    expect(inside.message).toContain("not in a git repository");
  });

  it("never looks for a repository around the workspace", async () => {
    await using lab = new BuildLab();
    lab.git(["init", "-q", ".."]);
    lab.write("x", "");
    expect(await commit(lab, {})).toMatchObject({ success: false });
    expect(await lab.call("get_changed_files")).toMatchObject({ success: false });
  });

  it("commits as the repository's user, else as the bot, and stores that nowhere", async () => {
    await using lab = new BuildLab();
    lab.repository();
    lab.write("b.txt", "b");
    await commit(lab, {});
    const who = ["log", "-1", "--format=%an <%ae> %cn"];
    expect(lab.git(who)).toBe("Deckhand <deckhand@localhost> Deckhand\n");
    expect(lab.git(["config", "--list"])).not.toContain("user.");
    expect(readdirSync(lab.settings.homeDir)).toEqual([]);
    lab.git(["config", "user.name", "Bea"]);
    lab.git(["config", "user.email", "bea@example.org"]);
    lab.write("c.txt", "c");
    await commit(lab, {});
    expect(lab.git(who)).toBe("Bea <bea@example.org> Bea\n");
  });

  it("works from a sub-directory, in a worktree and for the first commit", async () => {
    await using lab = new BuildLab();
    lab.git(["init", "-q", "-b", "main"]);
    lab.write("sub/deep/x", "x");
    lab.write("top", "");
    const first = await commit(lab, { repositoryPath: "sub/deep", files: ["x"] });
    expect(first).toMatchObject({ success: true, filesStaged: ["sub/deep/x"] });
    expect(await commit(lab, { repositoryPath: "sub" })).toMatchObject({ filesStaged: ["top"] });
    lab.git(["worktree", "add", "-q", "-b", "side", "tree"]);
    lab.write("tree/new", "");
    const side = await commit(lab, { repositoryPath: "tree" });
    expect(side).toMatchObject({ success: true, filesStaged: ["new"] });
    expect(lab.git(["rev-parse", "side"]).trim()).toBe(side.hash);
    expect(lab.git(["rev-parse", "main"]).trim()).not.toBe(side.hash);
  });

  it("names who asked in a trailer", async () => {
    await using lab = new BuildLab();
    lab.repository();
    const trailersOf = async (message: string, requester: string) => {
      lab.write(message.slice(0, 1), "");
      await lab.call("git_commit", { message }, { requester });
      return lab.git(["log", "-1", "--format=%(trailers:only)"]);
    };
    expect(await trailersOf("b", "Bea <web:bea>")).toBe("Requested-by: Bea <web:bea>\n\n");
    expect(await trailersOf("x\n\nFixes: #1", "Bea <web:bea>")).toBe(
      "Fixes: #1\nRequested-by: Bea <web:bea>\n\n",
    );
    const forged = "Bea\u2028\nSigned-off-by:\u0000\u202E root";
    expect(await trailersOf("c", forged)).toBe("Requested-by: Bea Signed-off-by: root\n\n");
  });

  it("refuses while conflict markers are left, then concludes the merge", async () => {
    await using lab = new BuildLab();
    conflict(lab);
    const refused = await commit(lab, {});
    expect(refused).toMatchObject({ success: false });
    expect(refused.message).toContain("a.txt");
    lab.write("a.txt", "resolved\n");
    expect((await commit(lab, { files: ["a.txt"] })).message).toContain("as a whole");
    expect(await commit(lab, {})).toMatchObject({ success: true });
    expect(lab.git(["rev-list", "--parents", "-1", "HEAD"]).trim().split(" ")).toHaveLength(3);
  });

  it("leaves repositories inside the repository out, and says so", async () => {
    await using lab = new BuildLab();
    lab.repository();
    lab.repository("nested");
    lab.write("b", "");
    const result = await commit(lab, {});
    expect(result).toMatchObject({ success: true, filesStaged: ["b"] });
    expect(result.notice).toContain("nested/");
  });

  it("takes turns when several commit at once", async () => {
    await using lab = new BuildLab();
    lab.repository();
    const names = ["1", "2", "3", "4", "5"];
    for (const name of names) lab.write(name, name);
    const results = await Promise.all(names.map((name) => commit(lab, { files: [name] })));
    expect(results.map(({ filesStaged }) => filesStaged)).toEqual(names.map((name) => [name]));
    expect(lab.git(["rev-list", "--count", "HEAD"])).toBe("6\n");
  });

  it("stages names that are not UTF-8", async () => {
    await using lab = new BuildLab();
    lab.repository();
    writeFileSync(Buffer.concat([Buffer.from(`${lab.dir}/`), Buffer.from([0xff, 0xfe])]), "x");
    expect(await commit(lab, {})).toMatchObject({ success: true, totalFiles: 1 });
    expect(lab.git(["status", "--porcelain"])).toBe("");
  });

  it.runIf(process.getuid?.() === 0)(
    "runs as the repository's owner when root commits",
    async () => {
      await using lab = new BuildLab();
      lab.repository();
      lab.write("b", "");
      await lab.task({ label: "t", command: `chown -R 1234:1234 . && chmod 755 . ..` });
      chownSync(lab.top, 1234, 1234);
      expect(await commit(lab, {})).toMatchObject({ success: true });
      expect(statSync(lab.path(".git/refs/heads/main")).uid).toBe(1234);
      expect(statSync(lab.path(".git/index")).uid).toBe(1234);
    },
  );
});
