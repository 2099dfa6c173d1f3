import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { WorkspaceSettings } from "../../src/workspace/settings.ts";
import { createWorkspaces } from "../../src/workspace/workspaces.ts";
import { call, calls, say } from "../support/model-server/replies.ts";
import { ownMs } from "../support/own-clock.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

it("1.32 1.36 4.8 whole turns in a real container: order, an approval as root, a stop that leaves nothing", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "talk-docker-"));
  const seccomp = readFileSync(
    new URL("../../sandbox-image/seccomp.json", import.meta.url),
    "utf8",
  );
  const settings = WorkspaceSettings.parse({ poolSize: 0 });
  const workspaces = await createWorkspaces({ settings, dataDir, seccomp, log: () => undefined });
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

    talk.model.script([call(...run("sleep 60"))]);
    await talk.say("sleep");
    await talk.sees(/▶️ .*sleep 60/, 30_000);
    const call0 = async () => (await talk.bot.conversations.state(talk.thread)).open?.calls[0];
    await until(async () => (await call0())?.started !== undefined, "the command");
    const startedMs = ownMs();
    await talk.say("stop");
    await talk.sees("Stopped.", 45_000);
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
}, 180_000);
