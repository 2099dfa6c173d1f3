import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ToolError } from "../../src/contract/tools/operation.ts";
import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";
import { portraitOf } from "../support/portrait.ts";

const STORE = "/var/lib/deckhand/checkpoints";
const GIT = "git -c user.name=a -c user.email=a@example.org";
/** Repositories in a repository, an empty directory, links, modes, bytes that are no text. */
const PROJECT = `cd /workspace
git init -q repo && cd repo && echo one > a.txt && printf 'x\\ny\\nz\\n' > b.txt && git add . && ${GIT} commit -qm one
git init -q vendor/inner && cd vendor/inner && echo inner > c.txt && git add . && ${GIT} commit -qm inner
cd /workspace && mkdir -p empty/within private && chmod 0700 private && echo secret > private/key && chmod 0400 private/key
printf '#!/bin/sh\\n' > run.sh && chmod 0755 run.sh
ln -s repo/a.txt link && ln -s /nowhere dangling && ln -s ../repo private/up && ln repo/b.txt hard
head -c 300000 /dev/urandom > noise.bin && printf '\\0\\377' > 'odd name\\n.bin' && : > zero`;
const ROOT_FILES =
  "mkdir -m 0750 /workspace/owned && echo root > /workspace/owned/file && chmod 0600 /workspace/owned/file";
const HAVOC = `cd /workspace
rm -rf repo/.git repo/vendor/inner/.git empty && echo two > repo/a.txt && rm link && echo file > link
chmod 0644 run.sh && chmod u+w private/key && echo stolen > private/key && ln -sfn /elsewhere dangling
head -c 1000 /dev/urandom | dd of=noise.bin bs=1 seek=5000 conv=notrunc status=none
mkdir -p new/deep && echo new > new/deep/file && rm zero && mkdir zero && git init -q third`;
const ROOT_HAVOC =
  "echo changed > /workspace/owned/file; chown 1000 /workspace/owned; rm -rf /workspace/repo/vendor";

describe("checkpoints of a workspace", () => {
  let engine: TestEngine;
  let workspace: Workspace;
  beforeAll(async () => {
    engine = await startEngine();
    workspace = await engine.workspaces.open("kept", { fence: 1 });
    await run(PROJECT);
    await asRoot(ROOT_FILES);
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  it("tell in words what commands and file operations did, and take all of it back, byte for byte", async () => {
    const before = await portrait();
    const { checkpoint } = await create("before the havoc");
    await havoc();
    const after = await portrait();
    expect(after).not.toBe(before);

    const { diff, changes } = await workspace.checkpoints.diff(checkpoint);
    expect(diff).toContain("-y\n+why");
    expect(diff).toContain("noise.bin");
    const changeOf = Object.fromEntries(changes.map(({ path, change }) => [path, change]));
    expect(changeOf).toMatchObject({
      "repo/b.txt": "changed",
      "repo/vendor/inner/c.txt": "removed",
      "repo/.git/HEAD": "removed",
      "new/deep/file": "added",
      "made.txt": "added",
      "run.sh": "changed",
      "owned/file": "changed",
      "empty/within": "removed",
    });

    const report = await restore(checkpoint);
    expect(report).toMatchObject({ complete: true, path: null, skipped_total: 0 });
    expect(await portrait()).toBe(before);

    const undone = await restore(report.before);
    expect(undone.complete).toBe(true);
    expect(await portrait()).toBe(after);
    await restore(checkpoint);
    expect(await portrait()).toBe(before);
  });

  it("bring back one file and leave the others", async () => {
    const { checkpoint } = await create("one file");
    await run("cd /workspace; echo 1 > repo/a.txt; echo 2 > run.sh");
    const report = await restore(checkpoint, "repo/a.txt");
    expect(report).toMatchObject({
      complete: true,
      path: "repo/a.txt",
      restored_paths: ["repo/a.txt"],
    });
    expect((await run("cat /workspace/repo/a.txt /workspace/run.sh")).output).toBe("one\n2\n");
    await restore(checkpoint);
  });

  it("are listed, newest first", async () => {
    const older = await create("older");
    const newer = await create("newer");
    const { checkpoints, unfinished } = await workspace.checkpoints.list();
    expect(checkpoints.slice(0, 2)).toEqual([newer, older]);
    expect(unfinished).toBeNull();
  });

  it("are made once for one call id", async () => {
    const callId = randomUUID();
    const made = await workspace.checkpoints.create({ callId, label: "once" });
    expect(await workspace.checkpoints.create({ callId, label: "once" })).toEqual(made);
    const { checkpoints } = await workspace.checkpoints.list();
    expect(checkpoints.filter(({ label }) => label === "once")).toHaveLength(1);
  });

  it("that do not exist are answered with a sentence", async () => {
    const missing = restore("c999-00000000");
    await expect(missing).rejects.toThrow(ToolError);
    await expect(missing).rejects.toThrow("c999-00000000");
    const outside = workspace.checkpoints.diff("c999-00000000", { paths: ["../etc"] });
    await expect(outside).rejects.toMatchObject({ kind: "invalidParameters" });
  });

  it("leave no trace in the terminal's history, where root's commands do", async () => {
    await run("echo typed by root", "root");
    await create("unseen");
    const args = { operation: "get_history", session_id: workspace.conversation };
    const history = await workspace.call({ id: randomUUID(), tool: "terminal_operations", args });
    expect(JSON.stringify(history)).toContain("[root] # echo typed by root");
    expect(JSON.stringify(history)).not.toContain("unseen");
  });

  describe("out of the workload's reach", () => {
    let checkpoint: string;
    beforeAll(async () => {
      ({ checkpoint } = await create("out of reach"));
    });

    it.each([
      ["listed", `ls ${STORE}`],
      ["listed by a glob", `cat ${STORE}/*/*`],
      ["entered", `cd ${STORE}`],
      ["written", `echo x > ${STORE}/x`],
      ["deleted", `rm -rf ${STORE}`],
      ["moved", "mv /var/lib/deckhand /var/lib/gone"],
      ["linked", `ln -s ${STORE}/trees /workspace/trees; ls /workspace/trees/`],
      ["opened up", `chmod -R 777 ${STORE}`],
      ["covered", `mount -t tmpfs none ${STORE}`],
      ["found in the server", "ls /proc/1/root/var/lib/deckhand/checkpoints"],
    ])("cannot be %s by the workload", async (_, attempt) => {
      expect((await command(workspace, `(${attempt})`)).exit_code).not.toBe(0);
    });

    it("cannot be reached by a link in the workspace", async () => {
      await run(`ln -s ${STORE} /workspace/store`);
      const args = { operation: "create_file", filePath: "store/x", content: "x" };
      const written = await workspace.call({ id: randomUUID(), tool: "file_operations", args });
      expect(written.success).toBe(false);
      const withLink = await create("with a link");
      expect(await restore(withLink.checkpoint)).toMatchObject({ complete: true });
      await run("rm /workspace/store");
    });

    it("are whole after all these attempts", async () => {
      expect(await restore(checkpoint)).toMatchObject({ complete: true });
    });
  });

  it("outlive the container, and what people should know of that waits for the next result", async () => {
    const before = await portrait();
    const { checkpoint } = await create("before the loss");
    await havoc();
    await docker("rm", "--force", await engine.containerOf("kept"));
    const report = await restore(checkpoint);
    expect(report.complete).toBe(true);
    expect(report).not.toHaveProperty("notice");
    expect(await portrait()).toBe(before);
    expect((await run("true")).notice).toContain("created again");
  });

  it("are not begun for a signal that was aborted before", async () => {
    const stop = AbortSignal.abort();
    const stopped = workspace.checkpoints.create({ callId: randomUUID(), signal: stop });
    await expect(stopped).rejects.toThrow("Stopped before it started");
  });

  async function havoc(): Promise<void> {
    await run(HAVOC);
    await edit({ operation: "create_file", filePath: "made.txt", content: "made" });
    await edit({
      operation: "replace_string",
      filePath: "repo/b.txt",
      oldString: "y",
      newString: "why",
    });
    await edit({ operation: "delete_file", filePath: "odd name\\n.bin" });
    await asRoot(ROOT_HAVOC);
  }

  async function edit(args: Record<string, unknown>): Promise<void> {
    const result = await workspace.call({ id: randomUUID(), tool: "file_operations", args });
    expect(result).toMatchObject({ success: true });
  }

  async function run(text: string, as?: "root") {
    const result = await command(workspace, text, as ? { as } : {});
    expect(result).toMatchObject({ success: true, exit_code: 0 });
    return result;
  }

  /** From outside: an approved command of root changes no file of the workspace. */
  async function asRoot(text: string): Promise<void> {
    await docker("exec", "-u", "0", await engine.containerOf("kept"), "bash", "-c", text);
  }

  const create = (label: string) => workspace.checkpoints.create({ callId: randomUUID(), label });
  const restore = (checkpoint: string, path?: string) =>
    workspace.checkpoints.restore(checkpoint, { callId: randomUUID(), ...(path ? { path } : {}) });
  const portrait = async () => portraitOf(await engine.containerOf("kept"));
});
