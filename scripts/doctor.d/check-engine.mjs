// @ts-check
import { readFileSync } from "node:fs";
import { freeGb } from "../lib/disk.mjs";
import { DEFAULT_SOCKET } from "../lib/engine-api.mjs";
import { DISK_NEEDED_GB, MINIMUM_API } from "../lib/project.mjs";
import { hasAppArmor, OWN_PROFILE } from "../setup.d/apparmor.mjs";
import { isOlder } from "../setup.d/engine.mjs";

/** @typedef {import("./main.mjs").Finding} Finding */
/** @typedef {import("../lib/engine-api.mjs").EngineApi} EngineApi */

/**
 * @param {EngineApi} engine
 * @returns {Promise<Finding[]>}
 */
export async function checkEngine(engine) {
  const trouble = await engine.trouble();
  if (trouble) return [unreachable(engine.address.name, trouble)];
  const info = await engine.json("GET", "/info");
  return [
    await version(engine),
    seccomp(info),
    apparmor(info),
    limits(info),
    await disk(engine, info),
  ];
}

/**
 * @param {string} address
 * @param {string} trouble
 * @returns {Finding}
 */
function unreachable(address, trouble) {
  const fix =
    trouble === "EACCES"
      ? "Run as root, or run `sudo usermod -aG docker $USER` and log in again."
      : "Run scripts/setup as root, or install and start Docker 20.10 or newer, or correct DOCKER_HOST.";
  return { state: "problem", name: "Docker engine", found: `${address}: ${trouble}`, fix };
}

/**
 * @param {EngineApi} engine
 * @returns {Promise<Finding>}
 */
async function version(engine) {
  const { Version, ApiVersion, Arch } = await engine.version();
  const found = `${Version}, API ${ApiVersion}, ${Arch}, at ${engine.address.name}`;
  const name = "Docker engine";
  if (!isOlder(ApiVersion, MINIMUM_API)) return { state: "ok", name, found };
  return { state: "problem", name, found, fix: `Upgrade to Docker 20.10 (API ${MINIMUM_API}).` };
}

/**
 * @param {{ SecurityOptions?: string[] }} info
 * @returns {Finding}
 */
function seccomp({ SecurityOptions = [] }) {
  const name = "Seccomp";
  if (SecurityOptions.some((option) => option.includes("name=seccomp"))) {
    return { state: "ok", name, found: "supported" };
  }
  const fix = "Use a kernel with CONFIG_SECCOMP_FILTER and an engine built with seccomp.";
  return { state: "problem", name, found: "not supported by the engine", fix };
}

/**
 * @param {{ SecurityOptions?: string[] }} info
 * @returns {Finding}
 */
function apparmor({ SecurityOptions = [] }) {
  const name = "AppArmor";
  if (!hasAppArmor(SecurityOptions)) {
    return {
      state: "ok",
      name,
      found: "not on the engine's host; workspaces run without a profile",
    };
  }
  const found = isOwnLoaded() ? OWN_PROFILE : "docker-default";
  return { state: "ok", name, found: `workspaces get the profile ${found}` };
}

function isOwnLoaded() {
  try {
    const loaded = readFileSync("/sys/kernel/security/apparmor/profiles", "utf8");
    return loaded.split("\n").includes(`${OWN_PROFILE} (enforce)`);
  } catch {
    return false; // only root may read it
  }
}

/**
 * @param {Record<string, unknown>} info
 * @returns {Finding}
 */
function limits(info) {
  const name = "Limits";
  const wanted = {
    MemoryLimit: "memory",
    SwapLimit: "swap",
    CpuCfsQuota: "cpu",
    PidsLimit: "pids",
  };
  const missing = Object.entries(wanted).filter(([key]) => !info[key]);
  const cgroups = `cgroups v${info.CgroupVersion}`;
  if (missing.length === 0) {
    return { state: "ok", name, found: `${cgroups}: ${Object.values(wanted).join(", ")}` };
  }
  return {
    state: "note",
    name,
    found: `${cgroups}: no limit of ${missing.map(([, word]) => word).join(", ")}`,
    fix: "Enable these cgroup controllers in the kernel (swap: boot with swapaccount=1).",
  };
}

/**
 * @param {EngineApi} engine
 * @param {{ DockerRootDir: string }} info
 * @returns {Promise<Finding>}
 */
async function disk(engine, { DockerRootDir }) {
  const name = "Disk";
  if (engine.address.socketPath !== DEFAULT_SOCKET) {
    return { state: "note", name, found: "not checked: the engine is not on this machine" };
  }
  const free = await freeGb(DockerRootDir);
  const found = `${free.toFixed(0)} GB free under ${DockerRootDir}`;
  if (free >= DISK_NEEDED_GB) return { state: "ok", name, found };
  return {
    state: "problem",
    name,
    found,
    fix: `Free some disk space: ${DISK_NEEDED_GB} GB are needed.`,
  };
}
