import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleOf, shareOf } from "../../support/thorough.ts";
import { until } from "../../support/until.ts";
import type { Arena, HostileRepository } from "./hostile-kinds.ts";
import { hostileRepositories } from "./hostile-repositories.ts";
import { BuildLab } from "./workspace.ts";

/** A repository of its own in the workspace, armed. */
function armed(lab: BuildLab, name: string, hostile: HostileRepository): Arena {
  lab.repository(name);
  lab.write(`${name}/b.txt`, "b\n");
  lab.git(["add", "."], name);
  lab.git(["commit", "-q", "-m", "b"], name);
  mkdirSync(lab.path(`${name}/.git/info`), { recursive: true });
  const canary = join(lab.top, "canary");
  const evil = join(lab.top, "evil");
  writeFileSync(evil, `#!/bin/sh\ntouch ${canary}\nexec timeout 0.3 cat\n`);
  chmodSync(evil, 0o755);
  const git = (args: readonly string[], directory = ".") => lab.git(args, join(name, directory));
  const arena = { dir: lab.path(name), evil, canary, git };
  hostile.arm(arena);
  rmSync(canary, { force: true });
  return arena;
}

describe("P-S10 hostile repositories", () => {
  it("are at least 25", () => {
    expect(hostileRepositories.length).toBeGreaterThanOrEqual(25);
    expect(hostileRepositories.filter(({ plainly }) => plainly).length).toBeGreaterThanOrEqual(25);
  });

  // That plain git is hit depends on this table and on git alone: with every change some of them show it.
  const controls = new Set(sampleOf(hostileRepositories, 8));

  // Every way to commit meets every third repository with every change.
  const repositories = hostileRepositories.map((hostile, index) => ({
    ...hostile,
    hostile,
    index,
  }));

  it.each(repositories)("run nothing: $name", async ({ hostile, index }) => {
    await using lab = new BuildLab();
    if (hostile.plainly && controls.has(hostile)) {
      const { canary, git } = armed(lab, "plain", hostile);
      for (const args of hostile.plainly) attempt(() => git(args));
      expect(existsSync(canary), "plain git is hit, so the attempt is real").toBe(true);
      rmSync(lab.path("plain"), { recursive: true });
    }
    const { canary } = armed(lab, "repository", hostile);
    const repositoryPath = join("repository", hostile.at ?? ".");
    const files = hostile.files ?? ["a.txt"];
    const commits = [
      { message: "some", files },
      { message: "all" },
      { message: "tracked", all: false },
    ];
    const answers = [await lab.call("get_changed_files", { repositoryPath })];
    for (const params of shareOf(commits, { index, step: 3 }))
      answers.push(await lab.call("git_commit", { repositoryPath, ...params }));
    const sourceControlState = ["staged"];
    answers.push(await lab.call("get_changed_files", { repositoryPath, sourceControlState }));
    expect(existsSync(canary), JSON.stringify(answers)).toBe(false);
  });

  it.each([
    "clean filter",
    "fsmonitor",
    "hook pre-commit in .git/hooks",
    "submodule with a filter",
  ])("can be worked with all the same: %s", async (name) => {
    await using lab = new BuildLab();
    const hostile = hostileRepositories.find((each) => each.name === name);
    if (!hostile) throw new Error(`no repository ${name}`);
    armed(lab, "repository", hostile);
    const repositoryPath = "repository";
    const changed = await lab.call("get_changed_files", { repositoryPath });
    expect(changed.files).toContainEqual({ path: "a.txt", status: "modified", staged: false });
    const result = await lab.call("git_commit", { repositoryPath, message: "x" });
    expect(result).toMatchObject({ success: true });
    if (name === "clean filter") expect(result.notice).toContain("filters (f) were not run");
    expect(lab.git(["cat-file", "-p", "HEAD:a.txt"], repositoryPath)).toBe("two\n");
  });

  it("commits files that look like options, and only those", async () => {
    await using lab = new BuildLab();
    const hostile = hostileRepositories.find(({ files }) => files);
    armed(lab, "repository", hostile ?? raise());
    const params = { repositoryPath: "repository", message: "x", files: hostile?.files };
    expect(await lab.call("git_commit", params)).toMatchObject({ success: true, totalFiles: 5 });
    expect(lab.git(["status", "--porcelain"], "repository")).toBe(" M a.txt\n");
  });

  it("refuses a work tree that is the whole machine", async () => {
    await using lab = new BuildLab();
    lab.repository();
    lab.git(["config", "core.worktree", "/"]);
    for (const operation of ["get_changed_files", "git_commit"]) {
      const result = await lab.call(operation, { message: "x" });
      expect(result).toMatchObject({ success: false, kind: "permissionDenied" });
      expect(result.message).toContain("core.worktree");
    }
  });

  it("stops when the call is taken back, though git waits for a pipe", async () => {
    await using lab = new BuildLab();
    lab.repository();
    await lab.task({ label: "t", command: "mkfifo pipe" });
    lab.git(["config", "core.excludesFile", lab.path("pipe")]);
    const abort = new AbortController();
    const result = lab.call("get_changed_files", {}, { signal: abort.signal });
    using _writer = await openOnceRead(lab.path("pipe"));
    abort.abort();
    expect(await result).toMatchObject({ success: false, cancelled: true });
  });
});

/** A pipe can be opened for writing at once only where something reads it. It stays open, so that the reader goes on waiting. */
async function openOnceRead(pipe: string): Promise<Disposable> {
  let descriptor: number | undefined;
  await until(() => {
    attempt(() => {
      descriptor = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    });
    return descriptor !== undefined;
  }, "git to read the pipe");
  return { [Symbol.dispose]: () => closeSync(Number(descriptor)) };
}

function attempt(act: () => unknown): void {
  try {
    act();
  } catch {
    // Many of the attempts break git; whether they hit is all that counts.
  }
}

function raise(): never {
  throw new Error("the table has no such repository");
}
