// @ts-check
import { isInstalled } from "../lib/command.mjs";
import { SetupError } from "../lib/problem.mjs";
import { installPackages } from "./install-engine.mjs";

const WITHOUT = "Continuing without Chromium, which only the tests need";

/**
 * A browser for the tests of the web chat. Whoever only starts Deckhand has one of their own and is spared the
 * download.
 * @param {NodeJS.ProcessEnv} env
 */
export async function prepareBrowser(env) {
  if (isInstalled("chromium") || env.npm_lifecycle_event === "prestart") return;
  if (!isInstalled("apt-get") || process.getuid?.() !== 0) {
    console.log(`${WITHOUT}: install chromium, or run this as root on Debian or Ubuntu.`);
    return;
  }
  console.log("Installing Chromium (chromium): the tests use it for the web chat.");
  try {
    await installPackages(["chromium"]);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.log(`${WITHOUT}. ${error.message}`);
  }
}
