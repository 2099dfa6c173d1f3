/**
 * Removes a Deckhand that has been stopped: its workspaces and its data directory.
 *
 *   npm run remove             shows what would go, and asks
 *   npm run remove -- --yes    does not ask
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { readConfig } from "../src/config.ts";
import { count } from "../src/contract/display.ts";
import { isForOperators, OperatorError } from "../src/lib/operator-error.ts";
import { installedWorkspaces } from "../src/workspace/remove-workspaces.ts";

const { values } = parseArgs({ options: { yes: { type: "boolean", default: false } } });

try {
  await run();
} catch (error) {
  console.error(isForOperators(error) && error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const config = readConfig(process.env);
  const { dataDir, store } = config;
  if (!existsSync(dataDir))
    throw new OperatorError(`There is nothing to remove: ${dataDir} does not exist.`);
  const workspaces = await installedWorkspaces({
    settings: config.workspaces,
    dataDir,
    seccomp: readFileSync(new URL("../sandbox-image/seccomp.json", import.meta.url), "utf8"),
    log: (level, message) => console.error(`${level}: ${message}`),
    redact: (text) => text,
  });
  console.log(`This removes, for good:
  ${count(workspaces.containers.length, "container")} and ${count(workspaces.volumes.length, "volume")} of workspaces, with all their files
  ${dataDir}, with conversations, approvals and the audit`);
  if (!values.yes && !(await isConfirmed())) {
    console.log("Nothing was removed.");
    return;
  }
  await workspaces.remove();
  rmSync(dataDir, { recursive: true });
  console.log(
    "Removed. The image goes with `docker image rm deckhand-sandbox`, the rest with this directory.",
  );
  if (store.kind === "redis")
    console.log(`Keys that begin with "${store.prefix}" stay in Redis; delete them there.`);
}

async function isConfirmed(): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new OperatorError("Add --yes to remove this without being asked.");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question("Stop the bot first. Type yes to remove: ")).trim() === "yes";
  } finally {
    terminal.close();
  }
}
