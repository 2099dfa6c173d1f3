// @ts-check
import { isInstalled } from "../lib/command.mjs";
import { SetupError } from "../lib/problem.mjs";
import { installPackages } from "./install-engine.mjs";

const WITHOUT = "Continuing without Redis, which only the tests need here";

/** Redis's server under its own name, or under the other one by which Debian's redis-tools bring it. */
export function hasRedis() {
  return isInstalled("redis-server") || isInstalled("redis-check-rdb");
}

/**
 * The program of a Redis server, for the tests, which start it themselves. The package redis-server would add a
 * service that runs on this machine from now on; redis-tools have the same program and no service.
 */
export async function prepareRedis() {
  if (hasRedis()) return;
  if (!isInstalled("apt-get") || process.getuid?.() !== 0) {
    console.log(`${WITHOUT}: install redis-server, or run this as root on Debian or Ubuntu.`);
    return;
  }
  console.log("Installing Redis (redis-tools): the tests start their own Redis.");
  try {
    await installPackages(["redis-tools"]);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.log(`${WITHOUT}. ${error.message}`);
  }
}
