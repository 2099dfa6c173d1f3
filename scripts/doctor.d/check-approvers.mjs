// @ts-check
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** @typedef {import("./main.mjs").Finding} Finding */

/**
 * Whether the settings leave a level that no one could approve. Reads them as the bot itself does.
 * @returns {Finding}
 */
export function checkApprovers() {
  const name = "Approvers";
  const program = fileURLToPath(new URL("../approver-gaps.ts", import.meta.url));
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const ran = spawnSync("npx", ["node", program], { cwd: root, encoding: "utf8" });
  if (ran.status !== 0) {
    const found = ran.error?.message ?? ran.stderr.trim().split("\n").at(-1) ?? "the check failed";
    return { state: "problem", name, found, fix: "Correct the settings that `npm start` reports." };
  }
  const gaps = ran.stdout.split("\n").filter(Boolean);
  if (gaps.length === 0) return { state: "ok", name, found: "every level has an approver" };
  return { state: "problem", name, found: gaps.join(" ") };
}
