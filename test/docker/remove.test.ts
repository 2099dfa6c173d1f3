import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { command, startEngine } from "../support/engine.ts";

const run = promisify(execFile);
const remove = (dataDir: string, ...args: string[]) =>
  run(process.execPath, ["scripts/remove.ts", ...args], {
    env: { ...process.env, DECKHAND_DATA_DIR: dataDir },
  });

it("`npm run remove` removes containers, volumes, mounts and data of one bot, and leaves another bot's alone", async () => {
  await using gone = await startEngine();
  await using kept = await startEngine();
  for (const { workspaces } of [gone, kept])
    await command(await workspaces.open("thread", { fence: 1 }), "echo hello > file");
  await gone.workspaces.close();

  const asked = await remove(gone.dataDir).catch((error: { stderr: string }) => error);
  expect(asked.stderr).toContain("--yes");
  expect(await gone.containers()).toHaveLength(1);

  const { stdout } = await remove(gone.dataDir, "--yes");
  expect(stdout).toContain("1 container and 3 volumes");
  expect(await gone.containers()).toEqual([]);
  expect(await gone.volumes()).toEqual([]);
  expect(existsSync(gone.dataDir)).toBe(false);
  expect(await kept.containers()).toHaveLength(1);
  expect(existsSync(kept.dataDir)).toBe(true);

  const again = await remove(gone.dataDir, "--yes").catch((error: { stderr: string }) => error);
  expect(again.stderr).toContain("Nothing to remove");
});
