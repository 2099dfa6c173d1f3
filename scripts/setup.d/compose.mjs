// @ts-check
import { isInstalled, outputOf } from "../lib/command.mjs";
import { SetupError } from "../lib/problem.mjs";
import { installPackages } from "./install-engine.mjs";

/**
 * The command words of Docker Compose: version 2, or Debian's 1.29. Undefined where there is neither.
 * @returns {Promise<string[] | undefined>}
 */
export async function findCompose() {
  if ((await outputOf("docker", ["compose", "version"])) !== undefined)
    return ["docker", "compose"];
  return isInstalled("docker-compose") ? ["docker-compose"] : undefined;
}

/**
 * Only for the test of compose: as root on Debian it is installed.
 * @returns {Promise<string[]>}
 */
export async function prepareCompose() {
  const found = await findCompose();
  if (found) return found;
  if (!isInstalled("apt-get") || process.getuid?.() !== 0) {
    throw new SetupError("Docker Compose is missing: install it, or run this as root on Debian.");
  }
  console.log("Installing Docker Compose (docker-compose).");
  await installPackages(["docker-compose"]);
  return ["docker-compose"];
}
