// @ts-check
import { existsSync } from "node:fs";
import { isInstalled } from "../lib/command.mjs";
import { staleDependencies } from "../setup.d/dependencies.mjs";
import { hasRedis } from "../setup.d/redis.mjs";

/** @typedef {import("./main.mjs").Finding} Finding */

const MINIMUM_NODE = 20;

/** @returns {Finding} */
export function checkNode() {
  const found = process.version;
  const name = "Node";
  if (Number.parseInt(found.slice(1), 10) >= MINIMUM_NODE) return { state: "ok", name, found };
  return { state: "problem", name, found, fix: `Install Node ${MINIMUM_NODE} or newer.` };
}

/** @returns {Finding} */
export function checkDependencies() {
  const name = "Dependencies";
  const reason = staleDependencies();
  if (!reason) return { state: "ok", name, found: "as package-lock.json says" };
  return { state: "problem", name, found: reason, fix: "Run scripts/setup, which runs `npm ci`." };
}

/** @returns {Finding} */
export function checkRedis() {
  const name = "Redis";
  if (hasRedis()) return { state: "ok", name, found: "tests can start a server" };
  return {
    state: "note",
    name,
    found: "not installed; only the tests need it here",
    fix: "Run scripts/setup as root, or install redis-server.",
  };
}

/** @returns {Promise<Finding>} */
export async function checkDiskLimit() {
  const name = "Disk limit";
  const lacks = [
    process.getuid?.() === 0 ? "" : "root",
    existsSync("/dev/loop-control") ? "" : "loop devices",
    isInstalled("losetup") && isInstalled("mkfs.ext4") ? "" : "losetup and mkfs.ext4",
  ].filter(Boolean);
  if (lacks.length === 0) return { state: "ok", name, found: "enforced by a loop image" };
  return {
    state: "note",
    name,
    found: `enforced by a watchdog only (missing: ${lacks.join(", ")})`,
    fix: "Run Deckhand as root on the engine's host so that the kernel enforces it.",
  };
}
