import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createWorkspaces } from "../../src/workspace/workspaces.ts";
import { optionsOf } from "../support/engine.ts";
import { call, calls, say } from "../support/model-server/replies.ts";
import { ownMs } from "../support/own-clock.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

it("1.32 1.36 2.46 4.8 15.19 whole turns in a real container: order, an approval as root, a commit, a stop that leaves nothing", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "talk-docker-"));
  const workspaces = await createWorkspaces(optionsOf(dataDir));
  await using talk = await Talk.start({ workspaces });
  try {
    const run = (command: string) =>
      ["terminal_operations", { operation: "run_command", command }] as const;
    const create = (filePath: string, content: string) =>
      ["file_operations", { operation: "create_file", filePath, content }] as const;
    talk.model.script([
      calls([create("a.sh", "echo from the script\n"), run("bash a.sh")]),
      say("It ran."),
    ]);
    await talk.say("write a script and run it");
    await talk.sees("It ran.", 60_000);
    expect(talk.model.requests[1]?.results[1]?.text).toContain("from the script");

    talk.model.script([call(...create("/etc/deckhand-test", "by root")), say("Configured.")]);
    await talk.say("configure it");
    await talk.sees("Approval needed", 30_000);
    await talk.press("Approve once");
    await talk.sees("Configured.", 30_000);
    expect(talk.model.requests.at(-1)?.results.at(-1)?.text).toContain('"success":true');

    // A commit: denied, then approved; it names the person who asked, and its message is never a shell's.
    const message = '"; rm -rf /workspace #';
    const commit = ["build_and_version_control", { operation: "git_commit", message }] as const;
    talk.model.script([
      call(...run("git init -q . && echo one > one.txt")),
      call(...commit),
      say("Not committed."),
    ]);
    await talk.say("commit it");
    await talk.press("Deny");
    await talk.sees("Not committed.", 30_000);
    talk.model.script([call(...commit), say("Committed.")]);
    await talk.say("commit it after all");
    await talk.press("Approve once");
    await talk.sees("Committed.", 30_000);
    talk.model.script([
      call(...run("git log --format=%B; git rev-list --count HEAD")),
      say("Seen."),
    ]);
    await talk.say("show the log");
    await talk.sees("Seen.", 30_000);
    const log = String(JSON.parse(talk.model.requests.at(-1)?.results.at(-1)?.text ?? "{}").output);
    expect(log).toContain(`${message}\n\nRequested-by: `);
    expect(log).toContain(talk.ada.id);
    expect(log.trim().endsWith("\n1")).toBe(true);

    // A card names a file of the workspace by its place in it.
    const deletion = { operation: "delete_file", filePath: "/workspace/one.txt" };
    talk.model.script([call("file_operations", deletion), say("Kept.")]);
    await talk.say("delete it");
    await until(() => talk.cards("approval").length === 4, "the card of the deletion");
    expect(talk.cards("approval").at(-1)?.text).toContain("Deletes `one.txt`");
    await talk.press("Deny");
    await talk.sees("Kept.", 30_000);

    talk.model.script([call(...run("sleep 60"))]);
    await talk.say("sleep");
    await talk.sees(/▶️ .*sleep 60/, 30_000);
    const call0 = async () => (await talk.bot.conversations.state(talk.thread)).open?.calls[0];
    await until(async () => (await call0())?.started !== undefined, "the command");
    const startedMs = ownMs();
    await talk.say("stop");
    await talk.sees("Stopped by ", 45_000);
    expect(ownMs() - startedMs).toBeLessThan(2_000);
    const workspace = await workspaces.open(talk.thread, { fence: 1_000_000 });
    const { processes } = await workspace.census();
    expect(processes.filter(({ command }) => command.includes("sleep"))).toEqual([]);
    const checkpoints = await workspace.checkpoints.list();
    expect(checkpoints.checkpoints.length).toBeGreaterThanOrEqual(3);
  } finally {
    await workspaces.reset(talk.thread);
    await workspaces.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
