// @ts-check
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freeGb } from "../lib/disk.mjs";
import { DEFAULT_SOCKET } from "../lib/engine-api.mjs";
import { SetupError } from "../lib/problem.mjs";
import { BASE_IMAGE, DISK_NEEDED_GB, root } from "../lib/project.mjs";
import { bootstrapBase } from "./bootstrap-base.mjs";

export const REGISTRY_BASE = "node:24-bookworm-slim";
const PULL_MS = 5 * 60_000;
const REGISTRY_ANSWER_MS = 8_000;

/**
 * The name of an image to build on: one made here before, the registry's, or one bootstrapped now.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 */
export function prepareBase(engine) {
  const packages = readFileSync(join(root, "sandbox-image/packages.txt"), "utf8")
    .split("\n")
    .filter(Boolean);
  return prepareBaseWith(engine, packages, REGISTRY_BASE);
}

/**
 * The same for an image with these Debian packages, or the registry's image that stands for it.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {string[]} packages
 * @param {string} registryImage
 */
export async function prepareBaseWith(engine, packages, registryImage) {
  const made = `${BASE_IMAGE}:${createHash("sha256").update(packages.join()).digest("hex").slice(0, 12)}`;
  if (await engine.image(made)) return made;
  await checkDisk(engine);
  if ((await engine.image(registryImage)) || (await isPulled(engine, registryImage)))
    return registryImage;
  await bootstrapBase(engine, { tag: made, packages });
  return made;
}

/** @param {import("../lib/engine-api.mjs").EngineApi} engine */
async function checkDisk(engine) {
  // Only the engine of this machine keeps its images on a disk that can be looked at.
  if (engine.address.socketPath !== DEFAULT_SOCKET) return;
  const { DockerRootDir } = await engine.json("GET", "/info");
  if ((await freeGb(DockerRootDir)) >= DISK_NEEDED_GB) return;
  throw new SetupError(
    `The sandbox image needs ${DISK_NEEDED_GB} GB under ${DockerRootDir}: free some disk space and run this again.`,
  );
}

/**
 * Whether an image could be pulled. Asking for the image's manifest first keeps a machine without a
 * registry from waiting for a pull that never begins.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {string} image
 */
async function isPulled(engine, image) {
  try {
    await engine.json("GET", `/distribution/${image}/json`, {
      timeoutMs: REGISTRY_ANSWER_MS,
    });
    console.log(`Pulling ${image}.`);
    const [name, tag] = image.split(":");
    await engine.progress(`/images/create?fromImage=${name}&tag=${tag}`, { timeoutMs: PULL_MS });
    return Boolean(await engine.image(image));
  } catch {
    // No registry, or one that has not got it: there is another way.
    return false;
  }
}
