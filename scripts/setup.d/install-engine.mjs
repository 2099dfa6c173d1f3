// @ts-check
import { isInstalled, run } from "../lib/command.mjs";
import { freeGb } from "../lib/disk.mjs";
import { SetupError } from "../lib/problem.mjs";
import { DISK_NEEDED_GB } from "../lib/project.mjs";

const BY_HAND = "install Docker 20.10 or newer, start it, and run this again";

/** Debian's own engine, where it is not installed yet. */
export async function installEngine() {
  refuseWithoutMeans();
  if (isInstalled("dockerd")) return;
  if ((await freeGb("/var/lib")) < DISK_NEEDED_GB) {
    throw new SetupError(
      `Docker and the sandbox image need ${DISK_NEEDED_GB} GB under /var/lib: free some disk space and run this again.`,
    );
  }
  console.log("Installing the Docker engine (docker.io): no engine answers on this machine.");
  await installPackages(["docker.io", "debootstrap"]);
}

function refuseWithoutMeans() {
  const isRoot = process.getuid?.() === 0;
  if (isInstalled("dockerd")) {
    if (isRoot) return;
    throw new SetupError(
      "Docker is installed but not running: start it with `sudo systemctl start docker`, or run this as root.",
    );
  }
  if (process.platform !== "linux" || !isInstalled("apt-get")) {
    throw new SetupError(`No Docker engine answers and this system has no apt-get: ${BY_HAND}.`);
  }
  if (!isRoot) {
    throw new SetupError(
      `No Docker engine answers and only root can install one: run this as root, or ${BY_HAND}.`,
    );
  }
}

/** @param {string[]} names */
export async function installPackages(names) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const problem = `Packages could not be installed: run \`apt-get install ${names.join(" ")}\`, fix its errors, and run this again.`;
  await run("apt-get", ["update", "-q"], { problem, env });
  await run("apt-get", ["install", "-qy", "--no-install-recommends", ...names], { problem, env });
}
