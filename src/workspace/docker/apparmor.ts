import { readFile } from "node:fs/promises";

/** The name inside sandbox-image/apparmor.profile. */
const OWN_PROFILE = "deckhand-sandbox";
const LOADED = "/sys/kernel/security/apparmor/profiles";

/**
 * The AppArmor profile of a workspace's container: our own where the engine's host has it loaded, Docker's own on any
 * other host with AppArmor, none elsewhere.
 */
export function apparmorProfile(
  securityOptions: readonly string[],
  loaded: string,
): string | undefined {
  const isOwnLoaded = loaded.split("\n").includes(`${OWN_PROFILE} (enforce)`);
  const [own, common] = apparmorProfiles(securityOptions);
  return isOwnLoaded ? own : common;
}

/** Those that a container may have on this host, the better one first. */
export function apparmorProfiles(
  securityOptions: readonly string[],
): readonly (string | undefined)[] {
  const hasAppArmor = securityOptions.some((option) => /(^|,)name=apparmor(,|$)/.test(option));
  return hasAppArmor ? [OWN_PROFILE, "docker-default"] : [undefined];
}

/** Of this machine's kernel; "" where there are none or only root may read them. */
export async function loadedProfiles(): Promise<string> {
  return readFile(LOADED, "utf8").catch(() => "");
}
