// @ts-check
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isInstalled, outputOf, run } from "../lib/command.mjs";
import { freeGb } from "../lib/disk.mjs";
import { SetupError } from "../lib/problem.mjs";
import { DISK_NEEDED_GB } from "../lib/project.mjs";
import { installPackages } from "./install-engine.mjs";

const IMPORT_MS = 10 * 60_000;
const OTHERWISE =
  "let the Docker engine reach a registry, or load the image node:24-bookworm-slim into it";

/**
 * Makes a base image out of this machine's own Debian packages, for engines that reach no registry.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {{ tag: string, packages: string[] }} options
 */
export async function bootstrapBase(engine, { tag, packages }) {
  const source = await debianSource();
  if (process.getuid?.() !== 0) {
    throw new SetupError(
      `No image registry answers, and only root can build a base image: run this as root, or ${OTHERWISE}.`,
    );
  }
  if (!isInstalled("debootstrap")) {
    console.log(
      "Installing debootstrap: no image registry answers, so the base image is built here.",
    );
    await installPackages(["debootstrap"]);
  }
  console.log(
    "Building the base image with debootstrap: no image registry answers (takes a minute or two).",
  );
  const directory = mkdtempSync(join(await roomyDirectory(), "deckhand-base-"));
  try {
    await bootstrap(directory, source, packages);
    await importTree(engine, directory, tag);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @typedef {{ mirror: string, suite: string, components: string }} DebianSource */

/**
 * The mirror and release that apt itself uses here.
 * @returns {Promise<DebianSource>}
 */
async function debianSource() {
  const suite = /^VERSION_CODENAME=(.+)$/m.exec(readOsRelease())?.[1];
  const targets = await outputOf("apt-get", [
    "indextargets",
    "--format",
    "$(REPO_URI) $(RELEASE) $(COMPONENT)",
    "Created-By: Packages",
  ]);
  const lines = (targets ?? "").split("\n").map((line) => line.split(" "));
  const own = lines.filter(([, release]) => release === suite);
  const mirror = own.find(([, , component]) => component === "main")?.[0];
  if (!suite || !mirror) {
    throw new SetupError(
      `No image registry answers, and this system has no Debian packages to build a base image from: ${OTHERWISE}.`,
    );
  }
  const components = own.filter(([uri]) => uri === mirror).map(([, , component]) => component);
  return { mirror, suite, components: [...new Set(components)].join(",") };
}

function readOsRelease() {
  try {
    return readFileSync("/etc/os-release", "utf8");
  } catch {
    return "";
  }
}

/**
 * @param {string} directory
 * @param {DebianSource} source
 * @param {string[]} packages
 */
async function bootstrap(directory, { mirror, suite, components }, packages) {
  const include = `--include=${packages.join(",")}`;
  const options = ["--variant=minbase", `--components=${components}`, include];
  await run("debootstrap", [...options, suite, directory, mirror], {
    problem: `debootstrap could not build a base image from apt's mirror: fix the errors above, or ${OTHERWISE}.`,
  });
  for (const waste of [
    "var/cache/apt",
    "var/lib/apt/lists",
    "usr/share/doc",
    "usr/share/man",
    "dev",
  ]) {
    rmSync(join(directory, waste), { recursive: true, force: true });
  }
}

/**
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {string} directory
 * @param {string} tag
 */
async function importTree(engine, directory, tag) {
  const [repo, version] = tag.split(":");
  const tar = spawn("tar", ["-C", directory, "--numeric-owner", "-c", "."], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const path = `/images/create?fromSrc=-&repo=${repo}&tag=${version}`;
  await engine.progress(path, { body: tar.stdout, timeoutMs: IMPORT_MS });
}

/** debootstrap makes device files and a system of 1 GB: not on a small temporary file system. */
async function roomyDirectory() {
  for (const directory of ["/var/tmp", "/var/lib", "/tmp"]) {
    if ((await freeGb(directory)) >= DISK_NEEDED_GB) return directory;
  }
  throw new SetupError(
    `Building the base image needs ${DISK_NEEDED_GB} GB under /var/tmp: free some disk space and run this again.`,
  );
}
