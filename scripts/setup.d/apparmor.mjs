// @ts-check
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isInstalled, run } from "../lib/command.mjs";
import { root } from "../lib/project.mjs";

/** The name inside sandbox-image/apparmor.profile. */
export const OWN_PROFILE = "deckhand-sandbox";

/**
 * Loads the workspaces' own AppArmor profile where the engine's host has AppArmor, is this machine, and we are root.
 * Without it, workspaces get Docker's own profile.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 */
export async function prepareAppArmor(engine) {
  const { SecurityOptions = [] } = await engine.json("GET", "/info");
  if (!hasAppArmor(SecurityOptions) || !existsSync("/sys/kernel/security/apparmor")) return;
  if (process.getuid?.() !== 0 || !isInstalled("apparmor_parser")) return;
  await run("apparmor_parser", ["--replace", join(root, "sandbox-image/apparmor.profile")], {
    problem:
      "The AppArmor profile of the workspaces could not be loaded: fix the errors above and run this again.",
  });
}

/** @param {readonly string[]} securityOptions */
export function hasAppArmor(securityOptions) {
  return securityOptions.some((option) => /(^|,)name=apparmor(,|$)/.test(option));
}
