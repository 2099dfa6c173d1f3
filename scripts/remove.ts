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
import { installedWorkspaces } from "../src/workspace/lifecycle/remove-workspaces.ts";

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
    throw new OperatorError(`Nothing to remove: ${dataDir} does not exist.`);
  const workspaces = await installedWorkspaces({
    settings: config.workspaces,
    dataDir,
    seccomp: readFileSync(new URL("../sandbox-image/seccomp.json", import.meta.url), "utf8"),
    log: (level, message) => console.error(`${level}: ${message}`),
    redact: (text) => text,
  });
  console.log(`This permanently deletes:
  ${count(workspaces.containers.length, "container")} and ${count(workspaces.volumes.length, "volume")} of workspaces, with all their files
  ${dataDir}, with conversations, approvals and the audit`);
  if (!values.yes && !(await isConfirmed())) {
    console.log("Nothing was deleted.");
    return;
  }
  await workspaces.remove();
  rmSync(dataDir, { recursive: true });
  console.log(
    "Deleted. To remove the rest, run `docker image rm deckhand-sandbox` and delete this directory.",
  );
  if (store.kind === "redis")
    console.log(`Redis still has the keys that begin with "${store.prefix}". Delete them there.`);
}

async function isConfirmed(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new OperatorError("Add --yes to delete without a prompt.");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question("Stop the bot first. Type yes to delete: ")).trim() === "yes";
  } finally {
    terminal.close();
  }
}
